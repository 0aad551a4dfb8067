// Starts the shell: chooses the view for the address, and is the only place where views are switched.
import { isKept } from "./api.js";
import { beginWith } from "./books.js";
import { connect } from "./events.js";
import "./banner.js";
import { followLinks, leave, parse } from "./routes.js";
import { h } from "./dom.js";
import { holder } from "./plan-holder.js";
import { sheetOfText, toPlans } from "./plan-parts.js";
import { PlansView } from "./plans-view.js";
import { PlanView } from "./plan-view.js";
import { Reader } from "./reader.js";
import { readShelf } from "./shelf.js";

const content = document.getElementById("content");
let view = null;
/// The functions that end the view.
let ends = [];
let path = "";

function makeView(route) {
  switch (route.view) {
    case "plans": return new PlansView();
    case "plan": return new PlanView(route);
    case "chart": return new Reader();
    default: return new LostView();
  }
}

class LostView {
  element = sheetOfText(
    h("h1", { text: "Page not found" }), h("p", { text: "There is nothing at this address; check it for typos." }), toPlans());
  start() {
    document.title = "Woodshed";
    document.body.dataset.state = "lost";
    return [];
  }
}

function route() {
  const next = parse(location);
  const former = path;
  path = location.pathname;
  // From page to page, the reader stays the same view.
  if (next.view === "chart" && view instanceof Reader) {
    view.open(next);
    return;
  }
  const isFirst = !view;
  if (!isFirst) {
    leave(former);
    for (const end of ends) end();
  }
  for (const name of ["page", "position", "half", "chart", "state", "bar", "night"]) delete document.body.dataset[name];
  document.body.dataset.view = next.view;
  view = makeView(next);
  content.replaceChildren(view.element);
  if (!isFirst) content.scrollTo(0, 0);
  ends = view.start(next);
  const takeFocus = () => content.focus({ preventScroll: true });
  if (!isFirst) takeFocus();
  // Focusing the first view before its layout would force one layout for the focus, and another for the content.
  else requestAnimationFrame(() => setTimeout(() => { if (document.activeElement === document.body) takeFocus(); }));
}

followLinks();
// Keys scroll the content only while it has the focus, and the element that had the focus may be gone.
addEventListener("keydown", () => { if (document.activeElement === document.body) content.focus({ preventScroll: true }); }, true);
addEventListener("woodshed:route", route);

function start() {
  route();
  connect(isKept);
}

async function startFromShelf() {
  try {
    const found = await readShelf();
    if (found) {
      beginWith(found.set);
      holder.beginWith(found.set.plan, found.images);
    }
  } catch { /* Data from another version are useless. */ }
  start();
}

// A browser that is too old, but can run this script, shows the message immediately.
const isTooOld = !(window.OffscreenCanvas && window.HTMLDialogElement && window.BroadcastChannel && AbortSignal.timeout);
if (isTooOld) document.querySelector(".late").classList.remove("late");
else if (isKept) startFromShelf();
else start();
