// A service worker: what a page is loaded from while the agent is away, if this browser has a plan on its shelf (shelf.js). As long as the
// agent answers, everything comes from there, and all but whole pages and their files always does.

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
  if (request.mode === "navigate" && isView) event.respondWith(page(request));
  else if (pathname.startsWith("/assets/")) event.respondWith(kept(request).then((file) => file ?? fetch(request)));
});

const kept = (request) => caches.match(request, { ignoreVary: true });

async function page(request) {
  const end = new AbortController();
  const late = setTimeout(() => end.abort(), LATE);
  try {
    const reply = await fetch(request, { signal: end.signal });
    // It was restarted, and does not know this browser yet.
    return reply.status === 403 ? await kept(SHELL) ?? reply : reply;
  } catch {
    return await kept(SHELL) ?? Response.error();
  } finally { clearTimeout(late); }
}
