// The agent's answers, and what went wrong, in words.

const metaIn = (page, name) => page.querySelector(`meta[name="woodshed-${name}"]`)?.content;
let token = metaIn(document, "token");
/// Proves after a restart that the agent before it let this page in; it is never sent.
let pass = metaIn(document, "pass");

/// A request that the agent refused; `status` 0 means that the agent does not answer.
export class Refusal extends Error {
  constructor(status, reason = null) {
    super((status >= 500 && reason) || sentence(status));
    this.status = status;
  }
}

/// How long (ms) an answer may take: what is only told matters for a moment, and nobody should wait long for the rest.
const TOLD = 3000;
const ASKED = 15_000;

/// Called with true when the agent did not answer in time, and with false when it answered.
let silence = () => {};
export function onSilence(listener) {
  silence = listener;
}

function sentence(status) {
  switch (status) {
    case 0: return "Woodshed’s agent does not answer.";
    case 401:
    case 403: return "This browser is no longer signed in. Run “woodshed open” in a terminal, or start Woodshed from the menu.";
    case 404: return "Woodshed has no such page.";
    case 410: return "This has changed in the meantime.";
    default: return `Woodshed’s agent could not answer (${status}).`;
  }
}

async function ask(path, { patience = ASKED, ...options } = {}) {
  let reply;
  try {
    reply = await fetch(path, { cache: "no-store", signal: AbortSignal.timeout(patience), ...options });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    if (error.name === "TimeoutError") silence(true);
    throw new Refusal(0);
  }
  silence(false);
  if (!reply.ok) throw new Refusal(reply.status, await reasonOf(reply));
  try {
    return await reply.json();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    return null;
  }
}

/// Why there is no answer, in the agent's words.
const reasonOf = (reply) => reply.json().then(({ error }) => error, () => null);

const send = (path, body, patience) => ask(path, {
  method: "POST",
  patience,
  headers: { "Content-Type": "application/json", "X-Woodshed-Token": token },
  body: JSON.stringify(body),
});

async function post(path, body, patience = ASKED) {
  const sent = token;
  try {
    return await send(path, body, patience);
  } catch (error) {
    if (error.status !== 403 || !(await renewToken(sent))) throw error;
    return send(path, body, patience);
  }
}

/// A page outlives the agent that let its browser in; once the browser is let in again, its token differs from `sent`.
async function renewToken(sent) {
  // Several requests may be refused at once; the first of them gets the new token for all.
  if (token !== sent) return true;
  const reply = await fetch("/", { cache: "no-store" }).catch(() => null);
  if (!reply?.ok) return false;
  const page = new DOMParser().parseFromString(await reply.text(), "text/html");
  const fresh = metaIn(page, "token");
  if (!fresh || fresh === sent) return false;
  token = fresh;
  pass = metaIn(page, "pass");
  return true;
}

/// Comes back to an agent that was restarted: it asks for something that follows from the pass, and lets this browser in again. Only where
/// browsers can compute that, which is on this computer.
async function comeBack() {
  if (!pass || !crypto.subtle) return false;
  try {
    const { question } = await ask("/api/return");
    const key = await crypto.subtle.importKey("raw", utf8(pass), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
    const code = new Uint8Array(await crypto.subtle.sign("HMAC", key, utf8(`${question} ${location.port}`)));
    const answer = [...code].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    const fresh = await ask("/api/return", {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ question, answer }),
    });
    token = fresh.token;
    pass = fresh.pass;
    return true;
  } catch {
    return false;
  }
}

const utf8 = (text) => new TextEncoder().encode(text);

/// For requests whose failure does not matter: the next event or page turn makes up for it.
const tell = (path, body) => post(path, body, TOLD).catch(() => null);

/// What page is on screen: only the latest matters, so it waits for the answer to the one before. A browser has few connections, and an
/// agent that hangs must not take them all.
let telling = null;
let untold = null;
async function select(place) {
  untold = place;
  while (!telling && untold) {
    telling = untold;
    untold = null;
    await tell("/api/select", telling);
    telling = null;
  }
}

const part = encodeURIComponent;

export const api = {
  state: () => ask("/api/state"),
  /// Whether the agent answers at all.
  isThere: () => ask("/api/state", { patience: 1500 }).then(() => true, (error) => error.status !== 0),
  /// Whether the agent answers, but does not know this browser.
  isStranger: () => ask("/api/state").then(() => false, (error) => error.status === 401 || error.status === 403),
  comeBack,
  plan: (id) => ask(`/api/plan/${part(id)}`),
  chart({ chart, plan, item }) {
    const where = new URLSearchParams();
    if (plan) where.set("plan", plan);
    if (item) where.set("item", item);
    return ask(`/api/chart/${part(chart)}?${where}`);
  },
  showLayer: (chart, layer, visible) => post("/api/layers", { chart, layer, visible }),
  look: (plan) => tell("/api/look", { plan }),
  select,
  seen: (plan) => tell("/api/seen", { plan }),
  sync: () => post("/api/sync", {}),
  /// The image at this address arrived, but cannot be decoded.
  damaged: (page) => tell("/api/damaged", { page }),
};

/// The address of a page drawn larger than its image in the cache, for as long as the chart's bytes are the ones given here.
export function liveAddress(chart, page, isMarked, long) {
  return `/live/${part(chart.id)}/${page}?of=${folderOf(chart)}&marked=${isMarked ? 1 : 0}&long=${long}`;
}

/// The name of a chart's bytes in the addresses of its pages.
const folderOf = (chart) => chart.hash.slice(0, 32);

/// Whether an image was made from this chart's bytes.
export const isOf = (chart, image) => image.src.startsWith(`/pages/${folderOf(chart)}/`);
