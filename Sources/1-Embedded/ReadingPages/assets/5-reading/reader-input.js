// Keys, pedals, taps, swipes and pinches of the reading view.
import { commandBehindPanel, commandOf } from "./keyboard.js";

/// A tap moves less than this (CSS pixels) and is shorter than this (ms).
const STILL = 10;
const SHORT = 600;
/// A swipe moves at least this far (CSS pixels), and more sideways than up or down. On the outer thirds, a shorter movement of any
/// duration is a tap: with an instrument in hand, taps are not neat.
const SWIPE = 48;

export class Input {
  #given;
  #fingers = new Map();
  #pinch = null;
  #first = null;
  /// A touch on an outer third that the browser mistook for the start of scrolling.
  #slipped = null;
  #end = new AbortController();

  constructor({ stage, bar, run, zoomBy }) {
    this.#given = { stage, bar, run, zoomBy };
    const listen = (target, name, listener, passive) =>
      target.addEventListener(name, (event) => listener.call(this, event), { passive, signal: this.#end.signal });
    const { element } = stage;
    listen(window, "keydown", this.#key);
    listen(window, "pointermove", this.#nearEdge);
    listen(element, "pointerdown", this.#down);
    listen(element, "pointermove", this.#move);
    listen(element, "pointerup", this.#up);
    listen(element, "pointercancel", this.#cancelled);
    listen(element, "touchend", this.#slippedUp, true);
    listen(element, "wheel", this.#wheel, false);
  }

  stop() { this.#end.abort(); }

  #key(event) {
    if (event.defaultPrevented || event.isComposing) return;
    if (document.querySelector("dialog[open]")) {
      this.#press(commandBehindPanel(event), event);
      return;
    }
    if (event.key === "Tab") {
      this.#given.bar.reveal();
      return;
    }
    const { target } = event;
    if (target.closest?.("input, textarea, select")) return;
    // A button with the keyboard focus keeps Enter and Space.
    if ((event.key === "Enter" || event.key === " ") && target.closest?.("button, a") && target.matches(":focus-visible")) return;
    this.#press(event.key === "p" && (event.ctrlKey || event.metaKey) ? "print" : commandOf(event), event);
  }

  #press(command, event) {
    if (!command) return;
    event.preventDefault();
    // Holding a pedal down turns one page, not ten.
    if (event.repeat && command !== "pan" && !command.startsWith("zoom")) return;
    this.#given.run(command, event);
  }

  #down(event) {
    if (event.button > 0 || event.target.closest("button, a")) return;
    const [x, y] = [event.clientX, event.clientY];
    this.#fingers.set(event.pointerId, { x, y });
    if (this.#fingers.size > 1) {
      this.#first = null;
      this.#pinch = this.#fingers.size === 2 ? spreadOf(this.#fingers) : null;
      return;
    }
    const { element } = this.#given.stage;
    this.#first = { id: event.pointerId, x, y, at: event.timeStamp, left: element.scrollLeft, top: element.scrollTop };
    if (event.pointerType === "mouse") element.setPointerCapture(event.pointerId);
  }

  #move(event) {
    const finger = this.#fingers.get(event.pointerId);
    if (!finger) return;
    [finger.x, finger.y] = [event.clientX, event.clientY];
    if (this.#pinch) {
      const now = spreadOf(this.#fingers);
      this.#given.zoomBy(now.far / this.#pinch.far, now.x, now.y);
      this.#pinch = now;
    } else if (event.pointerType === "mouse" && this.#first) {
      const { element } = this.#given.stage;
      element.scrollLeft = this.#first.left - (finger.x - this.#first.x);
      element.scrollTop = this.#first.top - (finger.y - this.#first.y);
    }
  }

  #up(event) {
    const first = this.#lift(event);
    if (!first) return;
    const [x, y] = [event.clientX - first.x, event.clientY - first.y];
    const far = Math.hypot(x, y);
    const side = this.#sideOf(first);
    const isMouse = event.pointerType === "mouse";
    // A mouse that drags a large page moves the page, so such a drag turns no page.
    const isDrag = isMouse && this.#given.stage.isPannable && far >= STILL;
    const isSwipe = !isMouse && this.#given.stage.element.dataset.pan !== "both" && Math.abs(x) > SWIPE && Math.abs(x) > 1.5 * Math.abs(y);
    if (side !== 0 && far < SWIPE && !isDrag) this.#turn(side, event);
    else if (side === 0 && far < STILL && event.timeStamp - first.at < SHORT) this.#given.bar.toggle();
    else if (isSwipe) this.#turn(-x, event);
  }

  /// Returns −1 on the third that turns back, 1 on the one that turns forward, otherwise 0.
  #sideOf({ x }) {
    const part = x / this.#given.stage.box.width;
    return part < 1 / 3 ? -1 : part > 2 / 3 ? 1 : 0;
  }

  #turn(direction, event) { this.#given.run(direction < 0 ? "previous" : "next", event); }

  #cancelled(event) {
    const first = this.#lift(event);
    this.#slipped = first && this.#sideOf(first) !== 0 ? first : null;
  }

  /// On a page that scrolls, a thumb that slipped a little was still meant to turn the page.
  #slippedUp(event) {
    const first = this.#slipped;
    this.#slipped = null;
    const [touch] = event.changedTouches;
    if (!first || event.touches.length > 0 || Math.hypot(touch.clientX - first.x, touch.clientY - first.y) >= SWIPE) return;
    this.#given.stage.element.scrollTop = first.top;
    this.#turn(this.#sideOf(first), event);
  }

  /// Forgets a finger; returns where it came down if it was the only one, otherwise null.
  #lift(event) {
    this.#fingers.delete(event.pointerId);
    if (this.#fingers.size < 2) this.#pinch = null;
    if (this.#first?.id !== event.pointerId) return null;
    const first = this.#first;
    this.#first = null;
    return first;
  }

  #wheel(event) {
    if (!event.ctrlKey) return;
    event.preventDefault();
    this.#given.zoomBy(Math.exp(-event.deltaY / 300), event.clientX, event.clientY);
  }

  #nearEdge(event) {
    if (event.pointerType === "mouse" && event.buttons === 0 && event.clientY < 40) this.#given.bar.reveal();
  }
}

/// The distance of two fingers, and the middle between them.
export function spreadOf(fingers) {
  const [a, b] = [...fingers.values()];
  return { far: Math.max(1, Math.hypot(a.x - b.x, a.y - b.y)), x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
}
