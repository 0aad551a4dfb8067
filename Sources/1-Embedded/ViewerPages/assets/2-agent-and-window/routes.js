// Addresses: the address bar names what is shown, so reload and "back" do what people expect.
import { queryOf } from "./api.js";

/// A page of a chart in reading view; `page` counts from 1, in the item's own order.
export const chartAddress = ({ chart, plan, item, page = 1 }) => `/chart/${encodeURIComponent(chart)}?${queryOf({ plan, item, page })}`;

/// Where an item of a plan begins in one of its charts: a song within a book begins at its page.
export const itemAddress = (plan, item, chart) => chartAddress({ chart: chart.id, plan, item: item.id, page: (item.start ?? 0) + 1 });

/// The fragment of a chart's address that opens the song's keys.
export const KEY = "#key";

export const planAddress = (id) => `/plan/${encodeURIComponent(id)}`;

export function parse(location) {
  const parts = location.pathname.split("/").filter(Boolean).map(decoded);
  const where = new URLSearchParams(location.search);
  if (parts.length === 0) return { view: "plans" };
  if (parts.length === 2 && parts[0] === "plan" && parts[1]) return { view: "plan", plan: parts[1] };
  if (parts.length === 2 && parts[0] === "chart" && parts[1]) {
    const page = Number.parseInt(where.get("page") ?? "1", 10);
    return { view: "chart", chart: parts[1], plan: where.get("plan"), item: where.get("item"), page: page >= 1 ? page : 1 };
  }
  return { view: "lost" };
}

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return "";
  }
}

/// Opens one of the viewer's addresses without reloading the page.
export function go(address) {
  history.pushState({ from: location.pathname }, "", address);
  dispatchEvent(new Event("woodshed:route"));
}

/// Goes one level up: with "back" if that leads there, so the browser's own "back" does not go in circles.
export function goUp(address) {
  if (history.state?.from === address) history.back();
  else go(address);
}

/// The scroll position of each view when it was left.
const scrolled = new Map();
const content = document.getElementById("content");
export const leave = (path) => scrolled.set(path, content.scrollTop);
export const comeBack = (path) => content.scrollTo(0, scrolled.get(path) ?? 0);

/// Handles plain clicks on the viewer's own links within this page.
export function followLinks() {
  // Views are filled after they are shown; each restores its own scroll position (`comeBack`).
  history.scrollRestoration = "manual";
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href^='/']");
    if (!link || event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    go(link.getAttribute("href"));
  });
  addEventListener("popstate", () => dispatchEvent(new Event("woodshed:route")));
}
