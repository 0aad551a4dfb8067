// The edits that this browser keeps until the agent has confirmed them. Each mark has its own storage entry: windows do not
// overwrite each other's edits, and storing an unfinished stroke is one short write.
import { WAITING } from "./drawing-door.js";
import { namesStored, store, stored } from "./storage.js";

const prefixOf = (chart) => `${WAITING}${encodeURIComponent(chart)} `;

/// The charts with unconfirmed edits.
export function waitingCharts() {
  const names = namesStored(WAITING).map((name) => name.slice(WAITING.length).split(" ")[0]);
  return [...new Set(names)].map(decodeURIComponent);
}

/// The unconfirmed edits of a chart's marks, by id: `{id, v, mark}`, with a null mark if it was deleted.
export function waiting(chart) {
  const found = new Map();
  for (const name of namesStored(prefixOf(chart))) {
    const value = parsed(stored(name));
    if (value) found.set(value.id, value);
  }
  return found;
}

/// Stores an edit; false if the storage refuses it.
export const keep = (chart, value) => store(prefixOf(chart) + value.id, JSON.stringify(value));

/// Removes the stored edit of a mark if the agent has the edit, which the function `isKept` decides.
export function forget(chart, id, isKept) {
  const name = prefixOf(chart) + id;
  const value = parsed(stored(name));
  if (value && isKept(value)) localStorage.removeItem(name);
}

/// Calls back with each edit of this chart that another window stores, and with null when another window removes an edit that the
/// agent has.
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
