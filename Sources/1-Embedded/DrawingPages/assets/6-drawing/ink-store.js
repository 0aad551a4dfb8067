// The edits that this browser keeps until the agent has confirmed them: one entry of its storage for each mark, so that windows do not
// overwrite each other's, and a stroke under way costs one short write.
import { WAITING } from "./drawing-door.js";
import { namesStored, store, stored } from "./storage.js";

const prefixOf = (chart) => `${WAITING}${encodeURIComponent(chart)} `;

/// The charts with edits that wait.
export function waitingCharts() {
  const names = namesStored(WAITING).map((name) => name.slice(WAITING.length).split(" ")[0]);
  return [...new Set(names)].map(decodeURIComponent);
}

/// The edits of a chart's marks that wait: by id, `{id, v, mark}`, without a mark if it was deleted.
export function waiting(chart) {
  const found = new Map();
  for (const name of namesStored(prefixOf(chart))) {
    const value = parsed(stored(name));
    if (value) found.set(value.id, value);
  }
  return found;
}

/// Stores an edit; false if this browser's storage refuses it.
export const keep = (chart, value) => store(prefixOf(chart) + value.id, JSON.stringify(value));

/// Forgets the stored edit of a mark if `isKept` says that the agent has it.
export function forget(chart, id, isKept) {
  const name = prefixOf(chart) + id;
  const value = parsed(stored(name));
  if (value && isKept(value)) localStorage.removeItem(name);
}

/// Calls back with an edit that another window stores for this chart; with null once that window has removed it, since the agent has it.
export function listen(chart, listener) {
  addEventListener("storage", ({ key, newValue }) => {
    if (key?.startsWith(prefixOf(chart))) listener(newValue === null ? null : parsed(newValue));
  });
}

function parsed(text) {
  try {
    const value = JSON.parse(text);
    return value?.id && value.v ? value : null;
  } catch {
    return null;
  }
}
