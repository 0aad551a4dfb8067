// The musician's choices, stored by this browser.
import { store, stored } from "./storage.js";

const STORE = "woodshed";

const defaults = {
  theme: "system", // system | light | dark
  fit: null, // page | width; null until chosen: then the screen decides
  spread: "auto", // auto | one | two
  margins: null, // null until chosen; printed | page (off, page by page) | chart (off, the same for the whole chart)
  boxes: {}, // chart → the part of its pages that the musician selected
  half: false, // turn by half a page, or half a view of a page that is taller than the screen
  night: false, // dark pages
  marks: true, // show pages with marks
  strip: false, // thumbnails
  paper: {}, // chart → page → "dark" | "keep": night mode set by hand
  scans: {}, // chart → "keep": show grey paper as scanned, and pages as askew
  pedals: {}, // key → the action of a pedal that sends the key
  hand: "right", // the hand that draws
  pens: {}, // drawing tool → its colour and width
  chosen: {}, // item → the chart last opened for it
};

/// A wide screen too low for a whole page: a small laptop, or a tablet or phone on its side.
const low = matchMedia("(orientation: landscape) and (max-height: 899px)");

let values = { ...defaults, ...read() };
const listeners = new Set();

function read() {
  try {
    return JSON.parse(stored(STORE) ?? "{}");
  } catch {
    return {};
  }
}

/// Defaults that suit the screen. Two pages side by side need whole pages.
const suitable = {
  fit: () => (low.matches && values.spread !== "two" ? "width" : "page"),
  margins: () => "chart",
};

export const settings = {
  get: (name) => values[name] ?? suitable[name]?.() ?? null,

  set(name, value) {
    values = { ...values, [name]: value };
    // If the storage refuses the choice, it lasts until the page is closed.
    store(STORE, JSON.stringify(values));
    if (name === "theme") showTheme();
    for (const listener of listeners) listener(name);
  },

  /// Sets one entry of a setting that has many, and keeps only the `kept` latest entries; null removes the entry.
  put(name, key, value, kept = Infinity) {
    const others = Object.entries(values[name]).filter(([each]) => each !== key);
    this.set(name, Object.fromEntries((value === null ? others : [...others, [key, value]]).slice(-kept)));
  },

  /// Calls the listener with the name of each setting that changes; returns a function that stops the calls.
  listen(listener) {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

// Another window of this browser has changed a setting.
addEventListener("storage", (event) => {
  if (event.key !== STORE) return;
  const before = values;
  values = { ...defaults, ...read() };
  showTheme();
  const changed = Object.keys(defaults).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(values[name]));
  for (const name of changed) for (const listener of listeners) listener(name);
});

const systemDark = matchMedia("(prefers-color-scheme: dark)");
systemDark.addEventListener("change", showTheme);

function showTheme() {
  const system = systemDark.matches ? "dark" : "light";
  document.documentElement.dataset.theme = values.theme === "system" ? system : values.theme;
}
