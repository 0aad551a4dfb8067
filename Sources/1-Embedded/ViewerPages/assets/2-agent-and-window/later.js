// Loads the panels and the drawing tools with a plan, not with the page: nobody who only looks something up should wait for them.
import { h } from "./dom.js";

/// How long (ms) a musician who wants to use a panel or tool waits for it to load.
const PATIENCE = 3000;

const PANELS = { coming: "This is on its way …", missing: "This is not in this browser, and Woodshed’s agent does not send it." };

const brought = new Map();
let loading = null;

/// Loaded scripts call this with the part of them that others use, under its name.
export function bring(name, what) { brought.set(name, what); }
export const later = (name) => brought.get(name) ?? null;

export const isLaterHere = () => brought.size > 0;
export const isLaterComing = () => loading !== null;

/// Loads the later script before somebody wants it. It is never requested twice, since even a late one may still come.
export async function fetchLater() { if (!isLaterHere()) await (loading ??= load().finally(() => { loading = null; })); }

/// The same when somebody wants it now. Says that it is on its way, or that it did not come in time; returns whether it is here.
export async function reachLater(say, { coming, missing }) {
  if (isLaterHere()) return true;
  say(coming);
  let late = 0;
  const tooLate = new Promise((_, reject) => { late = setTimeout(reject, PATIENCE); });
  try {
    await Promise.race([fetchLater(), tooLate]);
    return true;
  } catch {
    say(missing);
    return false;
  } finally { clearTimeout(late); }
}

/// Shows something from the panels.
export async function usePanels(say, show) { if (await reachLater(say, PANELS)) show(later("panels")); }

/// The style comes first: if the script fails, nothing looks different yet, and the next try has both.
async function load() {
  const [script, style] = document.querySelector('meta[name="woodshed-later"]').content.split(" ").map((name) => `/assets/${name}`);
  await loaded(h("link", { rel: "stylesheet", href: style }));
  await loaded(h("script", { src: script }));
}

function loaded(element) {
  return new Promise((resolve, reject) => {
    element.onload = resolve;
    element.onerror = () => {
      element.remove();
      reject(new Error("not here"));
    };
    document.head.append(element);
  });
}
