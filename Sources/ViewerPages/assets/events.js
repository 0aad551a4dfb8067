// The agent's live updates. A broken connection is retried by itself; what was missed meanwhile is asked for again.
//
// A browser has six connections per host, however many tabs it has, and a stream uses one for as long as it
// is open. So a page that nobody sees closes its stream, and opens it again when it is shown.
import { api } from "./api.js";

/// The longest pause between two tries to connect (ms).
const LATE = 15000;

const listeners = new Map();
let source = null;
let timer = 0;
let mayHaveMissed = false;
let pause = 1000;

/// Calls back with an event's data: `page`, `chart`, `plans`, `status`. `open` (again: bool), `broken`, `stranger` (the
/// agent answers, but does not know this browser) and `rest` are our own.
export function on(kind, listener) {
  if (!listeners.has(kind)) listeners.set(kind, new Set());
  listeners.get(kind).add(listener);
  return () => listeners.get(kind).delete(listener);
}

function emit(kind, data) {
  for (const listener of [...(listeners.get(kind) ?? [])]) listener(data);
}

/// Listens from now on, whenever the page is visible.
export function connect() {
  document.addEventListener("visibilitychange", follow);
  // When "back" shows this page again, it is still the same page, but its connections were cut.
  addEventListener("pageshow", follow);
  addEventListener("pagehide", rest);
  follow();
}

function follow() {
  if (document.visibilityState === "hidden") rest();
  else if (!source && !timer) begin();
}

function rest() {
  clearTimeout(timer);
  source?.close();
  [source, timer, pause] = [null, 0, 1000];
  mayHaveMissed = true;
  emit("rest", {});
}

function begin() {
  timer = 0;
  source = new EventSource("/api/events");
  source.onopen = () => {
    pause = 1000;
    emit("open", { again: mayHaveMissed });
    mayHaveMissed = true;
  };
  source.onerror = async () => {
    if (source.readyState !== EventSource.CLOSED) {
      emit("broken", {});
      return;
    }
    // An answer that is no stream makes the browser give up for good: a restarting agent gives such answers, and so does one
    // that does not know this browser.
    source = null;
    const next = setTimeout(begin, pause);
    timer = next;
    pause = Math.min(pause * 2, LATE);
    const kind = await api.isStranger() ? "stranger" : "broken";
    if (kind === "stranger" && timer === next && await api.comeBack()) {
      clearTimeout(next);
      if (timer === next) begin();
      return;
    }
    // Unless the next try has already begun, or nobody is looking.
    if (timer === next) emit(kind, {});
  };
  for (const kind of ["page", "chart", "plans", "status"]) {
    source.addEventListener(kind, (event) => {
      let data;
      try {
        data = JSON.parse(event.data);
      } catch {
        return;
      }
      emit(kind, data);
    });
  }
}
