// All keys of the reading view, in one place: what each does, and what the help calls it.

/// `[keys, command, what it does]`; buttons name the first of the keys.
export const keys = [
  ["Turning", [
    [["ArrowRight", "ArrowDown", "PageDown", " ", "Enter"], "next", "Next page"],
    [["ArrowLeft", "ArrowUp", "PageUp", "Shift+ ", "Backspace"], "previous", "Previous page"],
    [["Home"], "first", "First page of the chart"],
    [["End"], "last", "Last page of the chart"],
    [["]"], "nextItem", "Next item"],
    [["["], "previousItem", "Previous item"],
    [["/"], "find", "Find a song"],
    [["g"], "askPage", "Go to a page"],
    [["s"], "parts", "Switch to another part of the song"],
  ]],
  ["Looks", [
    [["w"], "fit", "Fit the page or the width"],
    [["d"], "spread", "One page, two, or whatever fits"],
    [["x"], "margins", "Margins as printed, off page by page, or off alike for the whole chart"],
    [["h"], "half", "Half-page turns on or off"],
    [["n"], "night", "Night mode on or off"],
    [["i"], "flipPaper", "In night mode: this page dark, or in its own colours"],
    [["m"], "marks", "Show or hide marks"],
    [["l"], "layers", "Layers of marks"],
    [["t"], "strip", "Thumbnails"],
    [["+", "="], "zoomIn", "Larger"],
    [["-"], "zoomOut", "Smaller"],
    [["0"], "zoomReset", "Original size"],
    [["Shift+ArrowLeft", "Shift+ArrowRight", "Shift+ArrowUp", "Shift+ArrowDown"], "pan", "Move a page that is larger than the screen"],
  ]],
  ["Around", [
    [["f"], "full", "Full screen"],
    [["v"], "view", "View and theme"],
    [["c", "Escape"], "bar", "Show or hide the controls"],
    [["p"], "back", "Back to the plan"],
    [["?"], "help", "These keys"],
  ]],
];

const byKey = new Map(keys.flatMap(([, rows]) => rows.flatMap(([names, command]) => names.map((name) => [name, command]))));

/// What a key press is called in the tables.
export function pressed(event) {
  const isNamed = event.key.length > 1 || event.key === " ";
  return event.shiftKey && isNamed ? `Shift+${event.key}` : event.key;
}

/// The command for a key press; null if there is none.
export function commandOf(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return null;
  const name = pressed(event);
  return byKey.get(name) ?? byKey.get(name.toLowerCase()) ?? null;
}

const signs = {
  ArrowRight: "→", ArrowLeft: "←", ArrowDown: "↓", ArrowUp: "↑", PageDown: "Page ↓", PageUp: "Page ↑", " ": "Space", Escape: "Esc",
};

export function nameOf(key) {
  return key === "+" ? key : key.split("+").map((part) => signs[part] ?? part).join(" ");
}
