// Pages ready to be shown: canvases with exactly the size and variant that the screen needs.
//
// Not image elements: a browser may soon drop the result of `img.decode()`, and scales the image when it paints. A canvas of the
// right size is painted unscaled. A worker prepares the images (page-decoder.js).
import { api, signed } from "./api.js";
import { holder } from "./plan-holder.js";
import { keyOf } from "./reader-pages.js";

/// How many pixels (4 bytes each) are kept of pages that nobody wants at present: the pages just left, in case the musician turns back.
const KEPT_PIXELS = 24_000_000;
/// How many images are fetched at a time. Twice as many are fetched if the reader waits for them, so that they do not queue behind
/// images that are only prepared.
const AT_ONCE = 2;

export class PageStore {
  /// The state of images, by key, least recently used first.
  #entries = new Map();
  /// Keys, most urgent first: of images that the reader waits for, and of others to be prepared.
  #needed = [];
  #wanted = [];
  #loading = new Set();
  /// Addresses of images that arrived damaged: the browser would cache them for ever, so they are fetched again explicitly.
  #damaged = new Set();

  /// The page if it is ready: `{canvas, isPicture, isColoured, isGrey}`; otherwise null.
  ready(request) {
    const entry = this.#entries.get(request.key);
    if (entry?.state !== "ready") return null;
    this.#entries.delete(request.key);
    this.#entries.set(request.key, entry);
    return entry;
  }

  /// Sets the pages that the reader waits for, most urgent first. They are fetched before all others; only another call abandons them.
  need(requests) {
    this.#needed = requests.map((request) => request.key);
    this.#queue(requests);
  }

  /// Sets the other pages to prepare, most urgent first. Work on pages that are no longer wanted is abandoned.
  want(requests) {
    this.#wanted = requests.map((request) => request.key);
    this.#queue(requests);
  }

  /// Whether the reader is waiting for a page.
  get isBusy() {
    return this.#needed.some((key) => ["waiting", "loading"].includes(this.#entries.get(key)?.state));
  }

  /// Resolves with the entry once it is ready or has failed (`state`, `status`, `reason`), or with null if it was abandoned or
  /// never requested.
  settled(request) { return this.#entries.get(request.key)?.settled ?? Promise.resolve(null); }

  /// The best available images of these pages: each as requested, otherwise a stand-in, otherwise null. Stops when `counts` returns false.
  async best(requests, counts) {
    const found = requests.map((request) => (this.ready(request) ? request : null));
    for (const [i, request] of requests.entries()) {
      for (const other of found[i] ? [] : standInsFor(request)) {
        this.need([other, ...found.filter(Boolean)]);
        await this.settled(other);
        if (!counts()) return found;
        if (this.ready(other)) {
          found[i] = other;
          break;
        }
      }
    }
    return found;
  }

  close() {
    for (const entry of this.#loading) entry.giveUp();
    this.#loading.clear();
    this.#entries.clear();
  }

  #isWanted(key) { return this.#needed.includes(key) || this.#wanted.includes(key); }

  #queue(requests) {
    for (const entry of [...this.#entries.values()]) {
      if (entry.state !== "ready" && !this.#isWanted(entry.request.key)) this.#drop(entry);
    }
    for (const request of requests) {
      if (this.#entries.get(request.key)?.state === "failed") this.#entries.delete(request.key);
      if (!this.#entries.has(request.key)) this.#entries.set(request.key, newEntry(request));
    }
    this.#dispatch();
  }

  #dispatch() {
    for (const key of [...this.#needed, ...this.#wanted]) {
      if (this.#loading.size >= (this.#needed.includes(key) ? 2 * AT_ONCE : AT_ONCE)) break;
      const entry = this.#entries.get(key);
      if (entry?.state !== "waiting") continue;
      entry.state = "loading";
      this.#loading.add(entry);
      const { src, width, height, live, isKept } = entry.request;
      const cache = live ? "no-store" : this.#damaged.has(src) ? "reload" : "default";
      entry.giveUp = decode({ src, width, height, cache, isKept }, (result) => this.#finish(entry, result));
    }
    this.#trim();
  }

  #finish(entry, { image, bitmap, isPicture, isColoured, isGrey, status, reason, isDamaged }) {
    this.#loading.delete(entry);
    const { src, live } = entry.request;
    if (bitmap) {
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = [bitmap.width, bitmap.height];
      canvas.getContext("bitmaprenderer").transferFromImageBitmap(bitmap);
      Object.assign(entry, { state: "ready", canvas, isPicture, isColoured, isGrey });
      this.#damaged.delete(src);
      if (!live) holder.keep(src, image);
    } else {
      Object.assign(entry, { state: "failed", status: isDamaged ? null : status, reason: reason ?? null });
      // Report a damaged image, so that the agent makes it again. Images drawn live are not stored anywhere.
      if (isDamaged && !live) {
        this.#damaged.add(src);
        holder.drop(src);
        api.damaged(src);
      }
    }
    entry.settle(entry);
    this.#dispatch();
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
  entry.settled = new Promise((resolve) => { entry.settle = resolve; });
  return entry;
}

/// Requests for images that may stand in for the requested image, best first: the page with its earlier marks, without marks, with marks,
/// and in an older version. `kind` names how an image differs from the requested one; null if it does not differ.
function standInsFor(request) {
  const page = request.chart.pages[request.page];
  const isMarked = page.marked && request.src === page.annotated.src;
  const former = request.src === page.annotated.src ? page.former ?? [] : [];
  const seen = new Set([request.src]);
  const kindOf = (src) => {
    if (src === page.annotated.src) return page.marked ? "marked" : null;
    if (!isMarked) return src === page.plain.src ? null : "older";
    return src === page.plain.src || src === page.plain.older ? "unmarked" : "older marks";
  };
  return [...former.map((image) => image.src), page.plain.src, page.annotated.src, page.plain.older]
    .filter((src) => src && !seen.has(src) && seen.add(src))
    .map((src) => ({ ...request, src, kind: kindOf(src), key: keyOf({ ...request, src }) }));
}

/// The page's own script, which acts as the decoder when a worker runs it; the browser has loaded it already.
const OWN = document.querySelector('script[src^="/assets/"]').src;
/// A worker is started when it is first needed, but at most this long (ms) after the tab was opened, and runs until the tab is closed.
const SETTLED = 1000;
let worker = null;
let numbers = 0;
/// The callbacks for answers, by number.
const waiting = new Map();

function begin() {
  worker = new Worker(OWN);
  worker.onmessage = ({ data }) => {
    const done = waiting.get(data.id);
    waiting.delete(data.id);
    if (done) done(data);
    else data.bitmap?.close();
  };
  // The worker could not be started: all requests fail, and the next request tries again.
  worker.onerror = () => {
    worker.terminate();
    worker = null;
    for (const [id, done] of [...waiting]) {
      waiting.delete(id);
      done({ status: 0 });
    }
  };
}

/// Fetches an image unless this browser has it, decodes and scales it, and calls back with the result. The returned function cancels.
export function decode(order, done) {
  if (!worker) begin();
  const id = ++numbers;
  waiting.set(id, done);
  worker.postMessage({ id, held: holder.imageAt(order.src), ...signed(order) });
  return () => { if (waiting.delete(id)) worker?.postMessage({ id, drop: true }); };
}

// Start the worker before it is needed, since it cannot be started while the agent is away. Wait until the first page is shown.
setTimeout(() => { if (!worker) begin(); }, SETTLED);
