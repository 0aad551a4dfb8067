// Selects the musician's own marks by a tap, by a box around them, or with Tab, and moves, recolours or deletes them.
import { h } from "./dom.js";
import { boundsOf, isNear, isWithin, moved, reach } from "./mark-shape.js";
import { STAMPS } from "./stamps.js";
import { showLive } from "./stroke-tools.js";

/// How far (CSS pixels) from a mark a tap still selects it.
const REACH = 14;
/// A touch that moves less than this (CSS pixels) is a tap.
const SLIP = 4;
/// How far an arrow key moves a mark, in page widths: alone, and with Shift.
const STEP = 0.002;
const LEAP = 0.02;
const NAMES = {
  pen: "Pen stroke", highlighter: "Highlighter", eraser: "White-out", line: "Line", rectangle: "Box", ellipse: "Ellipse", image: "Picture", arrow: "Arrow", jump: "Jump",
  landing: "Where a jump arrives",
};

export class SelectTool {
  ids = new Set();
  #drawing;
  #page = null;
  /// The current gesture: where and on which version of the chart it began, and whether it moves marks or draws a box around them.
  #from = null;
  #shown;
  #isMove = false;
  /// For each page, a list of its marks, laid over the page for keys and screen readers.
  #lists = new Map();
  /// The last mark in a list with the keyboard focus.
  #focused = null;

