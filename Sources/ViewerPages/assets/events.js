// The agent's live updates. A connection that broke is tried again by itself; what was missed meanwhile is asked for anew.

const listeners = new Map();
let source = null;
let wasOpen = false;
let pause = 1000;

/// Calls back with an event's data: `page`, `chart`, `plans`, `status`; `open` (again: bool) and `broken` are ours.
export function on(kind, listener) {
  if (!listeners.has(kind)) listeners.set(kind, new Set());
  listeners.get(kind).add(listener);
  return () => listeners.get(kind).delete(listener);
}

function emit(kind, data) {
  for (const listener of [...(listeners.get(kind) ?? [])]) listener(data);
}

export function connect() {
  source = new EventSource("/api/events");
  source.onopen = () => {
    pause = 1000;
    emit("open", { again: wasOpen });
    wasOpen = true;
  };
  source.onerror = () => {
    emit("broken", {});
    // The browser gives up for good on an answer that is no stream; an agent being started anew gives such answers.
    if (source.readyState !== EventSource.CLOSED) return;
    setTimeout(connect, pause);
    pause = Math.min(pause * 2, 15000);
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
