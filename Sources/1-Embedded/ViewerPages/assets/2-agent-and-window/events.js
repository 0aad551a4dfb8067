// The agent's live updates. A broken connection is retried automatically, and missed updates are requested again.
//
// A browser has six connections per host for all its windows together, and a stream occupies one while it is open. So one of the
// visible windows holds the stream and passes on its events; a hidden window neither holds the stream nor listens.
import { api, onSilence, signedAddress } from "./api.js";

/// The pauses (ms) before reconnecting to an agent that refuses the stream: to one that is starting, and to one that does not
/// recognise this browser, which may be signed in from elsewhere.
const PAUSE = { broken: 500, stranger: 1000 };
/// The agent sends a heartbeat every second. After this long (ms) without a heartbeat, the page checks whether the agent is running.
const QUIET = 2000;
/// The name under which windows find each other.
const NAME = "woodshed-events";
const NEWS = ["page", "ink", "chart", "plans", "status", "together"];
/// Distinguishes this window from the others.
const ME = Math.random();

const listeners = new Map();
const others = new BroadcastChannel(NAME);
let source = null;
let timer = 0;
/// Counts the tries to connect, and how often the window stopped listening: after a wait, an equal count shows that neither has happened.
let tries = 0;
let beat = 0;
let mayHaveMissed = false;
/// Ends this window's turn at the stream, or its wait for a turn; null while the window is hidden.
let leave = null;
let isHolder = false;
/// The stream's condition, for windows that open later: `open`, `broken` or `stranger`.
let condition = null;
/// Who leads those who turn together, as last reported, and when the report arrived.
let together = null;

/// Calls back with an event's data. The agent sends `page`, `ink`, `chart`, `plans`, `status` and `together`. The page adds `open` (again:
/// bool), `broken`, `rest`, `stranger` (the agent answers, but does not recognise this browser), `silent` (no answer, though the
/// stream may be open), `song` (another one is on the stand), `stand` (a sheet came on it, or none is there any more) and `told` (a
/// sentence to show over the music).
export function on(kind, listener) {
  if (!listeners.has(kind)) listeners.set(kind, new Set());
  listeners.get(kind).add(listener);
  return () => listeners.get(kind).delete(listener);
}

/// Who leads, and how long ago (ms) the leader last sent anything; null if nobody ever led.
export const stateTogether = () => together && { ...together, silence: together.silence + performance.now() - together.at };

/// Calls the listeners of this window alone.
export function emit(kind, data) { for (const listener of [...(listeners.get(kind) ?? [])]) listener(data); }

/// Listens from now on, whenever the page is visible. `isLate`: the page started with data that may be out of date.
export function connect(isLate) {
  mayHaveMissed = isLate;
  document.addEventListener("visibilitychange", follow);
  // The "back" button restores this page, but its connections were cut, so connect again.
  addEventListener("pageshow", follow);
  addEventListener("pagehide", rest);
  addEventListener("offline", () => leave && api.isThere());
  onSilence(silenceChanged);
  others.onmessage = ({ data }) => receive(data);
  follow();
}

function follow() {
  if (document.visibilityState === "hidden") rest();
  else if (!leave) takeTurn();
}

/// Waits until no other window holds the stream, then holds it until this window is hidden. Over a network, browsers do not offer
/// such locks, and each window has its own stream.
function takeTurn() {
  const end = new AbortController();
  leave = () => end.abort();
  const hold = () => {
    isHolder = true;
    begin();
  };
  if (!navigator.locks) {
    hold();
    return;
  }
  others.postMessage({ kind: "asks", from: ME });
  const untilEnd = new Promise((resolve) => end.signal.addEventListener("abort", resolve));
  navigator.locks.request(NAME, { signal: end.signal }, () => {
    if (end.signal.aborted) return null;
    hold();
    return untilEnd;
  }).catch(() => null);
}

/// Receives an event from the window that holds the stream, or answers a window that has just opened.
function receive({ kind, data, from, to }) {
  if (kind === "asks") {
    if (isHolder && condition) others.postMessage({ kind: condition, to: from });
    if (isHolder && together) others.postMessage({ kind: "together", data: stateTogether(), to: from });
  } else if (leave && !isHolder && (to ?? ME) === ME) {
    dispatch(kind, data);
  }
}

function pass(kind, data) {
  if (!NEWS.includes(kind)) condition = kind;
  if (navigator.locks) others.postMessage({ kind, data });
  dispatch(kind, data);
}

function dispatch(kind, data) {
  if (kind === "together") together = { ...data, at: performance.now() };
  if (kind !== "open") {
    emit(kind, data ?? {});
    return;
  }
  // A restarted agent gives this window another token, which it needs even for reading.
  if (mayHaveMissed) api.renew();
  emit("open", { again: mayHaveMissed });
  mayHaveMissed = true;
}

function rest() {
  leave?.();
  clearTimeout(timer);
  clearTimeout(beat);
  source?.close();
  [leave, isHolder, condition, source, timer] = [null, false, null, null, 0];
  tries += 1;
  mayHaveMissed = true;
  emit("rest", {});
}

/// A stream that was open when the agent or the network fell silent may never send anything again, so the holder opens a new one.
function silenceChanged(isSilent) {
  if (!leave) return;
  if (isSilent) {
    mayHaveMissed = true;
    pass("silent");
  } else if (isHolder) {
    clearTimeout(timer);
    source?.close();
    begin();
  } else {
    dispatch("open");
  }
}

/// Connects now instead of after the pause: this browser was signed in.
export function connectAgain() {
  if (!leave || !isHolder || source) return;
  clearTimeout(timer);
  begin();
}

function awaitBeat() {
  clearTimeout(beat);
  beat = setTimeout(api.isThere, QUIET);
}

function begin() {
  timer = 0;
  tries += 1;
  source = new EventSource(signedAddress("/api/events"));
  // Wait for a heartbeat from now on, since the stream may never open.
  awaitBeat();
  source.onopen = () => {
    awaitBeat();
    pass("open");
  };
  source.addEventListener("beat", awaitBeat);
  source.onerror = failed;
  for (const kind of NEWS) {
    source.addEventListener(kind, ({ data }) => {
      try {
        data = JSON.parse(data);
      } catch {
        return;
      }
      pass(kind, data);
    });
  }
}

async function failed() {
  clearTimeout(beat);
  if (source.readyState !== EventSource.CLOSED) {
    pass("broken");
    return;
  }
  // After an answer that is not a stream, the browser gives up for good. Restarting agents give such answers, and so do agents that do
  // not recognise this browser.
  source = null;
  const mine = tries;
  const isLatest = () => tries === mine && leave !== null;
  const kind = await api.isStranger() ? "stranger" : "broken";
  const isBack = kind === "stranger" && isLatest() && await api.comeBack();
  if (!isLatest()) return;
  if (isBack) {
    begin();
    return;
  }
  // The agent has refused this page's requests, or has not answered, so updates may have been missed.
  mayHaveMissed = true;
  pass(kind);
  timer = setTimeout(begin, PAUSE[kind]);
}
