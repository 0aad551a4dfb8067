// Reading view: which page is shown, which is wanted, and how to get there. The old page stays until the new one can replace it at once.
import { api } from "./api.js";
import { h, say } from "./dom.js";
import { Bar } from "./reader-bar.js";
import { Cue } from "./cue.js";
import { book } from "./chart-book.js";
import { holder } from "./plan-holder.js";
import { Hint } from "./reader-hint.js";
import { News } from "./reader-news.js";
import { Commands } from "./reader-commands.js";
import { Input } from "./reader-input.js";
import { PageStore } from "./page-store.js";
import { RunningOrder, remember } from "./running-order.js";
import { Stage } from "./stage.js";
import { Telling } from "./telling.js";
import { TurnClock } from "./turn-clock.js";
import { ahead, liveRequestFor, neighbour, neighbourItem, pagesOf, requestsFor, sameChart, sameKeys, samePlace, sheetAt, stopAt } from "./reader-pages.js";
import { cardFor, thumbnailFor } from "./page-cards.js";
import { chartAddress } from "./routes.js";
import { keepAwake } from "./wake.js";
import { settings } from "./settings.js";
import { knownPlan, readPlan } from "./plan-book.js";
import { failureOf, nameShown, partsOf, titleOf } from "./stage-parts.js";
import { bestOf } from "./stand-ins.js";

/// How long (ms) after a turn the rest follows, which can wait: the address, the agent, sharper images.
const REST = 180;
/// A page that takes longer than this (ms) deserves a word.
const PATIENCE = 200;
/// The pauses (ms) between tries to get an image that was not available: the first one, and the longest.
const SOON = 2000;
const LATE = 30_000;
/// Stands in for a chart that could not be read.
const NO_PAGES = { order: [], pages: [], next: null, previous: null };

export class Reader {
  element = h("div", { class: "reader" });
  stage = new Stage();
  store = new PageStore();
  book = book;
  order = null;
  /// What is on screen: `{place, chart, positions, beside}`; null before the first page.
  shown = null;
  /// Where the musician wants to be.
  goal = null;
  #task = 0;
  #stepsDue = 0;
  /// Whether another chart has come since the rest was last done.
  #isNew = false;
  #rest = 0;
  #patience = 0;
  #ends = [];
  #hint = new Hint();
  cue = new Cue();
  /// What is on the stage: requests, with null for a card; asking for the same again is no reason to change it.
  #onStage = [];
  #again = 0;
  #pause = SOON;
  telling = new Telling();
  #clock = new TurnClock();
  #route;

  constructor(route) {
    this.#route = route;
  }

