// How long turns take, for whoever asks the browser's own performance entries: `turn-<n>` from the key to the swap,
// `paint-<n>` from the key to the frame that shows it.

/// Entries of this many turns are kept.
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

  turned(start, detail) {
    const number = ++this.#number;
    performance.mark(`turn-${number}`, { detail });
    performance.measure(`turn-${number}`, { start, end: performance.now(), detail });
    // A message posted from within a frame arrives when that frame is done.
    requestAnimationFrame(() => {
      this.#waiting.push({ name: `paint-${number}`, start, detail });
      this.#channel.port2.postMessage(null);
    });
    const old = number - KEPT;
    if (old > 0) {
      performance.clearMarks(`turn-${old}`);
      performance.clearMeasures(`turn-${old}`);
      performance.clearMeasures(`paint-${old}`);
    }
  }
}
