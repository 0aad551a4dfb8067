// The sheet on screen: canvases in their slots, and the replacement of one sheet by another.
import { cutBetween, nextView, viewsOf } from "./cuts.js";
import { h, leaveFor } from "./dom.js";
import { later } from "./later.js";
import { place } from "./layout.js";
import { settings } from "./settings.js";

/// The most canvases in the wings: three pages ahead, two behind, and one more.
const IN_WINGS = 6;

export class Stage {
  element = h("div", { class: "stage", tabindex: "-1", "aria-label": "Music", role: "group" });
  where = h("div", { class: "where", "aria-hidden": "true", hidden: true });
  /// Hidden pages that may be shown next: without a graphics card, a browser copies a canvas when it first paints it, which takes
  /// longer than the rest of a turn.
  wings = h("div", { class: "wings", "aria-hidden": "true" });
  zoom = 1;
  /// Called whenever the content of the stage, or its position, has changed.
  followers = new Set();
  #sheet = null;
  #over = null;
  #fit = "page";

  constructor() {
    this.element.addEventListener("scroll", () => this.#showWhere(), { passive: true });
  }

  /// The room for music when no controls are shown; decides which pages stand side by side.
  get box() {
    const { clientWidth, clientHeight } = this.element.parentElement ?? this.element;
    return { width: clientWidth || innerWidth, height: clientHeight || innerHeight };
  }

  // The room with scroll bars included: page sizes must not depend on whether a scroll bar is shown.
  get #room() { return { width: this.element.offsetWidth || innerWidth, height: this.element.offsetHeight || innerHeight }; }

  /// The slots for pages of these sizes; with `isAhead`, when the controls are hidden.
  layout(sizes, fit, zoom = this.zoom, isAhead = false) { return place(sizes, isAhead ? this.box : this.#room, fit, zoom, this.box.height); }

  /// Replaces the sheet by these parts in one step: `[{element, label, size, isDark, lean}]`. With `half`, only the upper half of one
  /// page, or the left of two, is replaced. `at` says where the new sheet is scrolled to: its "start", its "end", the view nearest to a
  /// former position, or "keep" for no scrolling in any direction. Sideways it is scrolled to its middle, unless `keepsSide` is true.
  show(parts, { fit, half = null, at = "start", keepsSide = false }) {
    const layout = this.layout(parts.map((part) => part.size), fit);
    const former = this.sheets.flatMap((each) => each.parts);
    const sheet = { element: makeSheet(parts), parts };
    const views = this.#setSheet(sheet, layout);
    this.#fit = fit;
    if (document.activeElement?.closest(".card")) leaveFor(this.element, this.element);
    if (half && this.#sheet) {
      this.#over?.element.remove();
      this.#over = sheet;
      sheet.element.classList.add("over", half);
      if (half === "upper") sheet.element.style.setProperty("--cut", `${100 * this.#cutAbove(sheet)}%`);
      this.element.append(sheet.element);
    } else {
      // The old sheet goes and the new one comes in one task, so no intermediate state is painted.
      this.element.replaceChildren(sheet.element);
      this.#sheet = sheet;
      // An image drawn larger for one place alone will not be shown again, so do not prepare it.
      for (const part of former) if (!part.live) this.prepare(part.element);
      this.#over = null;
    }
    if (at !== "keep") {
      this.element.scrollTop = at > 0 ? views.findLast((top) => top <= at + 4) ?? 0 : views.at(at === "end" ? -1 : 0);
      if (!keepsSide) this.element.scrollLeft = Math.max(0, (layout.width - this.element.clientWidth) / 2);
    }
    this.#namePan(layout);
    for (const follow of this.followers) follow();
  }

  /// Has the browser paint a page before it is shown.
  prepare(page) {
    if (!(page instanceof HTMLCanvasElement) || this.element.contains(page)) return;
    page.className = "";
    this.wings.append(page);
    while (this.wings.childElementCount > IN_WINGS) this.wings.firstElementChild.remove();
  }

  /// The sheets on the stage, from below: `[{element, parts, layout}]`.
  get sheets() { return [this.#sheet, this.#over].filter(Boolean); }

  /// How far down the sheet on top may reach over the one below, as a share of the height.
  #cutAbove(sheet) { return cutBetween(placed(this.#sheet), placed(sheet), sheet.layout.height); }

  /// Lays out the same pages for another window size or zoom. They are stretched until the right images arrive.
  relayout(fit) {
    this.#fit = fit;
    for (const sheet of this.sheets) {
      const layout = this.layout(sheet.parts.map((part) => part.size), fit);
      this.#setSheet(sheet, layout);
      this.#namePan(layout);
    }
    for (const follow of this.followers) follow();
  }

  /// Zooms around the point under the fingers, to between 1 and 6 times the fitted size.
  zoomTo(zoom, x, y) {
    const before = this.zoom;
    const left = this.element.scrollLeft + x;
    const top = this.element.scrollTop + y;
    this.zoom = Math.min(6, Math.max(1, zoom));
    this.relayout(this.#fit);
    const ratio = this.zoom / before;
    this.element.scrollLeft = left * ratio - x;
    this.element.scrollTop = top * ratio - y;
  }

  /// Scrolls a sheet that is larger than the screen to its next or previous view. Returns false if the sheet has no further view in this
  /// direction.
  scroll(direction) {
    if (!this.#sheet || this.element.dataset.pan === "none") return false;
    const { scrollTop, clientHeight } = this.element;
    const { layout } = this.#sheet;
    const all = placed(this.#sheet);
    const isHalf = settings.get("half");
    const next = direction > 0 ? nextView(all, scrollTop, clientHeight, layout.height, isHalf)
      : viewsOf(all, clientHeight, layout.height, isHalf).findLast((top) => top < scrollTop - 4) ?? null;
    if (next === null) return false;
    this.element.scrollTop = next;
    return true;
  }

  /// Where something this large covers neither print nor marks, as `{top, aside}` in pixels from the top of the screen and from its
  /// middle; null if nowhere, or if what looks for it has not been loaded.
  whiteFor(width, height) { return this.#over || !this.#sheet ? null : later("white")?.(this.element, placed(this.#sheet), width, height) ?? null; }

  pan(x, y) {
    this.element.scrollLeft += x;
    this.element.scrollTop += y;
  }

  get isEmpty() { return this.#sheet === null; }

  /// Whether the stage has grey paper that is shown white, or a page that is turned upright.
  get isMended() { return this.#sheet?.parts.some((part) => part.isGrey || part.lean) ?? false; }

  get isPannable() { return this.element.dataset.pan !== "none"; }

  #namePan(layout) {
    const { width, height } = this.#room;
    const wide = layout.width > width + 1;
    const tall = layout.height > height + 1;
    this.element.dataset.pan = wide ? "both" : tall ? "y" : "none";
    this.element.tabIndex = wide || tall ? 0 : -1;
    this.#showWhere();
  }

  /// Puts a sheet's parts in their slots, and leaves room below them so the last view can start with its own first system. Returns
  /// the tops of its views.
  #setSheet(sheet, layout) {
    sheet.layout = layout;
    const { element, parts } = sheet;
    setParts(parts, layout);
    const view = this.element.clientHeight;
    const views = layout.height > view + 1 ? viewsOf(placed(sheet), view, layout.height, settings.get("half")) : [0];
    element.style.width = `${layout.width}px`;
    element.style.height = `${Math.max(layout.height, views.at(-1) + view)}px`;
    return views;
  }

  /// A faint bar at the side that shows which part of the sheet is visible.
  #showWhere() {
    const { scrollTop, clientHeight, scrollHeight } = this.element;
    const isTall = this.element.dataset.pan !== "none" && scrollHeight > clientHeight + 1;
    this.where.hidden = !isTall;
    if (!isTall) return;
    this.where.style.setProperty("--from", scrollTop / scrollHeight);
    this.where.style.setProperty("--share", clientHeight / scrollHeight);
  }
}

/// The parts with their slots.
const placed = ({ parts, layout: { slots } }) => parts.map(({ element, lean, size: { bands } }, i) => ({ element, lean, bands, slot: slots[i] }));

function makeSheet(parts) {
  const element = h("div", { class: "sheet" });
  for (const part of parts) {
    part.element.className = `page ${part.isDark ? (part.isColoured ? "dark coloured" : "dark") : part.isDimmed ? "dimmed" : ""}`;
    if (part.element instanceof HTMLCanvasElement) {
      part.element.setAttribute("role", "img");
      part.element.setAttribute("aria-label", part.label);
    }
    element.append(part.element);
  }
  return element;
}

function setParts(parts, layout) {
  parts.forEach((part, i) => {
    const { whole, ...slot } = layout.slots[i];
    const [left, top] = [slot.x - whole.x, slot.y - whole.y];
    const [right, bottom] = [whole.width - slot.width - left, whole.height - slot.height - top];
    const { element: { style }, lean = 0 } = part;
    style.transform = `translate(${whole.x}px, ${whole.y}px) rotate(${-lean}rad)`;
    style.width = `${whole.width}px`;
    style.height = `${whole.height}px`;
    // The whole page is there, but its margins are clipped.
    style.clipPath = lean ? turnedClip(lean, whole, [left, top, whole.width - right, whole.height - bottom])
      : left + top + right + bottom > 0 ? `inset(${top}px ${right}px ${bottom}px ${left}px)` : "";
  });
}

/// A clip that is upright on the screen, although its page is turned: this rectangle, turned the other way around the page's middle.
function turnedClip(lean, { width, height }, [left, top, right, bottom]) {
  const corners = [[left, top], [right, top], [right, bottom], [left, bottom]];
  return `polygon(${corners.map(([x, y]) => `${x - (y - height / 2) * lean}px ${y + (x - width / 2) * lean}px`)})`;
}
