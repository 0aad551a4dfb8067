// Pens, fingers and mice on the page while the tools are out: what draws, what moves the page, and what is only the hand that rests there.
import { spreadOf } from "./reader-input.js";
import { settings } from "./settings.js";

/// A touch that is larger than this (CSS pixels) is no finger.
const PALM = 56;
/// Ink that a touch drew this long (ms) before the pen came down is from the hand that holds the pen.
const TAKEN_BACK = 500;
/// A second finger that comes down within this time (ms) of the first was meant to move the page with it.
const TOGETHER = 250;
/// The other end of a pen, as the browser reports it.
const ERASER = 32;

export class Pointers {
  /// The button's choice; without one, fingers draw until a pen was seen.
  static isFingerAsked = null;
  static isPenSeen = false;
  static get doFingersDraw() { return Pointers.isFingerAsked ?? !Pointers.isPenSeen; }

  #drawing;
  #zoomBy;
  /// What is being drawn: `{id, type, at, page, tool}`, where the hand is, and where the page was.
  #gesture = null;
  /// When the last touch that drew began.
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
    // A long touch must open no menu and select nothing.
    listen("contextmenu", (event) => event.preventDefault());
  }

  stop() {
    this.leave();
    this.#end.abort();
  }

  /// Ends what is being drawn, so that it is kept.
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
      this.#takeFinger(event);
    }
  }

  #begin(event, page) {
    const { pointerId: id, pointerType: type } = event;
    const { tools } = this.#drawing;
    // A text that is being written is finished by a tap beside it.
    if (document.activeElement instanceof HTMLTextAreaElement) document.activeElement.blur();
    const tool = event.buttons & ERASER ? tools.erase : this.#drawing.tool;
    const { element } = this.#drawing.stage;
    this.#gesture = { id, type, at: event.timeStamp, page, tool, x: event.clientX, y: event.clientY, box: page.box };
    try {
      element.setPointerCapture(id);
    } catch {
      // Already lifted.
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

  /// A finger that does not draw moves the page; two make it larger or smaller.
  #takeFinger(event) {
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
      // A pedal has turned the page, or gone on within it; or another page came beside it.
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

  /// The system takes back touches that it has found to be a palm; a pen's ink stays.
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

/// Where an event is on the page, and how hard it is pressed, where the device says so.
function sample(page, event, { left, top, width, height } = page.box) {
  const pressure = event.pointerType === "pen" && event.pressure > 0 ? event.pressure : null;
  return { at: [(event.clientX - left) / width, (event.clientY - top) / height], pressure };
}

/// The side for the tools: that of the hand that does not draw.
export const toolSide = () => (settings.get("hand") === "left" ? "right" : "left");
