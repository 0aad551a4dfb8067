// Loads the panels and the drawing tools when a plan is opened, not with the page: looking something up must not wait for them.
import { h } from "./dom.js";

/// How long (ms) a musician waits for a panel or tool that is still loading.
const PATIENCE = 3000;

const PANELS = { coming: "This is on its way …", missing: "This is not in this browser, and Woodshed’s agent does not send it." };

const brought = new Map();
let loading = null;

/// Called by modules of the later script, to offer something to other files under a name; `later` returns what was offered.
export function bring(name, what) { brought.set(name, what); }
export const later = (name) => brought.get(name) ?? null;

export const isLaterHere = () => brought.size > 0;
export const isLaterComing = () => loading !== null;

/// Loads the later script before anybody needs it. It is never requested twice, since even a slow one may still arrive.
export async function fetchLater() { if (!isLaterHere()) await (loading ??= load().finally(() => { loading = null; })); }

/// Loads the later script when somebody needs it now. Passes `coming` to `say` while the script loads, and `missing` if loading fails or
/// takes too long. Returns whether the script has loaded.
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

/// Calls `show` with what the panels offer once they have loaded; `say` gets the messages, as in `reachLater`.
export async function usePanels(say, show) { if (await reachLater(say, PANELS)) show(later("panels")); }

/// The style loads first: if the script then fails, nothing looks different, and the next try loads both.
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
