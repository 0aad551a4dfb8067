// Keys of the drawing tools: one key for each tool, and a cursor for people who draw without a pointer. The keys that
// turn pages keep working.
import { h, say } from "./dom.js";
import { ACTS, TOOLS } from "./draw-panel.js";
import { heldCommand, keys, pedalCommand } from "./keyboard.js";

/// How far an arrow key moves the cursor, in page widths: alone, and with Shift.
const STEP = 0.01;
const LEAP = 0.05;
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const OTHERS = [
  [["c"], "nextColor", "Next colour"], [["w"], "nextWidth", "Next width or size, or the time for which a jump is"],
  [["i"], "cursor", "A cursor that arrow keys move; Enter draws there, and again at the other end"],
];
const byKey = new Map([
  ...TOOLS.map(([name, , key]) => [key, name]), ...ACTS.filter(([, , key]) => key).map(([name, , key]) => [key, name]),
  ...OTHERS.map(([[key], name]) => [key, name]),
]);

/// Adds the keys of the drawing tools to the list that "?" shows.
export function teachKeys() {
  keys.push(["While drawing", [
    ...TOOLS.map(([name, words, key]) => [[key], name, words]), ...ACTS.filter(([, , key]) => key).map(([name, words, key]) => [[key], name, words]), ...OTHERS,
  ]]);
}

export class DrawKeys {
  #drawing;
  /// `{page, at, isDown}` while the keyboard cursor is in use, otherwise null.
  #cursor = null;
  #sign = h("div", { class: "ink-cursor", "aria-hidden": "true" });
  #end = new AbortController();

  constructor(drawing) {
    this.#drawing = drawing;
    addEventListener("keydown", (event) => this.#key(event), { capture: true, signal: this.#end.signal });
  }

  stop() {
    this.#hide();
    this.#end.abort();
  }

  leave() { this.#lift(); }

  /// Keeps the cursor on its page when the stage is laid out again.
  follow() {
    if (!this.#cursor) return;
    if (this.#cursor.page.canvas.isConnected) this.#show();
    else this.#hide();
  }

  #key(event) {
    if (!this.#drawing.isOpen || event.defaultPrevented || event.isComposing || document.querySelector("dialog[open]")) return;
    if (event.target.closest?.("input, textarea, select") || pedalCommand(event) || heldCommand(event)) return;
    if (this.#act(event)) {
      event.preventDefault();
      event.stopImmediatePropagation();
    }
  }

  /// Handles a key press. Returns whether the key was used for drawing.
  #act(event) {
    const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
    const { select, text } = this.#drawing.tools;
    if (ctrlKey || metaKey) return this.#undoWith(key.toLowerCase(), shiftKey);
    if (altKey) return false;
    const isOnMark = event.target.closest?.(".ink-list [role=option]");
    if (ARROWS[key] && (isOnMark || this.#cursor)) {
      if (isOnMark) select.nudge(event);
      else this.#move(event);
      return true;
    }
    if (key === "Enter" && (isOnMark || this.#cursor)) {
      if (this.#cursor && !isOnMark) this.#press();
      else if (select.marks[0]?.kind === "text") this.#rewrite(text, select);
      return true;
    }
    if ((key === "Delete" || key === "Backspace") && select.marks.length > 0) return this.#run("remove");
    if (key === "Escape") return this.#escape();
    if (shiftKey && key.length > 1) return false;
    const name = byKey.get(key.length === 1 ? key.toLowerCase() : key);
    return name && name !== "remove" ? this.#run(name) : false;
  }

  #undoWith(key, isBack) {
    if (key !== "z" && key !== "y") return false;
    return this.#run(key === "y" || isBack ? "redo" : "undo");
  }

  #run(name) {
    const { panel } = this.#drawing;
    if (name === "cursor") this.#toggleCursor();
    else if (panel[name] && name.startsWith("next")) panel[name]();
    else {
      if (name === "toggle") this.#hide();
      panel.run(name);
    }
    return true;
  }

  #rewrite(tool, select) {
    const [mark] = select.marks;
    const page = this.#drawing.pages.find((each) => each.marks.some(({ id }) => id === mark.id));
    this.#drawing.choose("text");
    if (page) tool.write(page, mark);
  }

  /// Goes back one step: cancels a started mark, or puts away the cursor, the selection, or the tools.
  #escape() {
    const { tools, tools: { select } } = this.#drawing;
    if (this.#cursor?.isDown) {
      this.#cursor.isDown = false;
      this.#drawing.tool.cancel(this.#cursor.page);
    } else if (tools.jump.escape()) {
      return true;
    } else if (this.#cursor) {
      this.#hide();
    } else if (select.marks.length > 0) {
      select.select(null, []);
      this.#drawing.stage.element.focus({ preventScroll: true });
    } else {
      this.#drawing.toggle();
    }
    return true;
  }

  #toggleCursor() {
    if (this.#cursor) {
      this.#hide();
      return;
    }
    const [page] = this.#drawing.pages;
    if (!page) return;
    const { left, top, width, height } = page.box;
    const stage = this.#drawing.stage.element.getBoundingClientRect();
    // In the middle of the visible part of the page.
    const clientX = (Math.max(left, stage.left) + Math.min(left + width, stage.right)) / 2;
    const clientY = (Math.max(top, stage.top) + Math.min(top + height, stage.bottom)) / 2;
    this.#cursor = { page, at: page.placeOf({ clientX, clientY }), isDown: false };
    this.#show();
    say("Cursor in the middle of the page");
  }

  #move({ key, shiftKey }) {
    const { page, at, isDown } = this.#cursor;
    if (!page.canvas.isConnected) {
      this.#hide();
      return;
    }
    const far = shiftKey ? LEAP : STEP;
    const [across, down] = ARROWS[key];
    const within = (value) => Math.min(1, Math.max(0, value));
    this.#cursor.at = [within(at[0] + across * far), within(at[1] + down * far / page.tall)];
    if (isDown) this.#drawing.tool.move(page, [this.#sample], []);
    this.#show();
    const [x, y] = this.#cursor.at.map((share) => Math.round(100 * share));
    say(`${x} % across, ${y} % down`);
  }

  get #sample() { return { at: this.#cursor.at, pressure: null }; }

  /// Draws at the cursor: right away if the tool needs only one position, otherwise from this position to that of the next press.
  #press() {
    const { page, at, isDown } = this.#cursor;
    const { tool, tools } = this.#drawing;
    if (!page.canvas.isConnected) return this.#hide();
    if (tool === tools.text || tool === tools.jump) return tool.end(page, null, at);
    if (isDown) return this.#lift();
    tool.begin(page, this.#sample, null);
    this.#cursor.isDown = true;
    if (tool === tools.stamp || tool === tools.erase) return this.#lift();
    return say("Move to the other end, and press Enter again");
  }

  #lift() {
    if (!this.#cursor?.isDown) return;
    this.#cursor.isDown = false;
    this.#drawing.tool.end(this.#cursor.page, null);
    say("Drawn");
  }

  #show() {
    const { page, at } = this.#cursor;
    const { x, y } = page.pointAt(at);
    if (this.#sign.parentElement !== page.sheet) page.canvas.after(this.#sign);
    this.#sign.style.transform = `translate(${x}px, ${y}px)`;
    this.#sign.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  #hide() {
    if (this.#cursor?.isDown) this.#drawing.tool.cancel(this.#cursor.page);
    this.#cursor = null;
    this.#sign.remove();
  }
}
