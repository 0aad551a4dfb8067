// A page on the stage with its wet ink. A canvas over the page's own canvas shows a copy of the page, and the ink
// that the page's image lacks.
import { beginningOf } from "./api.js";
import { book } from "./books.js";
import { h } from "./dom.js";
import { imageOf } from "./margins.js";
import { paintFinely, paintMark, paintSegments } from "./mark-painter.js";
import { around, boundsOf, meet } from "./mark-shape.js";
import { decode } from "./page-store.js";
import { shareAt } from "./places.js";

/// The edges of a removed mark are soft, so this many pixels around the mark are covered, too.
const SOFT = 1.5;
/// At most this many pixels are painted exactly as the agent draws marks, since exact painting is slow.
const FINE = 4_000_000;

const plain = (key) => key.replace("♯", "#").replace("♭", "b");
const isKey = (key) => typeof key === "string" && /^[A-G][#b]?m?$/.test(plain(key));
/// Whether a mark is shown in this chart's key. A mark whose key cannot be read is shown.
export const isShownIn = ({ chords }, { key }) => !chords?.[0] || !isKey(key) || chords.includes(plain(key));

const scratch = () => document.createElement("canvas").getContext("2d");
const [patch, mask] = [scratch(), scratch()];

function sized(context, width, height) {
  Object.assign(context.canvas, { width, height });
  return context;
}

/// Which states of its own layer's parts a page on the stage shows, as far as the agent has reported them. For a page drawn larger,
/// the states are those of the image that it replaces.
function shownBy({ place, page, src, live, kind }) {
  const known = book.peek(place)?.pages[page];
  return known && !kind && imageOf(known).src === (live ?? src) ? known.shown ?? {} : {};
}

export class InkPage {
  canvas = h("canvas", { class: "ink", "aria-hidden": "true" });
  /// The mark being drawn.
  live = null;
  /// The predicted continuation of the mark being drawn.
  predicted = null;
  /// Marks that are temporarily shown in another form, by id; null hides a mark.
  previews = new Map();
  /// Called when the page's image shows ink that was wet.
  onDry = () => {};
  #context;
  #part = null;
  #plain = null;
  #plainKey = "";
  /// `{marks(), wet, isOnly()}`: the layer's marks, its wet ink, and whether new marks are only for this page's key.
  #ink;

  constructor(chart, index, ink, desynchronized) {
    Object.assign(this, { chart, index });
    this.#ink = ink;
    this.#context = this.canvas.getContext("2d", { alpha: false, desynchronized });
  }

  get tall() { return this.canvas.height / this.canvas.width; }
  get marks() { return this.#ink.marks(this.index).filter((mark) => mark.kind !== "bookmark" && this.shows(mark)); }
  /// What marks say that are made on the version of the chart that is shown; undefined while none is.
  get madeOn() { return this.#part && beginningOf(this.#part.chart); }
  /// The printed key of the page's chords; undefined if unknown.
  get chords() { return this.#part?.chart.chords?.[0]; }
  /// The only key in which new marks are shown; undefined for all keys.
  get key() { return this.#ink.isOnly() ? this.chords : undefined; }
  /// Where the page is on the screen. If it is turned upright, this is its box before the turn around its middle.
  get box() {
    const { left, top, width: across, height: down } = this.canvas.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = this.canvas;
    return { left: left + (across - width) / 2, top: top + (down - height) / 2, width, height };
  }
  get style() { return this.canvas.style; }
  get sheet() { return this.canvas.parentElement; }

  /// The place that the reading view opens to return to this page.
  get where() { return this.#part && { ...this.#part.place, position: this.#part.position, half: null }; }

  /// The position of an event, in shares of the page.
  placeOf(event, box = this.box) { return shareAt(event, box, this.#part?.lean); }

  /// The position of a place on the page, in pixels of its sheet.
  pointAt([x, y]) {
    const { offsetWidth: width, offsetHeight: height } = this.canvas;
    const at = new DOMMatrix(this.style.transform).transformPoint({ x: (x - 0.5) * width, y: (y - 0.5) * height });
    return { x: at.x + width / 2, y: at.y + height / 2 };
  }

  /// Puts the canvas over a part of a sheet.
  put(part) {
    const isNew = this.#part?.element !== part.element;
    this.#part = part;
    const { element } = part;
    if (this.canvas.previousElementSibling !== element) element.after(this.canvas);
    this.canvas.className = element.className.replace("page", "ink");
    for (const name of ["transform", "width", "height", "clipPath"]) this.style[name] = element.style[name];
    if (isNew) {
      [this.canvas.width, this.canvas.height] = [element.width, element.height];
      this.#fetchPlain();
      this.refresh();
    }
    this.dry();
  }

  remove() { this.canvas.remove(); }

  /// Fetches the page without marks, to cover removed marks with it.
  #fetchPlain() {
    const { chart, page, src, isKept, element: { width, height } } = this.#part;
    const { plain } = chart.pages[page];
    const key = `${plain.src} ${width} ${height}`;
    if (src === plain.src) [this.#plain, this.#plainKey] = [this.#part.element, key];
    if (key === this.#plainKey) return;
    [this.#plain, this.#plainKey] = [null, key];
    decode({ src: plain.src, width, height, cache: "default", isKept }, ({ bitmap }) => {
      if (key !== this.#plainKey) return bitmap?.close();
      this.#plain = bitmap ?? null;
      if (!bitmap) this.#plainKey = "";
      return this.refresh();
    });
  }

  /// Forgets wet ink that the page's image now shows.
  dry() {
    if (!this.#part || !this.#ink.wet.dry(this.index, shownBy(this.#part))) return;
    this.refresh();
    this.onDry();
  }

  /// A box in whole pixels, clipped to the page; null if it lies outside.
  #pixels({ left, top, right, bottom }, more = 2) {
    const { width, height } = this.canvas;
    const [x, y] = [Math.max(0, Math.floor(left * width - more)), Math.max(0, Math.floor(top * height - more))];
    const [toX, toY] = [Math.min(width, Math.ceil(right * width + more)), Math.min(height, Math.ceil(bottom * height + more))];
    return toX > x && toY > y ? { x, y, width: toX - x, height: toY - y } : null;
  }

  /// The pixels of a box that a mark's ink may reach, with a small margin; null if there are none. Letters may extend
  /// beyond the box of their text.
  #inkWithin(box, mark) {
    const ink = this.#pixels(boundsOf(mark, this.tall), mark.kind === "text" ? 2 + mark.size * this.canvas.width / 4 : 2);
    if (!ink) return null;
    const [x, y] = [Math.max(ink.x, box.x - 4), Math.max(ink.y, box.y - 4)];
    const [toX, toY] = [Math.min(ink.x + ink.width, box.x + box.width + 4), Math.min(ink.y + ink.height, box.y + box.height + 4)];
    return toX > x && toY > y ? { x, y, width: toX - x, height: toY - y } : null;
  }

  shows(mark) { return !this.#part || isShownIn(this.#part.chart, mark); }

  /// The marks that differ from the image: wet ink, and previews.
  #changes() {
    const here = (mark) => (mark && this.shows(mark) ? mark : null);
    const changes = new Map(this.#ink.wet.on(this.index).map(({ id, former, mark }) => [id, { id, former: here(former), mark: here(mark) }]));
    for (const [id, mark] of this.previews) changes.set(id, { id, mark, former: this.#ink.wet.formerOf(id) });
    if (this.live) changes.delete(this.live.id);
    return [...changes.values()];
  }

  /// Repaints the present and former places of marks with these ids, except the mark being drawn.
  refreshChanged(ids, before) {
    const changed = this.#changes().filter((change) => ids.includes(change.id)).flatMap(({ former, mark }) => [former, mark]).filter(Boolean);
    const marks = [...changed, ...before.filter((mark) => mark.page === this.index && mark.id !== this.live?.id)];
    if (marks.length > 0) this.refresh(around(marks.map((mark) => boundsOf(mark, this.tall))));
  }

  /// Repaints a part of the page, given in shares of it; by default the whole page.
  refresh(part = { left: 0, top: 0, right: 1, bottom: 1 }) {
    const box = this.#part && this.#pixels(part);
    if (!box) return;
    const context = this.#context;
    const { width, height } = this.canvas;
    context.save();
    context.beginPath();
    context.rect(box.x, box.y, box.width, box.height);
    context.clip();
    context.drawImage(this.#part.element, box.x, box.y, box.width, box.height, box.x, box.y, box.width, box.height);
    const changes = this.#changes();
    const isHere = (mark) => mark && meet(boundsOf(mark, this.tall), part);
    const gone = changes.map((change) => change.former).filter(isHere);
    if (gone.length > 0 && this.#plain) {
      const changed = new Set(changes.map((change) => change.id));
      this.#cover(gone, this.marks.filter((mark) => !changed.has(mark.id) && isHere(mark)), box);
    }
    // In night mode, inversion alone would spoil colours, so the canvas gets the style for pages with colours.
    const isColoured = [this.live, ...changes.map((change) => change.mark)].some((mark) => mark?.color && mark.color !== "#000000");
    this.canvas.classList.toggle("coloured", Boolean(this.#part.isColoured) || isColoured);
    const marks = changes.map((change) => change.mark).filter(isHere).sort((a, b) => ((a.created_at ?? "") < (b.created_at ?? "") ? -1 : 1));
    // Fine painting is too slow while the hand is on the page.
    let fine = this.live || this.previews.size > 0 ? 0 : FINE;
    for (const mark of marks) {
      const ink = this.#inkWithin(box, mark);
      if (ink) fine -= paintFinely(context, mark, width, height, ink, fine);
    }
    if (this.live) paintMark(context, this.live, width, height, { within: part });
    if (this.live && this.predicted) paintMark(context, this.predicted, width, height);
    context.restore();
  }

  /// Covers marks that the image still shows with the bare page and the layer's other marks.
  #cover(gone, others, { x, y, width: w, height: h }) {
    const { width, height } = this.canvas;
    sized(mask, w, h).translate(-x, -y);
    for (const mark of gone) paintMark(mask, { ...mark, color: "#000000" }, width, height, { grow: 2 * SOFT });
    sized(patch, w, h).drawImage(this.#plain, x, y, w, h, 0, 0, w, h);
    patch.translate(-x, -y);
    for (const mark of others) paintMark(patch, mark, width, height);
    patch.globalCompositeOperation = "destination-in";
    patch.drawImage(mask.canvas, x, y);
    this.#context.drawImage(patch.canvas, x, y);
  }

  /// Repaints the places of these marks, and shows the predicted ink if there is any.
  refreshWith(former, mark, predicted = null) {
    this.predicted = predicted;
    if (predicted) {
      // Predicted ink is shown for one frame, whether or not the movement continues.
      requestAnimationFrame(() => requestAnimationFrame(() => { if (this.predicted === predicted) this.refreshWith(predicted, null); }));
    }
    const marks = [former, mark].filter(Boolean);
    if (marks.length > 0) this.refresh(around(marks.map((each) => boundsOf(each, this.tall))));
  }

  /// Paints the new part of a stroke, from this point on. A pen's lines are opaque, so nothing else needs repainting.
  extend(from) { paintSegments(this.#context, this.live, this.canvas.width, this.canvas.height, from); }
}
