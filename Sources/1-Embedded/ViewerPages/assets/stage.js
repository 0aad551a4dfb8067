// The sheet on screen: canvases in their slots, and how one sheet replaces another.
import { cutBetween } from "./half-cut.js";
import { h } from "./dom.js";
import { place, scrollStep } from "./layout.js";

export class Stage {
  element = h("div", { class: "stage", tabindex: "-1", "aria-label": "Music", role: "group" });
  zoom = 1;
  #sheet = null;
  #over = null;
  #fit = "page";

  get box() { return { width: this.element.clientWidth || innerWidth, height: this.element.clientHeight || innerHeight }; }

  // Whether scroll bars overlay or not, a page's size must not depend on whether one is there.
  get boxWithoutBars() { return { width: this.element.offsetWidth || innerWidth, height: this.element.offsetHeight || innerHeight }; }

  layout(sizes, fit, zoom = this.zoom) { return place(sizes, this.boxWithoutBars, fit, zoom); }

  /// Replaces what is shown by these parts at once: `[{element, label, size, isDark}]`. With `half`, only the upper half of one page or the
  /// left of two is replaced. The new sheet is seen from its start or its end, and across from its middle, or where the last one was seen
  /// (`keepsSide`); with `at: "keep"`, altogether from where the last one was seen.
  show(parts, { fit, half = null, at = "start", keepsSide = false }) {
    const layout = this.layout(parts.map((part) => part.size), fit);
    const sheet = makeSheet(parts, layout);
    this.#fit = fit;
    if (half && this.#sheet) {
      this.#over?.element.remove();
      this.#over = { element: sheet, parts };
      sheet.classList.add("over", half);
      if (half === "upper") sheet.style.setProperty("--cut", `${100 * this.#cutAbove(parts, layout)}%`);
      this.element.append(sheet);
    } else {
      // The new sheet comes and the old one goes within one task, so nothing in between is painted.
      this.element.replaceChildren(sheet);
      this.#sheet = { element: sheet, parts };
      this.#over = null;
    }
    if (at !== "keep") {
      this.element.scrollTop = at === "end" ? layout.height : 0;
      if (!keepsSide) this.element.scrollLeft = Math.max(0, (layout.width - this.element.clientWidth) / 2);
    }
    this.#namePan(layout);
  }

  /// How far down the sheet that comes above the one shown may reach.
  #cutAbove(parts, layout) {
    const below = this.#sheet.parts;
    const pages = [[below, this.layout(below.map((part) => part.size), this.#fit)], [parts, layout]];
    const [kept, coming] = pages.map(([[part], { slots }]) => ({ element: part.element, slot: slots[0] }));
    return cutBetween(kept, coming, layout.height);
  }

  /// The same pages at another size (window, zoom): they are stretched until the right images come.
  relayout(fit) {
    this.#fit = fit;
    for (const sheet of [this.#sheet, this.#over].filter(Boolean)) {
      const layout = this.layout(sheet.parts.map((part) => part.size), fit);
      setSheet(sheet, layout);
      this.#namePan(layout);
    }
  }

  /// Zooms so that the point under the fingers stays where it is.
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

  /// Scrolls a sheet that is taller than the view; false if it is at its end.
  scroll(direction) {
    const { scrollTop, clientHeight, scrollHeight } = this.element;
    const step = scrollStep(scrollTop, clientHeight, scrollHeight, direction);
    if (step === 0) return false;
    this.element.scrollTop = scrollTop + step;
    return true;
  }

  pan(x, y) {
    this.element.scrollLeft += x;
    this.element.scrollTop += y;
  }

  get isEmpty() { return this.#sheet === null; }

  get isPannable() { return this.element.dataset.pan !== "none"; }

  #namePan(layout) {
    const { width, height } = this.boxWithoutBars;
    const wide = layout.width > width + 1;
    const tall = layout.height > height + 1;
    this.element.dataset.pan = wide ? "both" : tall ? "y" : "none";
  }
}

function makeSheet(parts, layout) {
  const element = h("div", { class: "sheet" });
  for (const part of parts) {
    part.element.className = `page ${part.isDark ? (part.isColoured ? "dark coloured" : "dark") : part.isDimmed ? "dimmed" : ""}`;
    if (part.element instanceof HTMLCanvasElement) {
      part.element.setAttribute("role", "img");
      part.element.setAttribute("aria-label", part.label);
    }
    element.append(part.element);
  }
  setSheet({ element, parts }, layout);
  return element;
}

function setSheet({ element, parts }, layout) {
  element.style.width = `${layout.width}px`;
  element.style.height = `${layout.height}px`;
  parts.forEach((part, i) => {
    const { whole, ...slot } = layout.slots[i];
    const [left, top] = [slot.x - whole.x, slot.y - whole.y];
    const [right, bottom] = [whole.width - slot.width - left, whole.height - slot.height - top];
    const { style } = part.element;
    style.transform = `translate(${whole.x}px, ${whole.y}px)`;
    style.width = `${whole.width}px`;
    style.height = `${whole.height}px`;
    // The page is all there; its margins are not painted.
    style.clipPath = left + top + right + bottom > 0 ? `inset(${top}px ${right}px ${bottom}px ${left}px)` : "";
  });
}
