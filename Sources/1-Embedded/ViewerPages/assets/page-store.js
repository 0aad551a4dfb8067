// Pages ready to be shown: canvases with exactly the size and variant that the screen will show.
//
// Canvases are used instead of image elements: a browser may soon drop what `img.decode()` prepared, and it
// still scales when it paints. A canvas of the right size is painted as it is.
import { api } from "./api.js";
import { decode } from "./decoder.js";

/// How much is kept besides what is wanted, in pixels (4 bytes each): the pages just left, for the way back.
const KEPT_PIXELS = 24_000_000;
/// How many are fetched at a time; what somebody waits for does not wait for what is prepared.
const AT_ONCE = 2;

export class PageStore {
  /// By key, least recently used first.
  #entries = new Map();
  /// Keys, most urgent first: what somebody waits for, and what should be ready besides.
  #needed = [];
  #wanted = [];
  #loading = new Set();
  /// Addresses of images that arrived damaged: the browser would keep them for ever, so they are fetched again explicitly.
  #damaged = new Set();

  /// The page, if it is ready now: `{canvas, isPicture, isColoured}`.
  ready(request) {
    const entry = this.#entries.get(request.key);
    if (entry?.state !== "ready") return null;
    this.#entries.delete(request.key);
    this.#entries.set(request.key, entry);
    return entry;
  }

  /// Sets which pages somebody is waiting for, most urgent first. They go first, and are given up only for others that somebody waits for.
  need(requests) {
    this.#needed = requests.map((request) => request.key);
    this.#take(requests);
  }

  /// Sets which pages should be ready besides those, most urgent first. Work in progress that is no longer wanted is given up.
  want(requests) {
    this.#wanted = requests.map((request) => request.key);
    this.#take(requests);
  }

  /// Whether somebody is waiting for a page.
  get isBusy() {
    return this.#needed.some((key) => ["waiting", "loading"].includes(this.#entries.get(key)?.state));
  }

  #isWanted(key) {
    return this.#needed.includes(key) || this.#wanted.includes(key);
  }

  #take(requests) {
    for (const entry of [...this.#entries.values()]) {
      if (entry.state !== "ready" && !this.#isWanted(entry.request.key)) this.#drop(entry);
    }
    for (const request of requests) {
      if (this.#entries.get(request.key)?.state === "failed") this.#entries.delete(request.key);
      if (!this.#entries.has(request.key)) this.#entries.set(request.key, newEntry(request));
    }
    this.#dispatch();
    this.#trim();
  }

  /// Resolves with the entry once it is ready or has failed (`state`, `status`, `reason`), or with null if it was given up.
  settled(request) {
    return this.#entries.get(request.key)?.settled ?? Promise.resolve(null);
  }

  close() {
    for (const entry of this.#loading) entry.giveUp();
    this.#loading.clear();
    this.#entries.clear();
  }

  #dispatch() {
    for (const key of [...this.#needed, ...this.#wanted]) {
      if (this.#loading.size >= (this.#needed.includes(key) ? 2 * AT_ONCE : AT_ONCE)) return;
      const entry = this.#entries.get(key);
      if (entry?.state !== "waiting") continue;
      entry.state = "loading";
      this.#loading.add(entry);
      const { src, width, height, live } = entry.request;
      const cache = live ? "no-store" : this.#damaged.has(src) ? "reload" : "default";
      entry.giveUp = decode({ src, width, height, cache }, (result) => this.#finish(entry, result));
    }
  }

  #finish(entry, { bitmap, isPicture, isColoured, status, reason, isDamaged }) {
    this.#loading.delete(entry);
    if (bitmap) {
      entry.canvas = document.createElement("canvas");
      entry.canvas.width = bitmap.width;
      entry.canvas.height = bitmap.height;
      entry.canvas.getContext("bitmaprenderer").transferFromImageBitmap(bitmap);
      Object.assign(entry, { isPicture, isColoured });
      entry.state = "ready";
      this.#damaged.delete(entry.request.src);
    } else {
      entry.state = "failed";
      entry.status = isDamaged ? null : status;
      entry.reason = reason ?? null;
      if (isDamaged) this.#noteDamage(entry.request);
    }
    entry.settle(entry);
    this.#dispatch();
    this.#trim();
  }

  /// Reports a damaged image, so that the agent makes it again. Images drawn live are not kept anywhere.
  #noteDamage({ src, live }) {
    if (live) return;
    this.#damaged.add(src);
    api.damaged(src);
  }

  #drop(entry) {
    this.#entries.delete(entry.request.key);
    if (this.#loading.delete(entry)) entry.giveUp();
    entry.settle(null);
  }

  #trim() {
    let pixels = 0;
    for (const entry of [...this.#entries.values()].reverse()) {
      if (entry.state !== "ready" || this.#isWanted(entry.request.key)) continue;
      pixels += entry.canvas.width * entry.canvas.height;
      if (pixels > KEPT_PIXELS) this.#entries.delete(entry.request.key);
    }
  }
}

function newEntry(request) {
  const entry = { request, state: "waiting", status: null, reason: null, canvas: null, isPicture: false, isColoured: false, giveUp: null };
  entry.settled = new Promise((resolve) => {
    entry.settle = resolve;
  });
  return entry;
}
