// The way to the drawing tools. They are loaded when somebody begins to draw, or when marks wait in this browser until they are kept.
import { h } from "./dom.js";

/// The names under which the browser's storage has marks that the agent has not kept yet begin with this.
export const WAITING = "woodshed-ink ";

const MISSING = "The drawing tools could not be loaded. Reload this page once Woodshed’s agent answers.";

class DrawingDoor {
  #reader = null;
  /// Makes the tools for a reader; set by what is loaded.
  #make = null;
  #tools = null;
  #loading = null;

  constructor() { if (hasWaiting()) this.#come().catch(() => null); }

  /// What is loaded calls this.
  bring(make) { this.#make = make; }

  /// Stands by for this reader; returns what ends that.
  enter(reader) {
    this.#reader = reader;
    if (this.#make || this.#loading) this.#come().catch(() => null);
    return () => {
      this.#tools?.stop();
      [this.#reader, this.#tools] = [null, null];
    };
  }

  /// Opens the tools, or puts them away.
  async open() {
    try {
      (await this.#come())?.toggle();
    } catch { this.#reader?.cue.show(MISSING); }
  }

  async #come() {
    if (!this.#make) await (this.#loading ??= load().finally(() => { this.#loading = null; }));
    if (this.#reader) this.#tools ??= this.#make(this.#reader);
    return this.#tools;
  }
}

export const door = new DrawingDoor();

function hasWaiting() {
  try {
    return Object.keys(localStorage).some((name) => name.startsWith(WAITING));
  } catch {
    return false;
  }
}

async function load() {
  const [script, style] = document.querySelector('meta[name="woodshed-drawing"]').content.split(" ").map((name) => `/assets/${name}`);
  await Promise.all([h("link", { rel: "stylesheet", href: style }), h("script", { src: script })].map((element) => new Promise((resolve, reject) => {
    element.onload = resolve;
    element.onerror = () => {
      element.remove();
      reject(new Error("not here"));
    };
    document.head.append(element);
  })));
}
