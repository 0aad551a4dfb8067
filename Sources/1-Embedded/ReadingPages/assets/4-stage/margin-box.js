// Margins set by hand, with a box on the page that is dragged or moved with keys. They hold for all pages of the chart, in this browser.
import { button, h, openPanel } from "./dom.js";
import { WHOLE, handBoxOf, imageOf, leanOf, partOf, sharesOf } from "./margins.js";
import { settings } from "./settings.js";

/// How far an arrow key moves an edge, in shares of the page's side: alone, and with Shift.
const STEP = 0.005;
const LEAP = 0.02;
/// The least width and height of a box, in shares of the page's sides.
const LEAST = 0.2;
/// For how many charts a box is kept: those whose boxes were set last.
const KEPT = 200;

const HORIZONTAL = { axis: "x", at: "left", across: "top", orientation: "horizontal", keys: { ArrowLeft: -1, ArrowRight: 1 } };
const VERTICAL = { axis: "y", at: "top", across: "left", orientation: "vertical", keys: { ArrowUp: -1, ArrowDown: 1 } };
/// For each edge: the opposite edge, and the direction in which it moves.
const EDGES = {
  left: { other: "right", isFirst: true, ...HORIZONTAL }, right: { other: "left", isFirst: false, ...HORIZONTAL },
  top: { other: "bottom", isFirst: true, ...VERTICAL }, bottom: { other: "top", isFirst: false, ...VERTICAL },
};

const percent = (share) => `${100 * share}%`;

export function openMarginBox({ chart, positions }) {
  const editor = new MarginBox(chart, positions[0] ?? 0);
  const words = "Drag the edges, or choose one with Tab and move it with the arrow keys. This holds for all pages of the chart; "
    + "marks outside are shown all the same.";
  const use = () => {
    settings.put("boxes", chart.id, { ...editor.box, of: chart.hash }, KEPT);
    if (settings.get("margins") === "printed") settings.set("margins", "page");
    dialog.close();
  };
  const row = h("div", { class: "row" }, button("Use these margins", use, "strong"), button("Cancel", () => dialog.close()));
  const dialog = openPanel("Margins by hand", "wide", h("p", { class: "quiet", text: words }), editor.page, editor.cut, row);
  editor.show();
  editor.handles.left.focus();
}

class MarginBox {
  cut = h("p", { class: "quiet margin-cut", role: "status" });
  #chart;
  #frame = h("div", { class: "margin-box" });
  /// While a pointer is down: the edges that it moves, where it started, and the box at that time.
  #drag = null;

  constructor(chart, position) {
    this.#chart = chart;
    const index = chart.order[position];
    const { src, width, height } = imageOf(chart.pages[index]);
    this.box = { ...(handBoxOf(chart) ?? partOf(chart, index) ?? WHOLE) };
    this.handles = Object.fromEntries(Object.keys(EDGES).map((edge) => [edge, this.#handle(edge)]));
    const picture = h("img", { src, alt: `Page ${position + 1}`, width, height, draggable: "false" });
    picture.style.transform = `rotate(${-leanOf(chart, chart.pages[index])}rad)`;
    this.page = h("div", {
      class: "margin-page", onpointerdown: (event) => this.#grab(event), onpointermove: (event) => this.#follow(event),
      onpointerup: () => { this.#drag = null; }, onpointercancel: () => { this.#drag = null; },
    }, h("div", { class: "margin-sheet" }, picture, this.#frame), Object.values(this.handles));
  }

  #handle(edge) {
    const { keys, orientation } = EDGES[edge];
    return h("button", {
      type: "button", class: `margin-edge ${edge}`, role: "slider", "aria-label": `${edge[0].toUpperCase()}${edge.slice(1)} edge`,
      "aria-orientation": orientation, "aria-valuemin": 0, "aria-valuemax": 100,
      onkeydown: (event) => {
        if (!keys[event.key]) return;
        event.preventDefault();
        this.#move(edge, this.box[edge] + keys[event.key] * (event.shiftKey ? LEAP : STEP));
      },
    });
  }

  /// Moves an edge as far as the page and the opposite edge allow.
  #move(edge, to) {
    const { other, isFirst } = EDGES[edge];
    const across = this.box[other];
    this.box[edge] = isFirst ? Math.max(0, Math.min(to, across - LEAST)) : Math.min(1, Math.max(to, across + LEAST));
    this.show();
  }

  show() {
    const { left, top, right, bottom } = this.box;
    this.#frame.style.inset = [top, 1 - right, 1 - bottom, left].map(percent).join(" ");
    for (const [edge, handle] of Object.entries(this.handles)) {
      const { at, across, axis } = EDGES[edge];
      handle.style[at] = percent(this.box[edge]);
      handle.style[across] = percent(axis === "x" ? (top + bottom) / 2 : (left + right) / 2);
      handle.setAttribute("aria-valuenow", Math.round(100 * this.box[edge]));
    }
    this.cut.textContent = cutWords(this.#chart, this.box);
  }

  #shareOf(event) {
    const { left, top, width, height } = this.page.getBoundingClientRect();
    return { x: (event.clientX - left) / width, y: (event.clientY - top) / height };
  }

  #grab(event) {
    if (event.button > 0 || this.#drag) return;
    const from = this.#shareOf(event);
    this.#drag = { edges: this.#edgesAt(from, event.target), from, before: { ...this.box } };
    this.page.setPointerCapture(event.pointerId);
  }

  #follow(event) {
    if (!this.#drag) return;
    const { edges, from, before } = this.#drag;
    const to = this.#shareOf(event);
    for (const edge of edges) this.#move(edge, before[edge] + to[EDGES[edge].axis] - from[EDGES[edge].axis]);
  }

  /// The edges that a pointer moves: the edge under it, otherwise both edges of the nearest corner.
  #edgesAt({ x, y }, target) {
    const on = Object.keys(EDGES).find((edge) => target.classList.contains(edge));
    if (on) return [on];
    const nearer = (at, first, last) => (Math.abs(at - this.box[first]) < Math.abs(at - this.box[last]) ? first : last);
    return [nearer(x, "left", "right"), nearer(y, "top", "bottom")];
  }
}

/// Whether a part of a page includes all of its printed ink; true if the ink's position is unknown.
function hasAllInk(page, box) {
  const ink = sharesOf(page.plain?.ink);
  return !ink || (box.left <= ink.left && box.top <= ink.top && box.right >= ink.right && box.bottom >= ink.bottom);
}

/// A warning with the pages that lose printed music outside the box: only one page is visible while the box is set.
function cutWords(chart, box) {
  const pages = chart.order.flatMap((index, position) => (chart.pages[index] && !hasAllInk(chart.pages[index], box) ? [position + 1] : []));
  if (pages.length === 0) return "";
  const names = pages.length > 6 ? `${pages.slice(0, 6).join(", ")} …` : pages.join(", ");
  return `Cuts off something printed on page${pages.length > 1 ? "s" : ""} ${names}.`;
}

