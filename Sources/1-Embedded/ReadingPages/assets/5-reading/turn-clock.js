// Measures turns, in the browser's own performance entries: `turn-<n>` from the key press to the swap,
// `paint-<n>` from the key press to the frame that shows it; `open-<n>` for a chart opened by its address or from the finder.

const KEPT = 500;

export class TurnClock {
  #number = 0;
  #channel = new MessageChannel();
  #waiting = [];

  constructor() {
    this.#channel.port1.onmessage = () => {
      const end = performance.now();
      for (const { name, start, detail } of this.#waiting.splice(0)) performance.measure(name, { start, end, detail });
    };
  }

  /// Records a turn or opened chart; `kind` is "turn" or "open".
  turned(kind, start, detail) {
    const number = ++this.#number;
    const name = `${kind}-${number}`;
    performance.mark(name, { detail });
    performance.measure(name, { start, end: performance.now(), detail });
    // A message posted within a frame arrives after that frame, so its arrival shows when the page was painted.
    requestAnimationFrame(() => {
      if (kind === "turn") this.#waiting.push({ name: `paint-${number}`, start, detail });
      this.#channel.port2.postMessage(null);
    });
    const old = number - KEPT;
    if (old > 0) {
      for (const each of ["turn", "open", "paint"]) {
        performance.clearMarks(`${each}-${old}`);
        performance.clearMeasures(`${each}-${old}`);
      }
    }
  }
}
