// The tools beside the music: the stage makes room for them, so they cover no part of the page.
import { drawing as drawn, h, letGo, say, publishSize } from "./dom.js";
import { Pointers, toolSide } from "./draw-pointers.js";
import { isSign } from "./jump-sign.js";
import { nextPass, wordsOf } from "./jump-tool.js";
import { settings } from "./settings.js";
import { openStamps, pathOf } from "./stamps.js";

const INKS = [["Black", "#000000"], ["Red", "#c8102e"], ["Blue", "#1f4fbf"], ["Green", "#1a7f37"], ["Orange", "#d9730d"], ["Violet", "#7b2fa8"]];
const LIGHTS = [["Yellow", "#ffe45c"], ["Green", "#b6f09c"], ["Blue", "#a8dcff"], ["Pink", "#ffb8d9"], ["Orange", "#ffcf8f"], ["Violet", "#d9c2ff"]];
const FINE = [0.0012, 0.002, 0.0036];
const WIDTHS = ["Thin", "Medium", "Thick"];
const SIZES = ["Small", "Medium", "Large"];

/// `[name, words, key, icon, widths in page widths, the widths' names]`. Erasers have no widths. The highlighter has its own colours.
export const TOOLS = [
  ["pen", "Pen", "p", "M4.500 19.500l1-4.500L16 4.500l3.500 3.500L9 18.500z", FINE, WIDTHS],
  ["highlighter", "Highlighter", "h", "M9 13l6-8 4.500 3.500-6 8zM9 13l-2.500 4 3 2 3.500-2.500M4 20.500h9", [0.012, 0.02, 0.032], WIDTHS],
  ["erase", "Erase whole marks", "e", "M8 18.500L3.500 14 13 4.500l7 7-7 7zM8.500 9l7 7M8 18.500h12", null],
  ["cut", "Erase parts of strokes", "r", "M2 13c2-3.500 4-3.500 5.500-1M16.500 12c1.500 2.500 3.500 2.500 5.500-1M12 7.500a4.500 4.500 0 1 0 .01 0z", null],
  ["select", "Choose and move", "v", "M6 3.500l12 8.500-5.500 1-2.500 6z", FINE, WIDTHS],
  ["text", "Text", "t", "M5 7V5h14v2M12 5v14M9 19h6", [0.018, 0.026, 0.04], SIZES],
  ["stamp", "Stamps", "s", "", [0.028, 0.04, 0.06], SIZES],
  ["line", "Line", "l", "M5 19L19 5", FINE, WIDTHS],
  ["arrow", "Arrow", "j", "M5 19L19 5M11 5h8v8", FINE, WIDTHS],
  ["box", "Box", "b", "M4.500 6.500h15v11h-15z", FINE, WIDTHS],
  ["ellipse", "Ellipse", "o", "M12 5.500c10.500 0 10.500 13 0 13s-10.500-13 0-13z", FINE, WIDTHS],
  ["jump", "Jump", "q", "M4 17c2-9 12-9 14-2M18.500 9.500V15H13M4 17a1 1 0 1 0 .01 0", null],
  ["cover", "White-out", "k", "M4 12.500h16M4 17h16M4 8h5M14 3.500l5.500 5.500-4 2.500-4-4z", [0.01, 0.02, 0.04], WIDTHS],
];

/// `[command, words, key, icon]`.
export const ACTS = [
  ["undo", "Undo", "z", "M8 5L4 9l4 4M4 9h10a5 5 0 0 1 0 10h-4"],
  ["redo", "Do again", "y", "M16 5l4 4-4 4M20 9H10a5 5 0 0 0 0 10h4"],
  ["remove", "Delete what is chosen", "Delete", "M5 7h14M9.500 7V4.500h5V7M7 7l1 12.500h8L17 7M10.500 10.500v5.500M13.500 10.500v5.500"],
  ["other", "Take the other version", null, "M4 8h12l-3-3M20 16H8l3 3"],
  ["only", "Show what you draw, or have chosen, in this key only", "u", ""],
  ["pass", "For which time the jump is", null, ""],
  ["finger", "Draw with the finger", "f", "M9 12V5.500a1.500 1.500 0 0 1 3 0V11l5 1.500c2 .7 2 2 1.500 4l-1 4H11l-4.500-6c-1-1.500 1-2.500 2.500-1z"],
  ["hand", "Tools on the other side", "x", "M8 8l-4 4 4 4M16 8l4 4-4 4M4 12h16"],
  ["toggle", "Put the tools away", "a", "M6 6l12 12M18 6L6 18"],
];

