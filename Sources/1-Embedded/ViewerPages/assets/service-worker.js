// A service worker: what a page is loaded from while the agent is away, if this browser has a plan on its shelf (shelf.js). As long as the
// agent answers, everything comes from there: what somebody else put on the shelf, while they had the agent's port, is not believed.

/// The page for every address, without anything that only the agent gives.
const SHELL = "/shell";
/// How long (ms) an agent may take that hangs.
const LATE = 3000;

addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin) return;
  const isView = pathname === "/" || /^\/(plan|chart)\//.test(pathname);
  if (request.mode === "navigate" && isView) event.respondWith(answer(request, SHELL));
  else if (pathname.startsWith("/assets/")) event.respondWith(answer(request, request));
});

const kept = (request) => caches.match(request, { ignoreVary: true });

/// What the agent gives; or what is kept instead, if it gives nothing.
async function answer(request, instead) {
  const end = new AbortController();
  const late = setTimeout(() => end.abort(), LATE);
  try {
    const reply = await fetch(request, { signal: end.signal });
    // It was restarted, and does not know this browser yet.
    return reply.status === 403 ? await kept(instead) ?? reply : reply;
  } catch {
    return await kept(instead) ?? Response.error();
  } finally { clearTimeout(late); }
}
