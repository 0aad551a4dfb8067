// Brings a whole plan into this browser between page turns: every chart's description, every page's image, and the drawing tools.
// The script keeps the images itself, since a browser's cache may drop them. A complete plan can be played without the agent.
import { mayChange, signed } from "./api.js";
import { book, near, setOf } from "./books.js";
import { fetchLater, isLaterHere, later } from "./later.js";
import { imageOf, otherImageOf } from "./margins.js";
import { on } from "./events.js";
import { copyOf, pictureAt } from "./pictures.js";
import { Retry } from "./retry.js";
import { settings } from "./settings.js";
import { hasShelf, putOnShelf } from "./shelf.js";

/// How many bytes of one plan are kept: the browser needs memory for everything else, too.
const BUDGET = 256_000_000;
/// The pauses (ms) before missing parts are requested again: the first one, and the longest.
const [SOON, LATE] = [5000, 300_000];
/// Songs in other keys are fetched this long (ms) after the last change of the plan: while somebody draws, the plan
/// changes with each stroke.
const QUIET = 2000;

class PlanHolder {
  /// The plan being fetched, as `{id, places}`; places are in the order in which they are needed.
  #plan = null;
  /// The images that this browser has, as received, by their addresses.
  #here = new Map();
  #task = 0;
  #nearTimer = 0;
  #retry = new Retry(SOON, LATE);
  #isBusy = () => false;
  #listeners = new Set();

