// Requests to the agent, and sentences for its refusals.
import { store, stored } from "./storage.js";

/// Whether this browser needs the token, like a tablet. On the agent's own computer, `woodshed open` signs browsers in instead.
export const needsToken = !/^(127\.0\.0\.1|localhost|.*\.localhost)$/.test(location.hostname);
const WAY_IN = needsToken ? "Choose “Sign in” at the lower edge." : "Run “woodshed open” in a terminal, or start Woodshed from the menu.";

const metaIn = (page, name) => page.querySelector(`meta[name="woodshed-${name}"]`)?.content;
/// The name under which a tablet stores the token. It sends the token in addition to its cookie, because a browser sends its cookie to
/// every port of this address.
const KEPT = "woodshed-token";
/// The token from the address, until the agent has accepted it: a link with a false token may come from anybody.
let brought = needsToken ? takeFromAddress() : null;
let token = needsToken ? brought ?? stored(KEPT) : metaIn(document, "token");
/// Whether this page came from the browser's shelf instead of the agent.
export const isKept = !needsToken && !token;
/// Whether this browser may change anything. A guest's browser may not, and offers no changes.
export const mayChange = metaIn(document, "rights") !== "look";
/// The pass with which this page proves to a restarted agent that the former agent signed it in; the pass itself is never sent.
let pass = metaIn(document, "pass");

/// Takes the token out of the address of a sign-in link, where everybody can read it.
function takeFromAddress() {
  const [, found] = /^#token=([0-9a-f]+)$/.exec(location.hash) ?? [];
  if (found) history.replaceState(history.state, "", location.pathname + location.search);
  return found ?? null;
}

function keep() {
  brought = null;
  // If the storage refuses the token, this window is signed in until it is closed.
  store(KEPT, token);
}

/// Sends a request with the token from the address; if the agent refuses that token, with the stored one.
async function fetchSigned(path, init) {
  const sent = brought;
  const reply = await fetch(path, signed(init));
  if (!sent) return reply;
  if (reply.ok && sent === brought) keep();
  if (reply.status !== 401 && reply.status !== 403) return reply;
  // Drop the refused token only if it is still the present one: meanwhile, another request with the same token may have dropped it.
  if (sent === brought) [brought, token] = [null, stored(KEPT)];
  return token === sent ? reply : fetch(path, signed(init));
}

// Another window of this browser has signed in.
addEventListener("storage", ({ key }) => { if (needsToken && key === KEPT) token = stored(KEPT); });

/// The request with the token, which the agent demands from a tablet in addition to the cookie.
export const signed = (init = {}) => (needsToken && token ? { ...init, headers: { ...init.headers, "X-Woodshed-Token": token } } : init);

/// The address of a stream. Scripts cannot add headers to the request for a stream, so the token goes into the address.
export const signedAddress = (address) => (needsToken && token ? `${address}?${queryOf({ token })}` : address);

/// The refusals below 500 that are shown with their reason, since it states what to do: senseless, in conflict, or too long.
const EXPLAINED = [400, 409, 413];

/// A refused request; `mark` names the mark that is at fault, and `changed` is the present version of what somebody else has changed
/// meanwhile. `status` 0 means that the agent does not answer.
export class Refusal extends Error {
  constructor(status, { error: reason, mark = null, changed = null } = {}) {
    super(((status >= 500 || EXPLAINED.includes(status) || mark) && reason) || sentence(status));
    Object.assign(this, { status, mark, changed });
  }
}

/// How long (ms) the agent may take to answer a request, and to answer a check whether it is running.
const ASKED = 15_000;
const THERE = 1500;
/// How long (ms) the agent may take to make a PDF.
const MADE = 300_000;
/// After this long (ms) without an answer, the page checks whether the agent is running: it may hang, or be drawing a large page.
const DOUBTFUL = 2000;
/// The pause (ms) between two such checks while the agent is silent.
const RHYTHM = 500;

let reportSilence = () => {};
/// Calls the listener with true after each check that the agent does not answer, and with false when the agent answers again.
export function onSilence(listener) { reportSilence = listener; }

let isSilent = false;
/// The requests without an answer, kept in order to abort them. Below: the timer that was started by the first of these requests, and that
/// runs on even if that request was given up.
const unanswered = new Set();
let doubt = 0;
let again = 0;

function answered() {
  clearTimeout(doubt);
  doubt = unanswered.size > 0 ? setTimeout(isThere, DOUBTFUL) : 0;
  if (!isSilent) return;
  isSilent = false;
  clearTimeout(again);
  reportSilence(false);
}

/// Checks whether the agent is running, and repeats the check until the agent answers.
async function isThere() {
  clearTimeout(doubt);
  clearTimeout(again);
  doubt = 0;
  try {
    await fetch("/api/state", signed({ cache: "no-store", signal: AbortSignal.timeout(THERE) }));
  } catch {
    again = setTimeout(isThere, RHYTHM);
    // A silent agent will not answer the requests that wait, so end them.
    if (!isSilent) for (const end of unanswered) end.abort();
    isSilent = true;
    // Call the listener each time: a page that comes back to the screen has missed the earlier calls.
    reportSilence(true);
    return false;
  }
  answered();
  return true;
}

