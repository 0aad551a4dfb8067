// This browser's storage, which may be full or switched off.

/// What is stored under a name; null if that is nothing.
export function stored(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

/// Returns whether the storage took it.
export function store(name, text) {
  try {
    localStorage.setItem(name, text);
    return true;
  } catch {
    return false;
  }
}

/// The names that begin like this.
export function namesStored(beginning) {
  try {
    return Object.keys(localStorage).filter((name) => name.startsWith(beginning));
  } catch {
    return [];
  }
}
