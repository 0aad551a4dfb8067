// Margins set by hand: a box on the page, in a panel, to be dragged or moved with keys. It holds for all pages of the chart, in this browser.
import { h } from "./dom.js";
import { WHOLE, handBoxOf, hasAllInk, imageOf, partOf } from "./margins.js";
import { openPanel } from "./panel.js";
import { settings } from "./settings.js";

/// The shares of a page's side by which an edge moves with a key, and with Shift.
const STEP = 0.005;
const LEAP = 0.02;
/// A box is at least as large, in shares of the page's sides.
const LEAST = 0.2;
/// So many boxes are kept: the charts that were set last.
const KEPT = 200;

/// For each edge: the one across from it, its keys with their directions, and along which axis it moves.
const EDGES = {
  left: { other: "right", keys: { ArrowLeft: -1, ArrowRight: 1 }, axis: "x" },
  right: { other: "left", keys: { ArrowLeft: -1, ArrowRight: 1 }, axis: "x" },
  top: { other: "bottom", keys: { ArrowUp: -1, ArrowDown: 1 }, axis: "y" },
  bottom: { other: "top", keys: { ArrowUp: -1, ArrowDown: 1 }, axis: "y" },
};
const isFirst = (edge) => edge === "left" || edge === "top";

export function openMarginBox({ shown }) {
  const { chart } = shown;
  const index = chart.order[shown.positions[0] ?? 0];
  const image = imageOf(chart.pages[index]);
  let box = { ...(handBoxOf(chart) ?? partOf(chart, index) ?? WHOLE) };
  const frame = h("div", { class: "margin-box" });
  const cut = h("p", { class: "quiet margin-cut", role: "status" });
  const handles = Object.keys(EDGES).map((edge) => handle(edge));
  const picture = h("img", {
    src: image.src, alt: `Page ${(shown.positions[0] ?? 0) + 1}`, width: image.width, height: image.height, draggable: "false",
  });
  const page = h("div", { class: "margin-page" }, h("div", { class: "margin-sheet" }, picture, frame), handles);

  function handle(edge) {
    const element = h("button", {
      type: "button", class: `margin-edge ${edge}`, role: "slider", "aria-label": `${edge[0].toUpperCase()}${edge.slice(1)} edge`,
      "aria-orientation": EDGES[edge].axis === "x" ? "horizontal" : "vertical", "aria-valuemin": 0, "aria-valuemax": 100,
    });
    element.addEventListener("keydown", (event) => {
      const direction = EDGES[edge].keys[event.key];
      if (!direction) return;
      event.preventDefault();
      move(edge, box[edge] + direction * (event.shiftKey ? LEAP : STEP));
    });
    return element;
  }

  /// Moves an edge as far as the page and the edge across from it allow.
  function move(edge, to) {
    const across = box[EDGES[edge].other];
    box[edge] = isFirst(edge) ? Math.max(0, Math.min(to, across - LEAST)) : Math.min(1, Math.max(to, across + LEAST));
    show();
  }

  function show() {
    const { left, top, right, bottom } = box;
    const percent = (share) => `${100 * share}%`;
    frame.style.inset = [top, 1 - right, 1 - bottom, left].map(percent).join(" ");
    Object.keys(EDGES).forEach((edge, i) => {
      handles[i].style[EDGES[edge].axis === "x" ? "left" : "top"] = percent(box[edge]);
      handles[i].style[EDGES[edge].axis === "x" ? "top" : "left"] = percent(EDGES[edge].axis === "x" ? (top + bottom) / 2 : (left + right) / 2);
      handles[i].setAttribute("aria-valuenow", Math.round(100 * box[edge]));
    });
    cut.textContent = cutWords(chart, box);
  }

  /// The edges that a pointer moves: the one it is on, otherwise the nearest ones of a corner.
  function edgesAt({ x, y }, target) {
    const on = Object.keys(EDGES).find((edge) => target.classList.contains(edge));
    if (on) return [on];
    const nearer = (at, first, last) => (Math.abs(at - box[first]) < Math.abs(at - box[last]) ? first : last);
    return [nearer(x, "left", "right"), nearer(y, "top", "bottom")];
  }

  const shareOf = (event) => {
    const { left, top, width, height } = page.getBoundingClientRect();
    return { x: (event.clientX - left) / width, y: (event.clientY - top) / height };
  };
  /// While a pointer is down: which edges it moves, where it began, and the box as it was then.
  let drag = null;
  page.addEventListener("pointerdown", (event) => {
    if (event.button > 0 || drag) return;
    const from = shareOf(event);
    drag = { edges: edgesAt(from, event.target), from, before: { ...box } };
    page.setPointerCapture(event.pointerId);
  });
  page.addEventListener("pointermove", (event) => {
    if (!drag) return;
    const to = shareOf(event);
    for (const edge of drag.edges) {
      const { axis } = EDGES[edge];
      move(edge, drag.before[edge] + to[axis] - drag.from[axis]);
    }
  });
  for (const end of ["pointerup", "pointercancel"]) page.addEventListener(end, () => { drag = null; });

  const words = "Drag the edges, or choose one with Tab and move it with the arrow keys. This holds for all pages of the chart; "
    + "marks outside are shown all the same.";
  const dialog = openPanel("Margins by hand", { kind: "wide" },
    h("p", { class: "quiet", text: words }),
    page, cut,
    h("div", { class: "row" },
      h("button", { type: "button", class: "button strong", text: "Use these margins", onclick: () => { keep(chart, box); dialog.close(); } }),
      h("button", { type: "button", class: "button", text: "Cancel", onclick: () => dialog.close() })));
  show();
  handles[0].focus();
}

/// Which pages lose printed music outside the box: the others are not in sight when it is set.
function cutWords(chart, box) {
  const pages = chart.order.flatMap((index, position) => (chart.pages[index] && !hasAllInk(chart.pages[index], box) ? [position + 1] : []));
  if (pages.length === 0) return "";
  const names = pages.length > 6 ? `${pages.slice(0, 6).join(", ")} …` : pages.join(", ");
  return `Cuts off something printed on page${pages.length > 1 ? "s" : ""} ${names}.`;
}

function keep(chart, box) {
  const others = Object.entries(settings.get("boxes")).filter(([id]) => id !== chart.id);
  settings.set("boxes", Object.fromEntries([...others.slice(1 - KEPT), [chart.id, { ...box, of: chart.hash }]]));
  if (settings.get("margins") === "printed") settings.set("margins", "page");
}

/// Forgets the box, so that the ink decides again.
export function forgetMarginBox(chart) {
  settings.set("boxes", Object.fromEntries(Object.entries(settings.get("boxes")).filter(([id]) => id !== chart.id)));
}