function sentence(status) {
  switch (status) {
    case 0: return "Woodshed’s agent does not answer.";
    case 401:
    case 403: return `This browser is no longer signed in. ${WAY_IN}`;
    case 404: return "Woodshed has no such page.";
    case 410: return "This has changed in the meantime.";
    default: return `Woodshed’s agent could not answer (${status}).`;
  }
}

async function ask(path, { signal = null, most = ASKED, read = null, ...options } = {}) {
  const end = new AbortController();
  const stop = () => end.abort();
  signal?.addEventListener("abort", stop);
  const late = setTimeout(stop, isSilent ? THERE : most);
  unanswered.add(end);
  doubt ||= setTimeout(isThere, DOUBTFUL);
  try {
    const reply = await fetchSigned(path, { cache: "no-store", signal: end.signal, ...options });
    unanswered.delete(end);
    answered();
    if (read && reply.ok) return await read(reply);
    const answer = await reply.json().catch((error) => {
      if (reply.ok && error.name === "AbortError") throw error;
      return null;
    });
    if (!reply.ok) throw new Refusal(reply.status, answer ?? {});
    return answer;
  } catch (error) {
    if (error instanceof Refusal || signal?.aborted) throw error;
    throw new Refusal(0);
  } finally {
    unanswered.delete(end);
    clearTimeout(late);
  }
}

/// A downloaded file, its name, and a sentence that lists what is missing from it.
async function fileOf(reply) {
  const [, name] = /filename\*=UTF-8''(.+)$/.exec(reply.headers.get("Content-Disposition")) ?? [];
  const words = [name, reply.headers.get("X-Woodshed-Without") ?? ""].map(decodeURIComponent);
  return { blob: await reply.blob(), name: words[0], without: words[1] };
}

const JSON_TYPE = { "Content-Type": "application/json" };

async function post(path, body, options = {}) {
  const sent = token;
  const send = () => ask(path, { method: "POST", ...options, headers: { ...JSON_TYPE, "X-Woodshed-Token": token }, body: JSON.stringify(body) });
  try {
    return await send();
  } catch (error) {
    if (error.status !== 403 || !(await renewToken(sent))) throw error;
    return send();
  }
}

/// Fetches the token that this browser has at the agent now. After the agent was restarted and the browser was signed in again, a page
/// that stayed open still has the former token. Returns whether the token now differs from `sent`, the one that was refused or is in
/// doubt.
async function renewToken(sent) {
  // Several requests may be refused together; the first one to get here fetches the new token for all.
  if (token !== sent || needsToken) return token !== sent;
  const text = await ask("/", { read: (reply) => reply.text() }).catch(() => null);
  if (!text) return false;
  const page = new DOMParser().parseFromString(text, "text/html");
  const fresh = metaIn(page, "token");
  if (!fresh || fresh === sent) return false;
  [token, pass] = [fresh, metaIn(page, "pass")];
  return true;
}

