// The way to the drawing tools. They come with the plan, when somebody begins to draw, or when marks wait in this browser until they are kept.
import { mayChange } from "./api.js";
import { h } from "./dom.js";

/// The names under which the browser's storage has marks that the agent has not kept yet begin with this.
export const WAITING = "woodshed-ink ";

const COMING = "The drawing tools are on their way …";
const MISSING = "The drawing tools are not in this browser, and Woodshed’s agent does not send them.";
/// How long (ms) somebody who wants to draw waits for the tools.
const PATIENCE = 3000;

class DrawingDoor {
  #reader = null;
  /// Makes the tools for a reader; set by what is loaded.
  #make = null;
  #tools = null;
  #loading = null;
  /// Whether somebody wanted to draw, and nothing has come of it.
  isOwed = false;

  constructor() { if (mayChange && hasWaiting()) this.#come().catch(() => null); }

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

  /// Whether the tools are in this browser, or nobody may draw in it.
  get isHere() { return this.#make !== null || !mayChange; }

  /// Opens the tools, or puts them away.
  async open() {
    if (this.isOwed && this.#loading) {
      this.#reader?.cue.show(COMING);
      return;
    }
    this.isOwed = true;
    if (!this.isHere) this.#reader?.cue.show(COMING);
    let late = 0;
    const tooLate = new Promise((_, reject) => { late = setTimeout(reject, PATIENCE); });
    try {
      const tools = await Promise.race([this.#come(), tooLate]);
      if (!this.isOwed) return;
      this.isOwed = false;
      tools?.toggle();
    } catch {
      if (this.isOwed) this.#reader?.cue.show(MISSING);
    } finally { clearTimeout(late); }
  }

  /// Has the tools here for when somebody wants to draw. They are never loaded twice: however late they are, they may still come.
  async fetch() { if (!this.isHere) await (this.#loading ??= load().finally(() => { this.#loading = null; })); }

  async #come() {
    await this.fetch();
    if (this.#reader && this.#make) this.#tools ??= this.#make(this.#reader);
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
