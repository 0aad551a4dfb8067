// What comes with a plan and not with the page: the panels, and the tools to draw with. Nobody who only looks something up waits for them.
import { h } from "./dom.js";

/// How long (ms) somebody who wants to use something waits for it.
const PATIENCE = 3000;

const PANELS = { coming: "This is on its way …", missing: "This is not in this browser, and Woodshed’s agent does not send it." };

const brought = new Map();
let loading = null;

/// What is loaded calls this: under `name` is what is to be used of it.
export function bring(name, what) { brought.set(name, what); }
export const later = (name) => brought.get(name) ?? null;

export const isLaterHere = () => brought.size > 0;
export const isLaterComing = () => loading !== null;

/// Has it here for when somebody wants it. It is never loaded twice: however late it is, it may still come.
export async function fetchLater() { if (!isLaterHere()) await (loading ??= load().finally(() => { loading = null; })); }

/// The same for somebody who wants it now. Says that it is on its way, or that it did not come in time; returns whether it is here.
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

/// The style comes first: if that is all that comes, nothing looks other than it should, and the next try has both.
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
