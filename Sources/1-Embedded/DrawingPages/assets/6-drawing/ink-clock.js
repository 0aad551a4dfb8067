// Who edits, and in which order: this window's name among all that draw, and its numbers, of which each is given out once.
//
// A name lives no longer than its window. What a browser keeps may be copied or set back, and two that went on from the same numbers
// would each take the other's edits for known.
const name = newName();
let last = 0;

/// The name, and a number that it has not given out: a greater one than a mark's version tells of.
export function nextEdit(version) {
  last = Math.max(last, version[name] ?? 0) + 1;
  return [name, last];
}

/// A random name.
export function newName() { return [...crypto.getRandomValues(new Uint8Array(10))].map((byte) => byte.toString(36).padStart(2, "0")).join(""); }