  start() {
    this.commands = new Commands(this);
    this.bar = new Bar(this);
    this.news = new News(this);
    this.input = new Input(this);
    this.element.append(this.stage.element, this.bar.element, this.bar.strip.element, this.#hint.element, this.cue.element, this.news.element);
    const resized = new ResizeObserver(() => this.#resized());
    resized.observe(this.stage.element);
    this.#ends = [
      () => resized.disconnect(), keepAwake(), () => this.input.stop(), () => this.news.stop(),
      settings.listen((name) => this.#settingChanged(name)),
    ];
    holder.giveWayTo(() => this.store.isBusy);
    book.isOnStand = (place) => [this.shown?.place, this.shown?.beside?.place, this.goal].some((each) => each && sameChart(each, place));
    this.open(this.#route);
  }

  stop() {
    holder.giveWayTo(() => false);
    book.isOnStand = () => false;
    this.goal = null;
    this.#task += 1;
    for (const timer of [this.#rest, this.#patience, this.#again]) clearTimeout(timer);
    for (const end of this.#ends) end();
    this.store.close();
  }

  /// Opens a chart at a page (from 1).
  async open({ chart, plan, item, page = 1 }, start = performance.now()) {
    this.#stepsDue = 0;
    const place = { chart, plan, item, position: page - 1, half: null };
    const going = this.goTo(place, { start, kind: "open" });
    if (plan && this.order?.plan !== plan) {
      api.look(plan);
      await this.takeOrder(plan).catch(() => null);
    }
    await going;
  }

  /// Reads the plan's running order, and follows it from now on.
  async takeOrder(plan) {
    const known = knownPlan(plan);
    if (known) this.useOrder(plan, known);
    await readPlan(plan, (data) => {
      if (this.goal?.plan !== plan) return;
      if (this.order?.plan === plan) this.news.compare(data);
      else this.useOrder(plan, data);
    });
  }

  /// Plays by this running order from now on.
  useOrder(plan, data) {
    this.order = new RunningOrder(plan, data);
    holder.bring(plan, data, (this.shown?.place ?? this.goal)?.item);
    if (this.shown) this.#follow();
  }

  /// One turn forward (+1) or back (−1); a page taller than the screen is scrolled first. False if there is nowhere to go.
  step(direction, start = performance.now()) {
    if (!this.goal) return false;
    this.bar.hide();
    const isThere = this.shown && samePlace(this.shown.place, this.goal);
    // A chart that could not be read is shown as a card, which can be turned like a page.
    const chart = this.book.peek(this.goal) ?? (isThere ? NO_PAGES : null);
    if (!chart) this.#stepsDue += direction;
    if (!chart) return true;
    if (isThere && !this.goal.half && this.stage.scroll(direction)) return true;
    const halves = settings.get("half") && settings.get("fit") === "page" && this.stage.zoom === 1;
    const next = neighbour(this.goal, chart, direction, { ...this.#context, halves });
    if (next) this.goTo(next, { start, at: direction > 0 ? "start" : "end" });
    else this.cue.tellEdge(direction, this.order?.item(this.goal.item));
    return next !== null;
  }

  /// Goes to the item before or after, to its first page.
  stepItem(direction, start = performance.now()) {
    if (!this.goal) return;
    this.#stepsDue = 0;
    this.bar.hide();
    const next = neighbourItem(this.goal, this.book.peek(this.goal) ?? NO_PAGES, direction, this.#context);
    if (next) this.goTo({ ...next, position: 0, half: null }, { start });
    else this.cue.show(direction > 0 ? "This is the last item" : "This is the first item");
  }

  toPosition(position, start = performance.now()) {
    this.#stepsDue = 0;
    if (this.goal) this.goTo({ ...this.goal, position, half: null }, { start });
  }

  /// Shows the same place again, with other marks, at another size or with another setting.
  refresh() {
    if (this.goal) return this.goTo(this.goal, { at: "keep" });
    return null;
  }

  /// What decides which pages are neighbours.
  get #context() {
    return { stage: this.stage, order: this.order, book: this.book };
  }

  /// The only way to show anything. If two overlap, the later one wins.
  async goTo(wish, { start = null, at = "start", kind = "turn", isQuiet = false } = {}) {
    const task = ++this.#task;
    const isLatest = () => task === this.#task;
    const asked = at === "keep" && wish.asked ? { ...wish.asked, half: wish.half } : wish;
    this.goal = asked;
    clearTimeout(this.#again);
    if (!isQuiet) this.#wait(isLatest);
    let chart = this.book.peek(asked);
    if (!chart) {
      try {
        chart = await this.book.load(asked);
      } catch (error) {
        if (!isLatest()) return;
        this.#stepsDue = 0;
        const sentence = error.status === 404 ? "This chart is not here, or no longer here." : this.order?.reasonFor(asked) ?? error.message;
        this.#showCard({ ...asked, position: 0, half: null }, null, sentence);
        return;
      }
      if (!isLatest()) return;
    }
    const sheet = sheetAt(asked, chart, this.#context);
    const { place, positions } = sheet;
    this.goal = place;
    if (this.#stepsDue !== 0) {
      const direction = Math.sign(this.#stepsDue);
      this.#stepsDue -= direction;
      if (this.step(direction, start ?? undefined)) return;
      this.#stepsDue = 0;
    }
    if (positions.length === 0) {
      this.#showCard(place, chart, this.order?.reasonFor(place) ?? "This chart has no pages here yet.");
      return;
    }
    await this.#showPages(sheet, { start, at, kind, isLatest, isQuiet });
  }

  async #showPages(sheet, { start, at, kind, isLatest, isQuiet, isSecond = false }) {
    const { place, chart } = sheet;
    const { all, number } = stopAt(chart, place.position, this.stage);
    const isSame = this.shown && samePlace(this.shown.place, place);
    // Who has enlarged a page to read it wants the next one as large.
    const keepsZoom = this.shown && sameChart(this.shown.place, place);
    const zoom = keepsZoom ? this.stage.zoom : 1;
    const requests = requestsFor(pagesOf(place.half ? { ...sheet, positions: all[number + 1] ?? all[number] } : sheet), this.stage, zoom);
    // Half a turn also needs the stop that remains below it, unless it is on screen (the window may have been enlarged).
    const under = place.half ? requestsFor(pagesOf(sheet), this.stage) : [];
    const needed = [...under, ...requests];
    this.store.need(needed);
    this.store.want(this.#ahead(place, chart));
    const wasReady = needed.every((request) => this.store.ready(request));
    let [shown, below, failure] = [requests, under, null];
    if (!wasReady) {
      if (!isSame) this.telling.tell(place, chart);
      if (this.stage.isEmpty) {
        this.stage.show(requests.map(thumbnailFor), { fit: settings.get("fit") });
        this.#onStage = [null];
        this.bar.show(sheet, this.order);
      }
      const outcomes = await Promise.all(needed.map((request) => this.store.settled(request)));
      if (!isLatest()) return;
      if (!isSecond && outcomes.some((entry) => entry?.status === 410)) {
        // Marks were saved after the chart's description was read, or the chart was replaced: the description is read
        // again, once.
        const fresh = await this.news.reviewAll(needed.filter((_, i) => outcomes[i]?.status === 410)).catch(() => true);
        if (!isLatest()) return;
        if (fresh) {
          await this.#showPages(sheetAt(place, this.book.peek(place) ?? chart, this.#context), { start, at, kind, isLatest, isQuiet, isSecond: true });
          return;
        }
      }
      failure = failureOf(outcomes, pagesOf(sheet).some((each) => this.news.isReplaced(each.chart)));
      const found = await bestOf(needed, this.store, isLatest);
      if (!isLatest()) return;
      [below, shown] = [found.slice(0, under.length), found.slice(under.length)];
    }
    this.stage.zoom = zoom;
    const found = [...below, ...shown];
    const isHere = found.every(Boolean);
    // What is already shown is better than a card, even if it is not as large or as new as it should be.
    const stays = isSame && ((isQuiet && sameKeys(found, this.#onStage)) || (!isHere && this.#covers(needed)));
    if (!stays) {
      if (below.length > 0) this.stage.show(this.#parts(under, below, failure), { fit: settings.get("fit") });
      const parts = this.#parts(requests, shown, failure);
      this.stage.show(parts, { fit: settings.get("fit"), half: place.half, at: isSame ? "keep" : at, keepsSide: keepsZoom });
      this.#onStage = found;
    }
    if (!stays || !isQuiet) this.#arrived(sheet, this.#onStage.every(Boolean) ? "ready" : "failed");
    this.#explain(found.every((request) => request && !request.kind), failure, isSame);
    if (start !== null && isHere) this.#clock.turned(kind, start, { chart: chart.id, page: document.body.dataset.page, wasReady });
  }

  /// Whether these same pages are on the stage, at whatever size and from whatever time.
  #covers(requests) {
    return requests.length === this.#onStage.length
      && requests.every((request, i) => this.#onStage[i]?.position === request.position && sameChart(this.#onStage[i].place, request.place));
  }

  /// Says what is shown instead of the right image, and tries again before long.
  #explain(isWhole, failure, isSame) {
    if (isWhole || !isSame) this.#pause = SOON;
    if (isWhole) {
      this.#hint.hide();
      return;
    }
    const kind = this.#onStage.find((request) => request?.kind)?.kind ?? "older";
    if (this.#onStage.every(Boolean)) this.#hint.show(kind, failure?.reason, failure?.status === 0);
    else this.#hint.hide();
    // What helps is the offer of a new version, or signing in again; either shows the page again.
    if (failure?.isFinal) return;
    this.#again = setTimeout(() => this.goTo(this.goal, { at: "keep", isQuiet: true }), this.#pause);
    this.#pause = Math.min(this.#pause * 2, LATE);
  }

  #parts(wanted, found, failure) {
    return partsOf(wanted, found, this.store, failure, { retry: () => this.refresh(), takeNew: () => this.news.takeNew(this.goal) });
  }

  #arrived(sheet, state) {
    if (!this.shown || !sameChart(this.shown.place, sheet.place)) this.#isNew = true;
    this.shown = sheet;
    clearTimeout(this.#patience);
    this.element.classList.remove("waiting");
    nameShown(this.shown, state);
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => this.#settled(), REST);
  }

  /// Does what can wait until nobody is turning pages.
  #settled() {
    const { place, chart, positions } = this.shown;
    const isNew = this.#isNew;
    this.#isNew = false;
    const page = (positions[0] ?? 0) + 1;
    history.replaceState(history.state, "", chartAddress({ ...place, page }));
    document.title = titleOf(this.shown);
    this.bar.show(this.shown, this.order);
    if (!chart) return;
    this.cue.tellPlace(this.shown, this.order, { isNew, isSeen: this.bar.isShown });
    if (isNew) {
      remember(place.item, place.chart);
      this.news.left(place);
    }
    if (isNew && this.book.isDoubted(place)) this.news.check(place.chart);
    if (positions.length > 0) this.telling.tell(place, chart);
    this.#follow();
    this.#sharpen();
  }

  /// Prepares what comes next, now that more is known about it.
  #follow() {
    const { place, chart } = this.shown;
    if (!chart || !samePlace(place, this.goal)) return;
    for (const direction of [1, -1]) {
      const next = neighbourItem(place, chart, direction, this.#context);
      if (next) this.book.load(next).catch(() => null);
    }
    // Images that were not available are tried again when their pause is over.
    const now = this.#hint.element.hidden ? requestsFor(pagesOf(this.shown), this.stage, this.stage.zoom) : this.#onStage.filter(Boolean);
    this.store.want([...now, ...this.#ahead(place, chart)]);
  }

  #ahead(place, chart) {
    const missing = (next) => this.book.load(next).then(() => this.shown && this.#follow(), () => null);
    return ahead(place, chart, this.#context, missing);
  }

  /// If the screen has more pixels than the image in the cache, draws the page again at that size.
  async #sharpen() {
    const task = this.#task;
    const { place, chart, positions } = this.shown;
    // A larger image would be drawn from the same chart and marks that could not be drawn just now.
    if (!samePlace(place, this.goal) || place.half || positions.length === 0 || !this.#hint.element.hidden) return;
    const now = requestsFor(pagesOf(this.shown), this.stage, this.stage.zoom);
    const { slots } = this.stage.layout(now.map((request) => request.size), settings.get("fit"));
    const live = now.map((request, i) => liveRequestFor(request, slots[i]));
    if (live.every((request) => request === null)) return;
    const wanted = now.map((request, i) => live[i] ?? request);
    this.store.want([...now, ...wanted, ...this.#ahead(place, chart)]);
    await Promise.all(wanted.map((request) => this.store.settled(request)));
    if (task !== this.#task || !wanted.every((request) => this.store.ready(request))) return;
    this.stage.show(this.#parts(wanted, wanted, null), { fit: settings.get("fit"), at: "keep" });
    this.#onStage = wanted;
  }

  /// After a zoom: stretched at once, sharp once the fingers rest.
  zoomed() {
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => this.refresh(), REST);
  }

  #resized() {
    if (!this.shown) return;
    this.stage.relayout(settings.get("fit"));
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => this.refresh(), 60);
  }

  #settingChanged(name) {
    if (["fit", "margins", "boxes", "spread", "half"].includes(name)) {
      this.stage.zoom = 1;
      if (this.goal) this.goal = { ...this.goal, half: null };
    }
    if (["fit", "margins", "boxes", "spread", "half", "night", "paper", "marks"].includes(name)) this.refresh();
    this.bar.nameSettings();
  }

  #wait(isLatest) {
    document.body.dataset.state = this.shown ? "turning" : "loading";
    clearTimeout(this.#patience);
    this.#patience = setTimeout(() => isLatest() && this.element.classList.add("waiting"), PATIENCE);
  }

  #showCard(place, chart, sentence) {
    this.goal = place;
    const size = { width: 210, height: 297 };
    this.stage.zoom = 1;
    const title = chart?.title ?? "This chart cannot be shown";
    this.stage.show([cardFor({ size, label: title }, sentence, () => this.retry(place))], { fit: "page" });
    this.#onStage = [null];
    this.#hint.hide();
    this.store.need([]);
    this.store.want(chart ? this.#ahead(place, chart) : []);
    this.#arrived({ place, chart, positions: [], beside: null }, "missing");
    say(`${title}. ${sentence}`);
  }

  async retry(place) {
    await this.news.review(place).catch(() => null);
    this.goTo(place);
  }
}
