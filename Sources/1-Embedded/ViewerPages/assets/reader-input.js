// Keys, pedals, taps, swipes and pinches of the reading view.
import { commandOf } from "./keys.js";
import { commandBehindPanel, pedalCommand } from "./pedals.js";
import { print } from "./print.js";

/// A tap moves less than this (CSS pixels) and takes less time than this (ms).
const STILL = 10;
const SHORT = 600;
/// A swipe moves at least this far, more sideways than up or down. On the outer thirds, what moves less is a tap, however long it takes:
/// with an instrument in hand nobody taps neatly.
const SWIPE = 48;

export class Input {
  #reader;
  #fingers = new Map();
  #pinch = null;
  #first = null;
  /// A touch on an outer third that the browser took for the beginning of scrolling.
  #slipped = null;
  #ends = [];

  constructor(reader) {
    this.#reader = reader;
    const stage = reader.stage.element;
    this.#listen(window, "keydown", (event) => this.#key(event));
    this.#listen(stage, "pointerdown", (event) => this.#down(event));
    this.#listen(stage, "pointermove", (event) => this.#move(event));
    this.#listen(stage, "pointerup", (event) => this.#up(event));
    this.#listen(stage, "pointercancel", (event) => this.#cancelled(event));
    this.#listen(stage, "touchend", (event) => this.#slippedUp(event), { passive: true });
    this.#listen(stage, "wheel", (event) => this.#wheel(event), { passive: false });
    this.#listen(window, "pointermove", (event) => this.#nearEdge(event));
  }

  stop() {
    for (const end of this.#ends) end();
  }

  #listen(target, name, listener, options) {
    target.addEventListener(name, listener, options);
    this.#ends.push(() => target.removeEventListener(name, listener, options));
  }

  #key(event) {
    if (event.defaultPrevented || event.isComposing) return;
    if (document.querySelector("dialog[open]")) {
      this.#run(commandBehindPanel(event), event);
      return;
    }
    if (event.key === "Tab") {
      this.#reader.bar.reveal();
      return;
    }
    const { target } = event;
    if (target.closest?.("input, textarea, select")) return;
    // A button with the keyboard focus keeps its own two keys.
    if ((event.key === "Enter" || event.key === " ") && target.closest?.("button, a") && target.matches(":focus-visible")) return;
    if (event.key === "p" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      this.#print();
      return;
    }
    this.#run(pedalCommand(event) ?? commandOf(event), event);
  }

  async #print() {
    const words = await print(this.#reader.shown?.chart);
    if (words) this.#reader.cue.show(words);
  }

  #run(command, event) {
    if (!command) return;
    event.preventDefault();
    // Holding the pedal down turns one page, not ten.
    if (event.repeat && command !== "pan" && !command.startsWith("zoom")) return;
    this.#reader.commands.run(command, event);
  }

  #down(event) {
    if (event.button > 0 || event.target.closest("button, a")) return;
    this.#fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (this.#fingers.size === 1) {
      const { element } = this.#reader.stage;
      this.#first = {
        id: event.pointerId, x: event.clientX, y: event.clientY, at: event.timeStamp, left: element.scrollLeft, top: element.scrollTop,
      };
      if (event.pointerType === "mouse") element.setPointerCapture(event.pointerId);
    } else {
      this.#first = null;
      this.#pinch = this.#fingers.size === 2 ? this.#spread() : null;
    }
  }

  #move(event) {
    const finger = this.#fingers.get(event.pointerId);
    if (!finger) return;
    finger.x = event.clientX;
    finger.y = event.clientY;
    if (this.#pinch) {
      const now = this.#spread();
      this.#reader.commands.zoomBy(now.far / this.#pinch.far, now.x, now.y);
      this.#pinch = now;
    } else if (event.pointerType === "mouse" && this.#first) {
      const { element } = this.#reader.stage;
      element.scrollLeft = this.#first.left - (event.clientX - this.#first.x);
      element.scrollTop = this.#first.top - (event.clientY - this.#first.y);
    }
  }

  #up(event) {
    const first = this.#first?.id === event.pointerId ? this.#first : null;
    this.#forget(event);
    if (!first) return;
    const x = event.clientX - first.x;
    const y = event.clientY - first.y;
    const { commands, stage, bar } = this.#reader;
    const far = Math.hypot(x, y);
    const isOuter = this.#sideOf(first) !== 0;
    // A mouse that drags a large page moves it.
    const isDrag = event.pointerType === "mouse" && stage.isPannable && far >= STILL;
    if (isOuter && far < SWIPE && !isDrag) {
      this.#turn(first, event);
    } else if (!isOuter && far < STILL && event.timeStamp - first.at < SHORT) {
      bar.toggle();
    } else if (event.pointerType !== "mouse" && stage.element.dataset.pan !== "both" && Math.abs(x) > SWIPE && Math.abs(x) > 1.5 * Math.abs(y)) {
      if (x < 0) commands.next(event);
      else commands.previous(event);
    }
  }

  /// −1 on the third that turns back, 1 on the one that turns forward, 0 between them.
  #sideOf({ x }) {
    const part = x / this.#reader.stage.box.width;
    return part < 1 / 3 ? -1 : part > 2 / 3 ? 1 : 0;
  }

  #turn(first, event) {
    const { commands } = this.#reader;
    if (this.#sideOf(first) < 0) commands.previous(event);
    else commands.next(event);
  }

  #cancelled(event) {
    const first = this.#first?.id === event.pointerId ? this.#first : null;
    this.#forget(event);
    this.#slipped = first && this.#sideOf(first) !== 0 ? first : null;
  }

  /// A thumb that slipped a little on a page that can be scrolled was meant to turn it all the same.
  #slippedUp(event) {
    const first = this.#slipped;
    this.#slipped = null;
    const [touch] = event.changedTouches;
    if (!first || event.touches.length > 0 || Math.hypot(touch.clientX - first.x, touch.clientY - first.y) >= SWIPE) return;
    this.#reader.stage.element.scrollTop = first.top;
    this.#turn(first, event);
  }

  #forget(event) {
    this.#fingers.delete(event.pointerId);
    if (this.#fingers.size < 2) this.#pinch = null;
    if (this.#first?.id === event.pointerId) this.#first = null;
  }

  #spread() {
    const [a, b] = [...this.#fingers.values()];
    return { far: Math.max(1, Math.hypot(a.x - b.x, a.y - b.y)), x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
  }

  #wheel(event) {
    if (!event.ctrlKey) return;
    event.preventDefault();
    this.#reader.commands.zoomBy(Math.exp(-event.deltaY / 300), event.clientX, event.clientY);
  }

  #nearEdge(event) {
    if (event.pointerType === "mouse" && event.buttons === 0 && event.clientY < 40) this.#reader.bar.reveal();
  }
}