const icon = (path) => drawn({ class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" }, "path", { d: path });

const tool = (words, key, path, onclick) => h("button", {
  type: "button", class: "tool", "aria-label": words, "aria-keyshortcuts": key, title: key ? `${words} (${key})` : words, onclick,
}, icon(path));

export class DrawPanel {
  element;
  #drawing;
  #tools = {};
  #acts = {};
  #colors;
  #widths;

  constructor(drawing) {
    this.#drawing = drawing;
    for (const [name, words, key, path] of TOOLS) this.#tools[name] = tool(words, key, path || pathOf("fermata"), () => this.run(name));
    for (const [name, words, key, path] of ACTS) this.#acts[name] = tool(words, key, path, () => this.run(name));
    this.#colors = INKS.map((_, i) => h("button", { type: "button", class: "tool color", onclick: () => this.#color(i) }, h("span", { class: "swatch" })));
    this.#widths = WIDTHS.map((_, i) => h("button", { type: "button", class: `tool width-${i}`, onclick: () => this.#width(i) }, h("span", { class: "dot" })));
    const { undo, redo, remove, other, only, pass, finger, hand, toggle } = this.#acts;
    for (const act of [only, pass]) act.replaceChildren(h("span", { class: "only" }));
    const group = (label, ...parts) => h("div", { class: "draw-group", role: "toolbar", "aria-label": label }, ...parts);
    this.element = h("section", { class: "draw", "aria-label": "Drawing", hidden: true },
      group("Tools", Object.values(this.#tools), undo, redo), group("Ink", this.#colors, this.#widths, only, pass, remove, other, finger, hand, toggle));
    this.element.addEventListener("click", letGo);
    publishSize(this.element, "--draw-height", "--draw-width");
  }

  show(isShown) {
    this.element.hidden = !isShown;
    if (isShown) document.body.dataset.drawing = toolSide();
    else delete document.body.dataset.drawing;
    this.update();
  }

  get #row() { return TOOLS.find(([name]) => name === this.#drawing.nameOfTool) ?? TOOLS[0]; }
  get #palette() { return this.#row[0] === "highlighter" ? LIGHTS : INKS; }

  #choice(name = this.#row[0]) { return { color: name === "pen" || name === "highlighter" ? 0 : 1, width: 1, ...settings.get("pens")[name] }; }

  /// How the current tool draws: its colour, its width or size in page widths, and the stamp.
  get style() {
    const [name, , , , widths] = this.#row;
    const { color, width } = this.#choice();
    return { color: this.#palette[color][1], width: (widths ?? FINE)[width], stamp: this.#choice("stamp").stamp ?? "fermata", name };
  }

  nameOfColor({ color, kind }) {
    return kind === "eraser" ? null : [...INKS, ...LIGHTS].find(([, each]) => each === color)?.[0].toLowerCase() ?? null;
  }

  #set(change, name = this.#row[0]) {
    settings.put("pens", name, { ...this.#choice(name), ...change });
    this.update();
  }

  #color(i) {
    this.#set({ color: i });
    const { select } = this.#drawing.tools;
    if (this.#drawing.tool === select) select.restyle((mark) => ({ color: (mark.kind === "highlighter" ? LIGHTS : INKS)[i][1] }));
    say(this.#palette[i][0]);
  }

  #width(i) {
    this.#set({ width: i });
    const { select } = this.#drawing.tools;
    if (this.#drawing.tool === select) select.restyle((mark) => widened(mark, i));
  }

  nextColor() { this.#color((this.#choice().color + 1) % INKS.length); }
  nextWidth() {
    if (!this.#pass.isHidden) this.#nextPass();
    else if (this.#row[4]) this.#width((this.#choice().width + 1) % WIDTHS.length);
  }

  /// The pass of the next jump or of the selected one; hidden without either.
  get #pass() {
    const { tool, tools: { jump, select } } = this.#drawing;
    const [mark, second] = tool === select ? select.marks.filter(({ kind }) => kind === "jump") : [];
    return { isHidden: tool !== jump && (!mark || second !== undefined), mark, pass: mark ? mark.pass : jump.pass };
  }

  #nextPass() {
    const { mark, pass } = this.#pass;
    const { jump, select } = this.#drawing.tools;
    if (!mark) jump.nextPass();
    else this.#drawing.edit(select.page, [[mark.id, { ...mark, pass: nextPass(pass) }]]);
    if (mark) say(wordsOf(nextPass(pass)));
    return this.update();
  }

  /// Selects a tool, or runs another button's command.
  run(name) {
    const drawing = this.#drawing;
    const { select } = drawing.tools;
    switch (name) {
      case "undo": return drawing.undo();
      case "redo": return drawing.redo();
      case "toggle": return drawing.toggle();
      case "remove": return select.remove();
      case "other": return this.#showOther();
      case "only": return this.#toggleOnly();
      case "pass": return this.#nextPass();
      case "finger":
        Pointers.isFingerAsked = !Pointers.doFingersDraw;
        say(Pointers.isFingerAsked ? "Fingers draw" : "Fingers move the page");
        return this.update();
      case "hand":
        settings.set("hand", settings.get("hand") === "left" ? "right" : "left");
        return this.show(true);
      default:
        // Choosing the tool again cancels a jump that was begun.
        if (name === "jump" && drawing.tools.jump.escape()) return null;
        drawing.choose(name);
        say(this.#row[1]);
        return name === "stamp" ? openStamps(this.style.stamp, icon, (stamp) => this.#set({ stamp }, "stamp")) : null;
    }
  }

  /// Shows the selected marks only in the page's key, or in every key again. Without a selection, this applies to new marks.
  #toggleOnly() {
    const chords = this.#chords;
    if (!chords) return say("Only on charts that Woodshed draws of words and chords");
    const isOnly = !this.#isOnly;
    if (this.#isChosen) this.#drawing.tools.select.restyle(() => ({ key: isOnly ? chords : undefined }));
    else this.#drawing.isOnly = isOnly;
    say(isOnly ? `Only in ${this.#signs}` : "In every key");
    return this.update();
  }

  get #isChosen() { return this.#drawing.tool === this.#drawing.tools.select && this.#drawing.tools.select.marks.length > 0; }
  get #chords() { return this.#isChosen ? this.#drawing.tools.select.chords : this.#drawing.chords; }
  /// The printed keys as musicians write them.
  get #signs() { return this.#chords.replaceAll("#", "♯").replaceAll("b", "♭"); }
  get #isOnly() { return this.#isChosen ? this.#drawing.tools.select.marks.every((mark) => mark.key) : this.#drawing.isOnly; }

  /// Replaces the shown version of a mark by the hidden one, after two people changed the mark at the same time.
  #showOther() {
    const { select } = this.#drawing.tools;
    const [mark] = select.marks;
    const [other] = mark ? this.#drawing.othersOf(select.chart, mark.id) : [];
    if (other) this.#drawing.edit(select.page, [[mark.id, other]]);
  }

  /// Shows the current choices, and enables the commands that are possible.
  update() {
    if (this.element.hidden) return;
    const drawing = this.#drawing;
    const [name, , , , widths, sizes] = this.#row;
    const { select } = drawing.tools;
    const isSelecting = drawing.tool === select;
    for (const [each, element] of Object.entries(this.#tools)) element.setAttribute("aria-pressed", String(each === name));
    this.#tools.stamp.querySelector("path").setAttribute("d", pathOf(this.#choice("stamp").stamp ?? "fermata"));
    const { color, width } = this.#choice();
    this.#colors.forEach((element, i) => {
      const [words, value] = this.#palette[i];
      element.hidden = !widths || name === "cover";
      Object.entries({ "aria-label": words, title: words, "aria-pressed": String(i === color) }).forEach((each) => element.setAttribute(...each));
      element.firstChild.style.background = value;
    });
    this.#widths.forEach((element, i) => {
      element.hidden = !widths;
      const words = (sizes ?? WIDTHS)[i];
      Object.entries({ "aria-label": words, title: words, "aria-pressed": String(i === width) }).forEach((each) => element.setAttribute(...each));
    });
    this.#acts.undo.disabled = !drawing.canUndo;
    this.#acts.redo.disabled = !drawing.canRedo;
    const words = `Only in ${this.#signs}`;
    const { only } = this.#acts;
    only.hidden = !this.#chords;
    only.firstChild.textContent = this.#signs;
    Object.entries({ "aria-label": words, title: `${words} (u)`, "aria-pressed": String(this.#isOnly) }).forEach((each) => only.setAttribute(...each));
    this.#showPass();
    this.#acts.remove.hidden = !isSelecting || select.marks.length === 0;
    // `remove` replaces `hand` instead of joining it: if a selection made the tools larger, the page would move away under the hand.
    this.#acts.hand.hidden = !this.#acts.remove.hidden;
    this.#acts.other.hidden = !isSelecting || select.marks.length !== 1 || drawing.othersOf(select.chart, select.marks[0].id).length === 0;
    this.#acts.finger.setAttribute("aria-pressed", String(Pointers.doFingersDraw));
  }

  #showPass() {
    const { isHidden, pass } = this.#pass;
    const { pass: act } = this.#acts;
    const words = `For which time the jump is: ${wordsOf(pass)}`;
    act.hidden = isHidden;
    act.firstChild.textContent = pass ? `${pass}.` : "all";
    Object.entries({ "aria-label": words, title: `${words} (w)`, "aria-keyshortcuts": "w" }).forEach((each) => act.setAttribute(...each));
  }
}

/// The fields that make a mark as wide, or as large, as choice number `i`.
function widened(mark, i) {
  if (mark.kind === "text") return { size: TOOLS.find(([name]) => name === "text")[4][i] };
  const [, , , , widths] = TOOLS.find(([name]) => name === ({ highlighter: "highlighter", eraser: "cover" }[mark.kind] ?? "pen"));
  if (isSign(mark) || (mark.stamp && mark.stamp !== "arrow")) return {};
  const ratio = widths[i] / (mark.width || widths[i]);
  return { width: widths[i], points: mark.points.map(([x, y, width]) => (width === undefined ? [x, y] : [x, y, Math.round(width * ratio * 1e5) / 1e5])) };
}