  /// Starts with a plan from the shelf.
  beginWith([id, data], images) { [this.#plan, this.#here] = [{ id, places: placesOf(id, data, null), pages: data.plan.pages }, images]; }

  /// Fetches a plan, starting with an item and those after it. `data` is the agent's description of the plan.
  bring(id, data, item = null) {
    if (this.#plan?.id !== id) this.#here = new Map();
    this.#plan = { id, places: placesOf(id, data, item), pages: data.plan.pages };
    this.again();
  }

  again() {
    this.#retry.reset();
    clearTimeout(this.#nearTimer);
    if (this.#plan) this.#bring(++this.#task, false);
  }

  /// Sets the function that returns whether the reader waits for a page: nothing else is fetched then.
  giveWayTo(isBusy) { this.#isBusy = isBusy; }

  /// An image that this browser has, or null.
  imageAt(src) { return this.#here.get(src) ?? null; }

  /// As the function `pictureAt` of pictures.js, but does not fetch an image that this browser has.
  async pictureAt(src) {
    const image = this.imageAt(src);
    return image ? copyOf(image) : pictureAt(src);
  }

  /// Keeps an image that was fetched for the stage. Images outside the plan are dropped together with replaced ones.
  keep(src, image) {
    if (this.#plan && !this.#here.has(src) && this.#hasRoom) this.#here.set(src, image);
  }

  /// Forgets an image that cannot be shown, to have it fetched again.
  drop(src) { this.#here.delete(src); }

  get #hasRoom() { return [...this.#here.values()].reduce((sum, image) => sum + image.size, 0) <= BUDGET; }

  /// Calls back whenever the progress changes; returns a function that stops the calls.
  listen(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /// The progress, `{plan, here, all, missing, isWhole}`: how many of the plan's pages are in this browser, and how many charts lack a
  /// description. `isWhole` includes the drawing tools.
  get progress() {
    if (!this.#plan) return null;
    const charts = this.#plan.places.map((place) => book.peek(place));
    const missing = charts.filter((chart) => !chart).length;
    const images = charts.flatMap((chart) => (chart ? imagesOf(chart) : []));
    const here = images.filter((image) => this.#here.has(image.src)).length;
    // Until every chart is described, the agent's own count is better.
    const all = missing === 0 ? images.length : Math.max(images.length, this.#plan.pages);
    return { plan: this.#plan.id, here, all, missing, isWhole: missing === 0 && here >= all && all > 0 && isLaterHere() };
  }

  async #bring(task, isSecond) {
    const isLatest = () => task === this.#task;
    let isMissing = false;
    this.#forgetReplaced();
    for (const place of this.#plan.places) {
      if (!(await this.#idle(isLatest))) return;
      const chart = await this.#describe(place, isSecond).catch(() => null);
      if (!isLatest()) return;
      if (!chart) {
        isMissing = true;
        continue;
      }
      // The agent draws missing images in its own order. A chart on the stand is not described again: request its images regardless.
      const isDue = isSecond && book.isOnStand(place);
      if (!(await this.#bringImages(imagesOf(chart), isLatest, isDue))) isMissing = true;
      if (!isLatest()) return;
      this.#report();
    }
    await fetchLater().catch(() => { isMissing = true; });
    if (!isLatest()) return;
    this.#report();
    // Then bring the images with or without marks, whichever the musician has not chosen, in case the musician changes the setting.
    for (const place of this.#plan.places) {
      const chart = book.peek(place);
      const others = chart ? imagesOf(chart, otherImageOf).filter((image) => image.here) : [];
      if (!(await this.#bringImages(others, isLatest))) isMissing = true;
      if (!isLatest()) return;
    }
    const set = setOf(this.#plan.id);
    if (set.plan[1]) putOnShelf(set, new Map(this.#here));
    if (isMissing) this.#retry.later(() => isLatest() && this.#bring(task, true));
    // Fetch other keys only on the agent's own computer: other browsers are on a network that is shared with others.
    else if (hasShelf && mayChange) this.#nearTimer = setTimeout(() => this.#bringNear(isLatest), QUIET);
  }

  /// Fetches the plan's songs in the nearest keys.
  async #bringNear(isLatest) {
    const found = await later("near")(this.#plan.places, async (chart) => {
      if (!this.#hasRoom || !(await this.#idle(isLatest))) return null;
      await this.#bringImages(imagesOf(chart), isLatest, true);
      return isLatest() ? imagesOf(chart).every(({ src }) => this.#here.has(src)) : null;
    });
    if (found?.come > 0) putOnShelf(setOf(this.#plan.id), new Map(this.#here));
    if (found?.areHere === false) this.#retry.later(() => isLatest() && this.#bringNear(isLatest));
  }

  /// Frees the room of images that marks or another chart replaced. Does nothing while a chart lacks a description, since the chart
  /// may need any of the images.
  #forgetReplaced() {
    const charts = this.#plan.places.map((place) => book.known(place));
    if (charts.includes(null)) return;
    charts.push(...book.waiting.map(({ chart }) => chart));
    for (const other of near.values()) charts.push(...[...other.charts.values()].map(({ chart }) => chart));
    const shown = new Set(charts.flatMap((chart) => [...imagesOf(chart), ...imagesOf(chart, otherImageOf)]).map((image) => image.src));
    for (const src of this.#here.keys()) if (!shown.has(src)) this.#here.delete(src);
  }

  async #bringImages(images, isLatest, isDue = false) {
    let areHere = true;
    for (const image of images) {
      if (!(await this.#idle(isLatest))) return false;
      if (this.#here.has(image.src) || !this.#hasRoom) continue;
      if (!(image.here || isDue) || !(await this.#fetch(image.src))) areHere = false;
    }
    return areHere;
  }

  /// A chart's description. On a second try, it is read again if it lists images that are not drawn, unless the chart is on the stand.
  async #describe(place, isSecond) {
    const known = await book.load(place);
    const isWhole = imagesOf(known).every((image) => image.here || this.#here.has(image.src));
    return isWhole || !isSecond || book.isOnStand(place) ? known : book.read(place);
  }

  async #fetch(src) {
    try {
      const reply = await fetch(src, signed({ priority: "low", signal: AbortSignal.timeout(30_000) }));
      const image = reply.ok ? await reply.blob() : null;
      if (!image?.size) return false;
      this.#here.set(src, image);
      return true;
    } catch {
      return false;
    }
  }

  /// Waits while the reader waits for a page; false if another task has replaced this one by then.
  async #idle(isLatest) {
    while (isLatest() && this.#isBusy()) await new Promise((resolve) => setTimeout(resolve, 60));
    return isLatest();
  }

  #report() { for (const listener of this.#listeners) listener(this.progress); }
}

export const holder = new PlanHolder();

// While music is on the stand, the reader takes over changes of charts. In any case, look for missing images again.
let soon = 0;
function againSoon() {
  clearTimeout(soon);
  soon = setTimeout(() => holder.again(), 500);
}
function onNews(kind, act) {
  on(kind, (event) => {
    if (event.again === false) return;
    if (document.body.dataset.view !== "chart") act(event);
    againSoon();
  });
}
onNews("page", (event) => book.markPage(event));
on("ink", (event) => book.markInk(event));
onNews("chart", ({ chart }) => book.renew(chart));
onNews("open", () => book.doubtOthers({}));
settings.listen((name) => name === "marks" && againSoon());

/// The images shown when a chart is played; pages that its order leaves out are never needed.
export const imagesOf = (chart, choose = imageOf) =>
  [...new Set(chart.order)].map((index) => chart.pages[index]).filter(Boolean).map((page) => ({ page: page.index, ...choose(page) }));

/// Every chart of the plan once: each item's first chart to be played, starting at this item and wrapping around, then the other charts.
function placesOf(plan, data, from) {
  const items = data.items.filter((item) => item.charts.length > 0);
  const start = Math.max(0, items.findIndex((item) => item.id === from));
  const order = [...items.slice(start), ...items.slice(0, start)];
  const chosen = settings.get("chosen");
  const rank = (place) => (place.chart === chosen[place.item] ? 0 : 1);
  const places = (item) => item.charts.map((chart) => ({ chart: chart.id, plan, item: item.id })).sort((a, b) => rank(a) - rank(b));
  const all = order.map(places);
  return [...all.map(([first]) => first), ...all.flatMap(([, ...others]) => others)];
}
