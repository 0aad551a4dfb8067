// Versions of edits. An edit is identified by the name of the window that made it and a number that this window uses only once.
//
// The name is not stored and ends with its window. Browser storage can be copied or restored; two windows that continued from the
// same numbers would each miss the other's edits.
const name = newName();
let last = 0;

/// Returns this window's name and its next number, which is greater than the window's number in the given version.
export function nextEdit(version) {
  last = Math.max(last, version[name] ?? 0) + 1;
  return [name, last];
}

/// A random name.
export function newName() { return [...crypto.getRandomValues(new Uint8Array(10))].map((byte) => byte.toString(36).padStart(2, "0")).join(""); }
