// Pens, fingers and mice while the tools are out: which of them draw, which move the page, and which touch is only a resting hand.
import { spreadOf } from "./reader-input.js";
import { settings } from "./settings.js";

/// A touch larger than this (CSS pixels) is a palm.
const PALM = 56;
/// Ink of a touch that began at most this long (ms) before the pen came down is from the hand that holds the pen.
const TAKEN_BACK = 500;
/// A second finger within this time (ms) of the first is meant to move the page together with the first.
const TOGETHER = 250;
/// The eraser end of a pen, as browsers report it.
const ERASER = 32;

export class Pointers {
  /// Whether fingers draw, as chosen with the button. Null before any choice: fingers then draw until a pen has been used.
  static isFingerAsked = null;
  static isPenSeen = false;
  static get doFingersDraw() { return Pointers.isFingerAsked ?? !Pointers.isPenSeen; }

  #drawing;
  #zoomBy;
  /// The drawing gesture: `{id, type, at, page, tool, x, y, box}`, with the position of the hand and the page's box at the start.
  #gesture = null;
  /// When the last touch that left ink began, to take this ink back if a pen follows at once.
  #touched = -Infinity;
  #fingers = new Map();
  #spread = null;
  #ignored = new Set();
  #end = new AbortController();

  constructor(drawing, zoomBy) {
    [this.#drawing, this.#zoomBy] = [drawing, zoomBy];
    const { element } = drawing.stage;
    const listen = (name, act) => element.addEventListener(name, (event) => {
      if (drawing.isOpen || this.#gesture) act.call(this, event);
    }, { capture: true, signal: this.#end.signal });
    listen("pointerdown", this.#down);
    listen("pointermove", this.#move);
    listen("pointerup", this.#up);
    listen("pointercancel", this.#cancel);
    // A long touch must not open a menu or select text.
    listen("contextmenu", (event) => event.preventDefault());
  }

  stop() {
    this.leave();
    this.#end.abort();
  }

  /// Ends the drawing gesture and keeps its ink.
  leave() { this.#finish(); }

  #down(event) {
    if (event.target.closest("button, a, textarea")) return;
    event.stopPropagation();
    const { pointerType: type, pointerId: id } = event;
    if (type === "touch" && (isPalm(event) || this.#gesture?.type === "pen")) {
      this.#ignored.add(id);
      return;
    }
    if (type === "pen") this.#penCame(event.timeStamp);
    if (type === "mouse" && event.button !== 0) return;
    const draws = type !== "touch" || (Pointers.doFingersDraw && this.#fingers.size === 0);
    const page = draws && !this.#gesture ? this.#drawing.pageAt(event) : null;
    if (page) {
      event.preventDefault();
      this.#begin(event, page);
    } else if (type === "touch") {
      this.#addFinger(event);
    }
  }

  #begin(event, page) {
    const { pointerId: id, pointerType: type } = event;
    const { tools } = this.#drawing;
    // A tap beside a text field finishes the text.
    if (document.activeElement instanceof HTMLTextAreaElement) document.activeElement.blur();
    const tool = event.buttons & ERASER ? tools.erase : this.#drawing.tool;
    const { element } = this.#drawing.stage;
    this.#gesture = { id, type, at: event.timeStamp, page, tool, x: event.clientX, y: event.clientY, box: page.box };
    try {
      element.setPointerCapture(id);
    } catch {
      // The pointer is already lifted, so it cannot be captured, and need not be.
    }
    tool.begin(page, sample(page, event), event);
  }

  #penCame(now) {
    if (!Pointers.isPenSeen) {
      Pointers.isPenSeen = true;
      this.#drawing.panel.update();
    }
    for (const id of this.#fingers.keys()) this.#ignored.add(id);
    this.#fingers.clear();
    this.#spread = null;
    if (this.#gesture?.type === "touch") {
      this.#ignored.add(this.#gesture.id);
      if (now - this.#gesture.at <= TAKEN_BACK) this.#drop();
      else this.#finish();
    } else if (now - this.#touched <= TAKEN_BACK) {
      this.#drawing.retract();
    }
    this.#touched = -Infinity;
  }

  /// Adds a finger that moves the page; two such fingers zoom it. If the first finger has only just begun to draw, its ink is dropped,
  /// and it becomes one of the two.
  #addFinger(event) {
    const gesture = this.#gesture;
    if (gesture?.type === "touch" && event.timeStamp - gesture.at <= TOGETHER) {
      this.#drop();
      this.#fingers.set(gesture.id, { x: gesture.x, y: gesture.y });
    }
    if (this.#gesture) {
      this.#ignored.add(event.pointerId);
      return;
    }
    this.#fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    this.#spread = this.#fingers.size === 2 ? spreadOf(this.#fingers) : null;
  }

  #move(event) {
    const gesture = this.#gesture;
    if (gesture?.id === event.pointerId) {
      event.stopPropagation();
      if (event.pointerType === "touch" && isPalm(event)) {
        this.#ignored.add(event.pointerId);
        this.#drop();
        return;
      }
      [gesture.x, gesture.y] = [event.clientX, event.clientY];
      const { page } = gesture;
      const box = page.box;
      // End the gesture if the page was turned or scrolled with a pedal, or another page came to stand beside it: the ink would be in the
      // wrong place.
      if (!page.canvas.isConnected || isElsewhere(box, gesture.box)) {
        this.#finish();
        return;
      }
      const all = event.getCoalescedEvents?.() ?? [];
      gesture.tool.move(page, (all.length > 0 ? all : [event]).map((each) => sample(page, each, box)),
        (event.getPredictedEvents?.() ?? []).map((each) => sample(page, each, box)), event);
    } else if (this.#fingers.has(event.pointerId)) {
      event.stopPropagation();
      this.#moveFinger(event);
    } else if (event.pointerType !== "mouse" || event.buttons > 0) {
      event.stopPropagation();
    } else {
      this.#drawing.tool.hover?.(event);
    }
  }

  #moveFinger(event) {
    const finger = this.#fingers.get(event.pointerId);
    const { stage } = this.#drawing;
    if (!this.#spread) stage.pan(finger.x - event.clientX, finger.y - event.clientY);
    [finger.x, finger.y] = [event.clientX, event.clientY];
    if (!this.#spread) return;
    const now = spreadOf(this.#fingers);
    const { left, top } = stage.element.getBoundingClientRect();
    this.#zoomBy(now.far / this.#spread.far, now.x - left, now.y - top);
    stage.pan(this.#spread.x - now.x, this.#spread.y - now.y);
    this.#spread = now;
  }

  #up(event) {
    if (event.target.closest("button, a, textarea")) return;
    event.stopPropagation();
    if (this.#gesture?.id === event.pointerId) {
      const { at, type } = this.#gesture;
      const { count } = this.#drawing;
      this.#finish(event);
      if (type === "touch" && this.#drawing.count > count) this.#touched = at;
    }
    this.#lift(event);
  }

  /// The system cancels a touch when it recognises a palm, so the ink of a cancelled touch is dropped. A pen's ink stays.
  #cancel(event) {
    event.stopPropagation();
    if (this.#gesture?.id === event.pointerId) {
      if (event.pointerType === "touch") this.#drop();
      else this.#finish();
    }
    this.#lift(event);
  }

  #lift({ pointerId }) {
    this.#ignored.delete(pointerId);
    this.#fingers.delete(pointerId);
    this.#spread = null;
  }

  #finish(event = null) {
    const gesture = this.#gesture;
    this.#gesture = null;
    gesture?.tool.end(gesture.page, event);
  }

  #drop() {
    const gesture = this.#gesture;
    this.#gesture = null;
    gesture?.tool.cancel(gesture.page);
  }
}

const isPalm = ({ width, height }) => Math.max(width, height) > PALM;

const isElsewhere = (box, former) => ["left", "top", "width"].some((side) => Math.abs(box[side] - former[side]) > 0.5);

/// Where an event is on the page, in shares of it, and the pen's pressure if the device reports it.
function sample(page, event, box) {
  const pressure = event.pointerType === "pen" && event.pressure > 0 ? event.pressure : null;
  return { at: page.placeOf(event, box), pressure };
}

/// The tools are on the side of the hand that does not draw.
export const toolSide = () => (settings.get("hand") === "left" ? "right" : "left");
