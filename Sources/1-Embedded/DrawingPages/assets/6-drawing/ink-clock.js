// Who edits, and in which order: this window's name among all that draw, and its numbers, of which each is given out once.
//
// A name lives no longer than its window. A browser's storage may be copied or restored, and two windows that went on from the same numbers
// would each miss the other's edits.
const name = newName();
let last = 0;

/// The name, and its next number: greater than any that it has in a mark's version.
export function nextEdit(version) {
  last = Math.max(last, version[name] ?? 0) + 1;
  return [name, last];
}

/// A random name.
export function newName() { return [...crypto.getRandomValues(new Uint8Array(10))].map((byte) => byte.toString(36).padStart(2, "0")).join(""); }