  constructor(drawing) { this.#drawing = drawing; }

  get isActive() { return this.#drawing.isOpen && this.#drawing.tool === this; }

  /// The selected marks that still exist.
  get marks() { return this.#page ? this.#page.marks.filter((mark) => this.ids.has(mark.id)) : []; }
  get page() { return this.#page; }
  get chart() { return this.#page?.chart ?? null; }
  get chords() { return this.#page?.chords ?? ""; }

  start() { this.changed(); }

  rest() {
    this.select(null, []);
    for (const list of this.#lists.values()) list.remove();
    this.#lists.clear();
  }

  begin(page, { at }, event) {
    const hit = page.marks.findLast((mark) => isNear(mark, at, REACH / page.box.width, page.tall));
    if (!hit) this.select(page, []);
    else if (event?.shiftKey && this.#page === page) this.select(page, [...this.ids, hit.id]);
    else if (!this.ids.has(hit.id)) this.select(page, [hit.id]);
    [this.#from, this.#shown, this.#isMove] = [at, page.madeOn, Boolean(hit)];
  }

  move(page, samples) {
    const { at } = samples.at(-1);
    // A tap that slips a little must not count as an edit of the mark.
    if (this.#isMove && page.previews.size === 0 && Math.hypot(at[0] - this.#from[0], (at[1] - this.#from[1]) * page.tall) * page.box.width < SLIP) return;
    if (this.#isMove) this.#preview(page, at[0] - this.#from[0], at[1] - this.#from[1]);
    else showLive(page, { id: "box", page: page.index, kind: "rectangle", color: "#1f4fbf", width: 0.001, dash: [0.006, 0.004], points: [this.#from, at] });
  }

  end(page) {
    const [changes, box] = [[...page.previews], page.live];
    this.cancel(page);
    if (box) {
      const outer = boundsOf(box, page.tall);
      this.select(page, page.marks.filter((mark) => isWithin(boundsOf(mark, page.tall), outer)).map((mark) => mark.id));
    } else if (changes.length > 0) {
      this.#drawing.edit(page, changes, { shown: this.#shown });
    }
    this.#options(page)?.find((option) => option.getAttribute("aria-selected") === "true")?.focus({ preventScroll: true });
  }

  cancel(page) {
    this.#from = null;
    page.previews.clear();
    showLive(page, null);
    page.refresh();
  }

  #preview(page, ...way) {
    const [across, down] = reach(this.marks, ...way, page.tall);
    for (const mark of this.marks) page.previews.set(mark.id, moved(mark, across, down));
    page.refresh();
    this.changed();
  }

  select(page, ids) {
    if (this.#page === page && ids.length === this.ids.size && ids.every((id) => this.ids.has(id))) return;
    this.#page = page ?? this.#page;
    this.ids = new Set(ids);
    this.changed();
    this.#drawing.panel.update();
  }

  /// Moves the selected marks with an arrow key.
  nudge({ key, shiftKey }) {
    const far = shiftKey ? LEAP : STEP;
    const { tall } = this.#page;
    const way = { ArrowLeft: [-far, 0], ArrowRight: [far, 0], ArrowUp: [0, -far / tall], ArrowDown: [0, far / tall] }[key];
    const [across, down] = reach(this.marks, ...way, tall);
    if (across !== 0 || down !== 0) this.#edit((mark) => moved(mark, across, down));
  }

  restyle(change) { this.#edit((mark) => ({ ...mark, ...change(mark) })); }

  remove() {
    const options = this.#options(this.#page) ?? [];
    const next = options.findIndex((option) => this.ids.has(option.dataset.mark));
    this.#edit(() => null);
    this.ids.clear();
    this.changed();
    const rest = this.#options(this.#page) ?? [];
    (rest[Math.min(next, rest.length - 1)] ?? this.#drawing.stage.element).focus({ preventScroll: true });
  }

  #edit(change) {
    const changes = this.marks.map((mark) => [mark.id, change(mark)]);
    if (changes.length > 0) this.#drawing.edit(this.#page, changes);
  }

  #options(page) { return page && this.#lists.has(page) ? [...this.#lists.get(page).children] : null; }

  /// Updates the lists to the marks on the pages.
  changed() {
    if (!this.isActive) return;
    const { pages } = this.#drawing;
    for (const [page, list] of this.#lists) {
      if (pages.includes(page)) continue;
      list.remove();
      this.#lists.delete(page);
      if (this.#page === page) [this.#page, this.ids] = [null, new Set()];
    }
    for (const page of pages) {
      if (!this.#lists.has(page)) {
        this.#lists.set(page, h("div", { class: "ink-list", role: "listbox", "aria-multiselectable": "true", "aria-label": `Your marks on page ${page.index + 1}` }));
      }
      this.#list(page, this.#lists.get(page));
    }
  }

  #list(page, list) {
    if (list.previousElementSibling !== page.canvas) {
      // If the sheet of a list was removed, the focus in the list was lost, too, and must be given back.
      const isLost = !list.isConnected && document.activeElement === document.body && list.contains(this.#focused);
      const hasFocus = isLost || list.contains(document.activeElement);
      page.canvas.after(list);
      if (hasFocus) this.#focused.focus({ preventScroll: true });
    }
    for (const name of ["transform", "width", "height"]) list.style[name] = page.style[name];
    const marks = page.marks.map((mark) => page.previews.get(mark.id) ?? mark);
    list.hidden = marks.length === 0;
    const known = new Map([...list.children].map((option) => [option.dataset.mark, option]));
    const options = marks.map((mark) => {
      const option = known.get(mark.id) ?? this.#option(page, mark.id);
      const { left, top, right, bottom } = boundsOf(mark, page.tall);
      option.style.inset = [top, 1 - right, 1 - bottom, left].map((share) => `${100 * share}%`).join(" ");
      option.setAttribute("aria-selected", String(this.ids.has(mark.id) && page === this.#page));
      const isTwofold = this.#drawing.othersOf(page.chart, mark.id).length > 0;
      option.classList.toggle("twofold", isTwofold);
      option.setAttribute("aria-label", nameOf(mark, this.#drawing.panel.nameOfColor(mark)) + (mark.key ? `, only in ${mark.key}` : "") + (isTwofold ? ", with another version" : ""));
      return option;
    });
    // Elements of remaining marks are not touched, which keeps the focus in place.
    for (const option of known.values()) if (!options.includes(option)) option.remove();
    options.forEach((option, i) => { if (list.children[i] !== option) list.insertBefore(option, list.children[i] ?? null); });
  }

  #option(page, id) {
    const onfocus = ({ currentTarget }) => {
      this.#focused = currentTarget;
      if (!this.ids.has(id)) this.select(page, [id]);
    };
    return h("div", { role: "option", tabindex: "0", "data-mark": id, onfocus });
  }
}

function nameOf(mark, color) {
  const stamp = STAMPS.find(([name]) => name === mark.stamp)?.[1];
  const what = stamp ?? (mark.kind === "text" ? `Text: ${mark.text}` : NAMES[mark.stamp] ?? NAMES[mark.kind] ?? "Mark");
  return [what, color].filter(Boolean).join(", ");
}
