// All keys of the reading view, with their commands and their descriptions for the help, and the keys that musicians teach for pedals.
import { mayChange } from "./api.js";
import { settings } from "./settings.js";

/// `[keys, command, description]`; buttons name the first key.
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
    [["j"], "jump", "Take the next jump on the page"],
    [["b"], "jumpBack", "Back to where you jumped from"],
    [["y"], "jumpAgain", "Forward again, after going back"],
    [["o"], "places", "Bookmarks and contents"],
    [["Shift+PageDown"], "nextPage", "One page on, where two are side by side"],
    [["Shift+PageUp"], "previousPage", "One page back there"],
    [["s"], "parts", "Switch to another part of the song"],
  ]],
  ["Looks", [
    [["w"], "fit", "Fit the page or the width"],
    [["d"], "spread", "One page, two, or whatever fits"],
    [["x"], "margins", "Crop margins: off, page by page, or alike for the whole chart"],
    [["h"], "half", "Half-page turns on or off"],
    [["n"], "night", "Night mode on or off"],
    [["i"], "flipPaper", "In night mode: this page dark, or in its own colours"],
    [["m"], "marks", "Show or hide marks"],
    ...(mayChange ? [[["a"], "draw", "Draw on the page"]] : []),
    [["l"], "layers", "Layers of marks"],
    ...(mayChange ? [[["k"], "songKey", "Key and capo, where Woodshed has the words and chords"]] : []),
    [["t"], "strip", "Thumbnails"],
    [["+", "="], "zoomIn", "Larger"],
    [["-"], "zoomOut", "Smaller"],
    [["0"], "zoomReset", "Original size"],
    [["Shift+ArrowLeft", "Shift+ArrowRight", "Shift+ArrowUp", "Shift+ArrowDown"], "pan", "Move a page that is larger than the screen"],
  ]],
  ["Around", [
    [["f"], "full", "Full screen"],
    [["v"], "view", "View and theme"],
    [["Ctrl+p"], "print", "Print this chart"],
    [["c", "Escape"], "bar", "Show or hide the controls"],
    [["u"], "together", "Turn together: lead, follow, say something to everybody"],
    [["p"], "back", "Back to the plan"],
    [["?"], "help", "These keys"],
  ]],
];

const byKey = new Map(keys.flatMap(([, rows]) => rows.flatMap(([names, command]) => names.map((name) => [name, command]))));
// A guest is told why these keys of musicians do nothing.
if (!mayChange) for (const key of ["a", "k"]) byKey.set(key, "guest");

/// The name of a key press in the tables.
export function pressed(event) {
  const isNamed = event.key.length > 1 || event.key === " ";
  return event.shiftKey && isNamed ? `Shift+${event.key}` : event.key;
}

const isPlain = (event) => !event.ctrlKey && !event.metaKey && !event.altKey;

/// Calls `act` when a key is pressed without modifiers while no panel is open. Returns a function that ends this.
export function onKey(key, act) {
  const listening = new AbortController();
  addEventListener("keydown", (event) => {
    if (event.key !== key || !isPlain(event) || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    act();
  }, { signal: listening.signal });
  return () => listening.abort();
}

/// What a pedal was taught that sends this key; null for other keys.
export const pedalCommand = (event) => settings.get("pedals")[pressed(event)] ?? null;

/// The name of a key that is held is this word before its own.
export const HELD = "Held ";
/// Presses that are over, and were short.
const short = new WeakSet();

/// What a pedal was taught that is held and sends this key; null for other keys, and for a press that is known to be short.
export const heldCommand = (event) => (short.has(event) ? null : settings.get("pedals")[HELD + pressed(event)] ?? null);

/// A key press for everybody who has not seen it yet, since it might have become a long one.
export function shortPress(event) {
  const press = new KeyboardEvent("keydown", event);
  short.add(press);
  return press;
}

/// The command of a key press; null if it has none.
export function commandOf(event) {
  const name = pressed(event);
  return pedalCommand(event) ?? (isPlain(event) ? byKey.get(name) ?? byKey.get(name.toLowerCase()) : null) ?? null;
}

const turns = ["next", "previous", "nextItem", "previousItem"];
const TYPED = "input:not([type=radio], [type=checkbox]), textarea, select";
/// Keys that a text field uses, in addition to characters.
const ofFields = new Set(["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End", "Enter", "Backspace", "Delete"]);

/// The command of a key press while a panel is open, if it turns pages or was taught; null otherwise, and if the panel needs the key. The panel
/// keeps typed keys, Enter and Space on a control that was reached with the keyboard, and arrows once somebody has touched the panel. An
/// empty field of an untouched panel has no use for Enter and Space, which pedals send.
export function commandBehindPanel(event) {
  const { key, target } = event;
  const isPress = key === "Enter" || key === " ";
  const isTouched = document.querySelector("dialog[open][data-touched]");
  if (target.closest?.(TYPED)) {
    if (isPress ? isTouched || target.value : key.length === 1 || ofFields.has(key)) return null;
  } else if (isPress && target.closest?.("dialog[data-reached] :is(input, button, a)")) return null;
  if (key.startsWith("Arrow") && isTouched) return null;
  const command = commandOf(event);
  return turns.includes(command) || pedalCommand(event) ? command : null;
}