/// Signs in at a restarted agent, which requests a proof computed from the pass. Browsers can compute the proof only on
/// the agent's own computer.
async function comeBack() {
  if (!pass || !crypto.subtle) return false;
  const utf8 = (text) => new TextEncoder().encode(text);
  try {
    const { question } = await ask("/api/return");
    const key = await crypto.subtle.importKey("raw", utf8(pass), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
    const code = new Uint8Array(await crypto.subtle.sign("HMAC", key, utf8(`${question} ${location.port}`)));
    const answer = [...code].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    ({ token, pass } = await ask("/api/return", { method: "POST", headers: JSON_TYPE, body: JSON.stringify({ question, answer }) }));
    return true;
  } catch {
    return false;
  }
}

/// Signs this browser in with the token that a person typed.
async function enter(typed) {
  const headers = { "Content-Type": "text/plain", Accept: "application/json" };
  let rights = "";
  ({ token, rights } = await ask("/", { method: "POST", body: `token=${typed}\r\n`, headers }));
  keep();
  // The new token may turn a guest into a musician, or a musician into a guest.
  if (rights !== metaIn(document, "rights")) location.reload();
}

/// Sends a request whose failure does not matter, since the next event or page turn makes up for it.
const report = (path, body) => post(path, body).catch(() => null);

let reporting = null;
/// Reports which page is on screen; the agent answers once that page is drawn. Only the latest report matters, so the previous one
/// is aborted: a browser has few connections, and a hanging agent must not occupy them all.
function select(place) {
  reporting?.abort();
  reporting = new AbortController();
  post("/api/select", place, { signal: reporting.signal }).catch(() => null);
}

const part = encodeURIComponent;

export const api = {
  state: () => ask("/api/state"),
  isThere,
  /// Whether the agent has stopped answering.
  get isSilent() { return isSilent; },
  /// Whether this browser has no token: it was never signed in, or its storage was cleared.
  get isUnsigned() { return needsToken && !token; },
  renew: () => renewToken(token),
  /// Whether the agent answers, but does not recognise this browser.
  isStranger: () => ask("/api/state").then(() => false, (error) => error.status === 401 || error.status === 403),
  comeBack,
  enter,
  /// The charts of plans that are over, or far ahead.
  otherCharts: () => ask("/api/others"),
  /// Brings a chart from one of the musician's own folders here.
  openFile: (file) => ask(`/api/file/${part(file)}`, { most: MADE }),
  plan: (id) => ask(`/api/plan/${part(id)}`),
  /// The list of songs in a plan's file, as it is now.
  set: (plan) => ask(`/api/set/${part(plan)}`),
  /// Writes a list of songs to its file; resolves with `changed`, the list in the file, if somebody has changed the file.
  keepSet: (set) => post("/api/set", set).catch((error) => {
    if (!error.changed) throw error;
    return { changed: error.changed };
  }),
  /// A chart; with a key, as it would be drawn in that key.
  chart: ({ chart, plan, item, key }) => ask(`/api/chart/${part(chart)}?${queryOf({ plan, item, key })}`),
  /// The PDF of a chart or of a whole plan.
  pdf: ({ chart, plan }) => ask(chart ? `/pdf/chart/${part(chart)}?${queryOf({ plan })}` : `/pdf/plan/${part(plan)}`, { most: MADE, read: fileOf }),
  showLayer: (chart, layer, visible) => post("/api/layers", { chart, layer, visible }),
  /// Has a song drawn in the musician's view, in this plan or everywhere; a null view means as the service has the song.
  /// Resolves with the chart.
  readSong: ({ plan, item }, song, view, everywhere) => post("/api/song", { plan, item, song, view, everywhere }),
  /// Shares the musician's marks on a chart with the band, or stops sharing them.
  share: ({ chart, plan, item }, shared) => post("/api/share", { chart, plan, item, shared }),
  /// Confirms that marks made on another version of a chart are right on this one, or hides them.
  settleOlder: ({ chart, plan, item }, of, right) => post("/api/older", { chart, plan, item, of, right }),
  /// Shows the marks that followed the music where it is in this version (`moved`), or where they were drawn (`were`).
  showFollowed: ({ chart, plan, item }, of, state) => post("/api/older", { chart, plan, item, of, state }),
  /// Puts a mark that is not placed at `{layer, id, page, x, y}`, or leaves it out: `{layer, id, out: true}`.
  placeMark: ({ chart, plan, item }, of, mark) => post("/api/place", { chart, plan, item, of, ...mark }),
  /// Changes tonight's set; resolves with the plan. Status 409: another window changed the set since `number`.
  tonight: (change) => post("/api/tonight", change),
  openPlan: (plan) => report("/api/look", { plan }),
  select,
  seen: (plan) => report("/api/seen", { plan }),
  /// Accepts a plan (the service's version, or the one here), or one of its charts as it is.
  accept: (plan, of, chart = null) => post("/api/accept", { plan, of, chart }),
  /// Requests a code that signs a tablet in.
  tabletCode: () => post("/api/tablet", {}),
  /// Signs out a browser on the network.
  endBrowser: (id) => post("/api/end", { id }),
  sync: () => post("/api/sync", {}),
  /// Claims the lead of those who turn together, reports where this window is while it leads, or gives the lead up.
  turnTogether: (wish) => post("/api/together", wish),
  /// `ink` reads the musician's own marks on a chart; `sendInk` sends edits of them, and is answered with the marks that the agent
  /// then keeps. Both answers leave out the state that the browser has already (`known`).
  ink: (chart, known) => ask(inkAddress(chart, known)),
  sendInk: (chart, edits, { known, ...options } = {}) => post(inkAddress(chart, known), edits, options),
  /// Reports that the image at this address arrived but cannot be decoded.
  damaged: (page) => report("/api/damaged", { page }),
};

const inkAddress = (chart, known) => `/api/charts/${part(chart)}/ink?${queryOf({ known })}`;

/// The parameters of an address, without the empty ones.
export const queryOf = (parameters) => new URLSearchParams(Object.entries(parameters).filter(([, value]) => value));

/// The address of a page drawn larger than its cached image; valid until the chart's bytes change.
export const liveAddress = (chart, page, isMarked, long) =>
  `/live/${part(chart.id)}/${page}?of=${folderOf(chart)}&marked=${isMarked ? 1 : 0}&long=${long}`;

/// The name of a chart's bytes in the addresses of its pages.
const folderOf = (chart) => chart.hash.slice(0, 32);

/// What a mark says of the chart that it was made on (`Mark.on`).
export const beginningOf = (chart) => chart.hash.slice(0, 16);

/// Whether an image was made from this chart's bytes.
export const isOf = (chart, image) => image.src.startsWith(`/pages/${folderOf(chart)}/`);
