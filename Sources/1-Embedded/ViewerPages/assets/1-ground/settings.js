// The musician's choices, stored by this browser.
import { store, stored } from "./storage.js";

const STORE = "woodshed";

const defaults = {
  theme: "system", // system | light | dark
  fit: null, // page | width; null until it is chosen: what suits the screen
  spread: "auto", // auto | one | two
  margins: null, // null until it is chosen; printed | page (off, page by page) | chart (off, the same for the whole chart)
  boxes: {}, // chart → the part of its pages that was chosen by hand
  half: false, // half-page turn
  night: false, // dark pages
  marks: true, // the annotated variant
  strip: false, // thumbnails
  paper: {}, // chart → page → "dark" | "keep": night mode by hand
  scans: {}, // chart → "keep": grey paper as it was scanned
  pedals: {}, // key → what a pedal that sends it does
  hand: "right", // the one that draws
  pens: {}, // drawing tool → its colour and width
  chosen: {}, // item → the chart that was opened last for it
};

/// A wide screen without touch, like a laptop's but unlike a turned tablet's; and a screen too low for a whole page.
const laptop = matchMedia("(orientation: landscape) and (not (pointer: coarse))");
const low = matchMedia("(max-height: 899px)");

let values = { ...defaults, ...read() };
const listeners = new Set();

function read() {
  try {
    return JSON.parse(stored(STORE) ?? "{}");
  } catch {
    return {};
  }
}

/// Defaults that suit the screen; two pages side by side and half turns are meant for whole pages.
const suitable = {
  fit: () => (laptop.matches && low.matches && values.spread !== "two" && !values.half ? "width" : "page"),
  margins: () => (laptop.matches && !low.matches ? "chart" : "printed"),
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

  /// Sets one entry of a setting that has many, and keeps only the latest ones; null removes the entry.
  put(name, key, value, kept = Infinity) {
    const others = Object.entries(values[name]).filter(([each]) => each !== key);
    this.set(name, Object.fromEntries((value === null ? others : [...others, [key, value]]).slice(-kept)));
  },

  /// Calls back with the name of each setting that changes; returns a function that stops this.
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
