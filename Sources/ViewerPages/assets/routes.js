// Addresses: what is shown is in the address bar, so that a reload and "back" do what one expects.

/// A page of a chart in reading view; `page` counts from 1, in the item's own order.
export function chartAddress({ chart, plan, item, page = 1 }) {
  const where = new URLSearchParams();
  if (plan) where.set("plan", plan);
  if (item) where.set("item", item);
  where.set("page", page);
  return `/chart/${encodeURIComponent(chart)}?${where}`;
}

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

/// Goes to an address of ours without loading anew.
export function go(address) {
  history.pushState({ from: location.pathname }, "", address);
  dispatchEvent(new Event("woodshed:route"));
}

/// Up to where one came from: "back" if that is it, so that the browser's own "back" does not lead in circles.
export function goUp(address) {
  if (history.state?.from === address) history.back();
  else go(address);
}

/// Where each view was scrolled to when it was left.
const scrolled = new Map();
export const leave = (path) => scrolled.set(path, scrollY);
export const comeBack = (path) => scrollTo(0, scrolled.get(path) ?? 0);

/// A click with no modifier on a link of ours stays in the page.
export function followLinks() {
  // Views are filled after they are shown; each restores its own place (`comeBack`).
  history.scrollRestoration = "manual";
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href^='/']");
    if (!link || event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    go(link.getAttribute("href"));
  });
  addEventListener("popstate", () => dispatchEvent(new Event("woodshed:route")));
}
