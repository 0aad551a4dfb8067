// A plan on this browser's own disk, with all that a page needs to start if it is reloaded while the agent is away. Browsers offer
// this only where nobody can come between them and the agent: on its own computer. service-worker.js is the other half.
import { needsToken } from "./api.js";

const NAME = "woodshed-shelf";
const WORKER = "/assets/service-worker.js";
const SHELL = "/shell";
/// The cache entry of the plan's and its charts' descriptions; not an address of the agent.
const SET = "/shelf";
const IMAGES = "/pages/";

/// Whether this browser offers a shelf.
export const hasShelf = !needsToken && Boolean(window.caches && navigator.serviceWorker);

let isShellHere = false;
/// The plan on the shelf.
let shelved = null;
/// The last call of `put`; calls run one after another. If another window removes an image meanwhile, the next call stores it again.
let last = Promise.resolve();

/// Whether reloading a plan's view, or the list of plans, would work without the agent.
export const isOnShelf = (view, plan) => shelved !== null && (view === "plans" || plan === shelved);

/// Puts a plan on the shelf in place of the previous one: a description, and images by their addresses.
export function putOnShelf(set, images) {
  if (hasShelf) last = last.then(() => put(set, images)).catch(() => null);
  return last;
}

async function put(set, images) {
  const cache = await caches.open(NAME);
  const former = (await cache.keys()).map(pathOf);
  if (!isShellHere) await putShell(cache, former);
  for (const [path, image] of images) if (!former.includes(path)) await cache.put(path, new Response(image));
  await cache.put(SET, new Response(JSON.stringify(set)));
  for (const path of former) if (path.startsWith(IMAGES) && !images.has(path)) await cache.delete(path);
  [shelved] = set.plan;
}

/// Stores the page together with the files that it names: all must be from one version of the program.
async function putShell(cache, former) {
  const reply = await fetch(SHELL);
  if (!reply.ok) throw new Error("the agent gives no page");
  const files = [...(await reply.clone().text()).matchAll(/(?:shell|later)-[0-9a-f]+\.(?:js|css)/g)].map(([name]) => `/assets/${name}`);
  await cache.addAll(files);
  await cache.put(SHELL, reply);
  for (const path of former) if (path.startsWith("/assets/") && !files.includes(path)) await cache.delete(path);
  await navigator.serviceWorker.register(WORKER, { scope: "/" });
  isShellHere = true;
}

/// The shelf's content, `{set, images}`; null if it is empty.
export async function readShelf() {
  const cache = await caches.open(NAME);
  const set = await cache.match(SET).then((reply) => reply?.json());
  if (!set) return null;
  [shelved] = set.plan;
  const requests = (await cache.keys()).filter((request) => pathOf(request).startsWith(IMAGES));
  const image = async (request) => [pathOf(request), await (await cache.match(request)).blob()];
  return { set, images: new Map(await Promise.all(requests.map(image))) };
}

const pathOf = ({ url }) => new URL(url).pathname;
