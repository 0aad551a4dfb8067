// A service worker: loads a page from the browser's shelf (shelf.js) while the agent is away. While the agent answers, everything
// comes from the agent: the shelf may hold files from another program that had the agent's port.

/// The page for every address, without the parts that only the agent can fill in.
const SHELL = "/shell";
/// How long (ms) to wait for a hanging agent.
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

/// The agent's answer; without one, the stored copy of `instead`.
async function answer(request, instead) {
  const end = new AbortController();
  const late = setTimeout(() => end.abort(), LATE);
  try {
    const reply = await fetch(request, { signal: end.signal });
    // A restarted agent refuses this browser until it has signed in again, so use the stored copy.
    return reply.status === 403 ? await kept(instead) ?? reply : reply;
  } catch {
    return await kept(instead) ?? Response.error();
  } finally { clearTimeout(late); }
}
