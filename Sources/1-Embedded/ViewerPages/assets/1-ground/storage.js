// This browser's storage, which may be full or switched off.

/// The text stored under a name; null if there is none.
export function stored(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

/// Returns whether the text was stored.
export function store(name, text) {
  try {
    localStorage.setItem(name, text);
    return true;
  } catch {
    return false;
  }
}

/// The stored names with this beginning.
export function namesStored(beginning) {
  try {
    return Object.keys(localStorage).filter((name) => name.startsWith(beginning));
  } catch {
    return [];
  }
}
