// Reading view: which page is shown, which is wanted, and how to get there. The old page stays until the new one can replace it at once.
import { api } from "./api.js";
import { arrivalOf } from "./arrival.js";
import { book, knownPlan, readPlan } from "./books.js";
import { Cue, Hint } from "./cue.js";
import { h, keepAwake, say } from "./dom.js";
import { holder } from "./plan-holder.js";
import { Bar } from "./reader-bar.js";
import { Commands } from "./reader-commands.js";
import { Input } from "./reader-input.js";
import { Life, isWish } from "./reader-life.js";
import { News } from "./reader-news.js";
import { ahead, neighbour, neighbourItem, sheetAt, stopAt } from "./reader-pages.js";
import { liveRequestFor, pagesOf, requestsFor, sameChart, samePlace } from "./reader-pages.js";
import { PageStore } from "./page-store.js";
import { chartAddress } from "./routes.js";
import { RunningOrder, remember } from "./running-order.js";
import { settings } from "./settings.js";
import { Stage } from "./stage.js";
import { cardFor, failureOf, nameShown, partsOf, thumbnailFor, titleOf } from "./stage-parts.js";
import { TurnClock } from "./turn-clock.js";

/// How long (ms) after a turn the rest follows, which can wait: the address, the agent; and sharper images, for nobody who leafs through.
const [REST, SHARP] = [180, 700];
/// A page that takes longer than this (ms) deserves a sign, and after so long a word.
const [PATIENCE, LONG] = [200, 3000];
/// The pauses (ms) between tries to get an image that was not available: the first one, and the longest.
const SOON = 2000;
const LATE = 30_000;
const NO_PAGES = { order: [], pages: [], next: null, previous: null };
/// Settings that move pages, and others that change how they look.
const SHAPES = ["fit", "margins", "boxes", "spread", "half"];
const LOOKS = ["night", "paper", "marks", "scans"];

export class Reader {
  element = h("div", { class: "reader" });
  stage = new Stage();
  store = new PageStore();
  cue = new Cue();
  commands = new Commands(this);
  bar = new Bar(this);
  news = new News(this);
  #input = new Input(this);
  #hint = new Hint();
  #clock = new TurnClock();
  #route;
  #order = null;
  #ends = [];
  #timers = {};
  #life = new Life(SOON);

  constructor(route) { this.#route = route; }

  get #state() { return this.#life.now; }
  /// Where the musician wants to be.
  get goal() { return this.#state.goal; }
  get shown() { return this.#state.sheet; }
  get order() { return this.#order; }
  /// Whether a page is missing on the stage, and nothing else is awaited.
  get isIncomplete() { return !["opening", "waiting"].includes(this.#state.name) && !this.#state.images.every(Boolean); }
  /// What decides which pages are neighbours.
  get #context() { return { stage: this.stage, order: this.#order, book, way: this.#state.way }; }

  start() {
    this.element.append(this.bar.heading, this.stage.where, ...[this.stage, this.news, this.bar, this.bar.strip, this.#hint, this.cue].map((part) => part.element), this.stage.wings);
    const resized = new ResizeObserver(() => this.#resized());
    resized.observe(this.stage.element);
    this.#ends = [
      () => resized.disconnect(), keepAwake(), this.commands.start(), () => this.#input.stop(), () => this.news.stop(),
      settings.listen((name) => this.#settingChanged(name)),
    ];
    holder.giveWayTo(() => this.store.isBusy);
    book.isOnStand = (place) => [this.shown?.place, this.shown?.beside?.place, this.goal].some((each) => each && sameChart(each, place));
    this.open(this.#route);
  }

  stop() {
    holder.giveWayTo(() => false);
    book.isOnStand = () => false;
    this.#transition({ name: "waiting", goal: null });
    for (const timer of Object.values(this.#timers)) clearTimeout(timer);
    for (const end of this.#ends) end();
    this.store.close();
  }

  #transition(changes) {
    if (isWish(changes)) for (const name of ["again", "sharp"]) clearTimeout(this.#timers[name]);
    return this.#life.change(changes);
  }

  /// Does something later, instead of what was to be done later under the same name.
  #after(pause, name, act) {
    clearTimeout(this.#timers[name]);
    this.#timers[name] = setTimeout(act, pause);
  }

  /// Opens a chart at a page (from 1).
  async open({ chart, plan, item, page = 1 }, start = performance.now()) {
    this.#transition({ stepsDue: 0 });
    const going = this.goTo({ chart, plan, item, position: page - 1, half: null }, { start, kind: "open" });
    if (plan && this.#order?.plan !== plan) {
      api.look(plan);
      await this.takeOrder(plan).catch(() => null);
    }
    await going;
  }

  /// Reads a plan's running order, and follows it from now on.
  async takeOrder(plan) {
    const known = knownPlan(plan);
    if (known) this.useOrder(plan, known);
    await readPlan(plan, (data) => {
      if (this.goal?.plan !== plan) return;
      if (this.#order?.plan === plan) this.news.compare(data);
      else this.useOrder(plan, data);
    });
  }

  useOrder(plan, data) {
    this.#order = new RunningOrder(plan, data);
    holder.bring(plan, data, (this.shown?.place ?? this.goal)?.item);
    if (this.shown) this.#follow();
  }

  /// Takes over what the plan says now about the same running order: states and reasons.
  updateOrder(data) { this.#order = new RunningOrder(this.#order.plan, data); }

  /// One turn forward (+1) or back (−1); a page taller than the screen is scrolled first. False if there is nowhere to go.
  step(direction, start = performance.now()) {
    const { goal, sheet, stepsDue } = this.#state;
    if (!goal) return false;
    const isThere = sheet && samePlace(sheet.place, goal);
    // A chart that could not be read is shown as a card, which can be turned like a page.
    const chart = book.peek(goal) ?? (isThere ? NO_PAGES : null);
    // While the controls are shown, less of the page is seen: what is scrolled by depends on that.
    const isScrolled = chart !== null && isThere && !goal.half && this.stage.scroll(direction);
    this.bar.hide();
    if (!chart) this.#transition({ stepsDue: stepsDue + direction });
    if (!chart || isScrolled) return true;
    const halves = settings.get("half") && settings.get("fit") === "page" && this.stage.zoom === 1;
    const next = neighbour(goal, chart, direction, { ...this.#context, halves });
    if (next) this.goTo(next, { start, at: direction > 0 ? "start" : "end" });
    else this.cue.tellEdge(direction, this.#order?.item(goal.item));
    return next !== null;
  }

  /// Goes to the first page of the item before or after.
  stepItem(direction, start = performance.now()) {
    if (!this.goal) return;
    this.#transition({ stepsDue: 0 });
    this.bar.hide();
    const next = neighbourItem(this.goal, book.peek(this.goal) ?? NO_PAGES, direction, this.#context);
    if (next) this.goTo({ ...next, position: 0, half: null }, { start });
    else this.cue.show(direction > 0 ? "This is the last item" : "This is the first item");
  }

  toPosition(position, start = performance.now()) {
    this.#transition({ stepsDue: 0 });
    if (this.goal) this.goTo({ ...this.goal, position, half: null }, { start });
  }

  /// Shows the same place again, with other marks, at another size or with another setting.
  refresh() { if (this.goal) this.goTo(this.goal, { at: "keep" }); }

  /// The only way to show anything.
  async goTo(wish, { start = null, at = "start", kind = "turn", isQuiet = false } = {}) {
    const asked = at === "keep" && wish.asked ? { ...wish.asked, half: wish.half } : wish;
    const way = at === "keep" ? this.#state.way : at === "end" ? -1 : 1;
    const counts = this.#transition({ name: isQuiet ? "retrying" : "waiting", goal: asked, way });
    if (!isQuiet) {
      document.body.dataset.state = this.shown ? "turning" : "loading";
      this.#after(PATIENCE, "patience", () => counts() && this.element.classList.add("waiting"));
      this.#after(LONG, "long", () => counts() && this.#hint.show("awaited", "Woodshed’s agent has not sent it yet", true));
    }
    let chart = book.peek(asked);
    if (!chart) {
      try {
        chart = await book.load(asked);
      } catch (error) {
        if (!counts()) return;
        this.#transition({ stepsDue: 0 });
        const reason = this.#order?.reasonFor(asked) ?? error.message;
        const sentence = error.status === 404 ? `This chart is not ${this.goal?.plan ? "in this plan" : "here"}, or no longer here.` : reason;
        this.#showCard({ ...asked, position: 0, half: null }, null, sentence);
        return;
      }
      if (!counts()) return;
    }
    const sheet = sheetAt(asked, chart, this.#context);
    const { stepsDue } = this.#state;
    const direction = Math.sign(stepsDue);
    this.#transition({ goal: sheet.place, stepsDue: stepsDue - direction });
    if (direction !== 0) {
      if (this.step(direction, start ?? undefined)) return;
      this.#transition({ stepsDue: 0 });
    }
    if (sheet.positions.length > 0) await this.#showPages(sheet, { start, at, kind, isQuiet, counts });
    else this.#showCard(sheet.place, chart, this.#order?.reasonFor(sheet.place) ?? "This chart has no pages here yet.");
  }

  async #showPages(sheet, turn, isSecond = false) {
    const { place, chart } = sheet;
    // Who has enlarged a page to read it wants the next one as large.
    const keepsSide = this.shown && sameChart(this.shown.place, place);
    const zoom = keepsSide ? this.stage.zoom : 1;
    const { over, under } = this.#requestsOf(sheet, zoom);
    const needed = [...under, ...over];
    this.store.need(needed);
    this.store.want(this.#ahead(place, chart));
    const wasReady = needed.every((request) => this.store.ready(request));
    if (!wasReady) this.#await(sheet, over);
    const { found, failure, isOutdated } = wasReady ? { found: needed, failure: null } : await this.#fetched(needed, sheet, turn.counts, isSecond);
    if (isOutdated) return this.#showPages(sheetAt(place, book.peek(place) ?? chart, this.#context), turn, true);
    if (!found) return;
    this.stage.zoom = zoom;
    const isSame = this.#isShown(place);
    const arrival = arrivalOf({ isSame, isUnasked: turn.isQuiet }, needed, found, this.#state.images, failure);
    if (arrival.stage === "show") {
      const [below, above] = [found.slice(0, under.length), found.slice(under.length)];
      const fit = settings.get("fit");
      if (below.length > 0) this.stage.show(this.#parts(under, below, failure), { fit });
      this.stage.show(this.#parts(over, above, failure), { fit, half: place.half, at: isSame ? "keep" : turn.at, keepsSide });
    }
    this.#transition({ name: "shown", images: arrival.images });
    if (arrival.isTold) this.#arrive("shown", sheet, arrival.condition);
    this.#explain(arrival, failure, isSame);
    if (turn.start === null || !arrival.isHere) return;
    this.#clock.turned(turn.kind, turn.start, { chart: chart.id, page: document.body.dataset.page, wasReady });
  }

  #isShown(place) { return this.shown && samePlace(this.shown.place, place); }

  /// While images are fetched, the agent knows which, and thumbnails stand in for the first.
  #await(sheet, over) {
    if (!this.#isShown(sheet.place)) this.news.tell(sheet.place, sheet.chart);
    if (!this.stage.isEmpty) return;
    this.stage.show(over.map(thumbnailFor), { fit: settings.get("fit") });
    this.#transition({ images: [null] });
    this.bar.show(sheet, this.#order);
  }

  /// The images for a sheet. Half a turn also needs those of the stop that remains below it: it may be on screen in another size.
  #requestsOf(sheet, zoom) {
    if (!sheet.place.half) return { over: requestsFor(pagesOf(sheet), this.stage, zoom), under: [] };
    const { all, number } = stopAt(sheet.chart, sheet.place.position, this.stage);
    const next = { ...sheet, positions: all[number + 1] ?? all[number] };
    return { over: requestsFor(pagesOf(next), this.stage, zoom), under: requestsFor(pagesOf(sheet), this.stage) };
  }

  /// What there is for these requests, with stand-ins, once all of them have been fetched or refused: `{found, failure}`; `{isOutdated}` if
  /// the sheet's description was, and nothing if the turn no longer counts.
  async #fetched(needed, sheet, counts, isSecond) {
    const outcomes = await Promise.all(needed.map((request) => this.store.settled(request)));
    if (!counts()) return {};
    const gone = needed.filter((_, i) => outcomes[i]?.status === 410);
    if (!isSecond && gone.length > 0) {
      // Marks were saved after the chart's description was read, or the chart was replaced: the description is read again, once.
      const isFresh = await this.news.reviewAll(gone).catch(() => true);
      if (!counts()) return {};
      if (isFresh) return { isOutdated: true };
    }
    const failure = failureOf(outcomes, pagesOf(sheet).some((each) => this.news.isReplaced(each.chart)));
    const found = await this.store.best(needed, counts);
    return counts() ? { found, failure } : {};
  }

  /// Says what is shown instead of the right image, and tries again before long.
  #explain({ isWhole, triesAgain }, failure, isSame) {
    const { images } = this.#state;
    const pause = isWhole || !isSame ? SOON : this.#state.pause;
    if (isWhole || !images.every(Boolean)) this.#hint.hide();
    else this.#hint.show(images.find((request) => request.kind)?.kind ?? "older", failure?.reason, failure?.status === 0);
    // What helps against a final failure is the offer of a new version, or signing in again; either shows the page again.
    this.#transition({ pause: triesAgain ? Math.min(pause * 2, LATE) : pause });
    if (triesAgain) this.#after(pause, "again", () => this.goTo(this.goal, { at: "keep", isQuiet: true }));
  }

  #parts(wanted, found, failure) {
    return partsOf(wanted, found, this.store, failure, { retry: () => this.refresh(), takeNew: () => this.news.takeNew(this.goal) });
  }

  /// The sheet is on the stage, or its card: `condition` is what the document calls that.
  #arrive(name, sheet, condition) {
    this.#transition({ name, sheet, isNew: this.#state.isNew || !this.shown || !sameChart(this.shown.place, sheet.place) });
    for (const name of ["patience", "long"]) clearTimeout(this.#timers[name]);
    this.element.classList.remove("waiting");
    nameShown(sheet, condition);
    this.commands.follow(sheet);
    this.#after(REST, "rest", () => this.#settled());
  }

  /// Does what can wait until no page is being turned.
  #settled() {
    const { isNew, sheet } = this.#state;
    const { place, chart, positions } = sheet;
    this.#transition({ isNew: false });
    history.replaceState(history.state, "", chartAddress({ ...place, page: (positions[0] ?? 0) + 1 }));
    document.title = titleOf(sheet);
    this.bar.show(sheet, this.#order);
    this.news.askOfOlder(sheet);
    if (!chart) return;
    this.cue.tellPlace(sheet, this.#order, { isNew, isSeen: this.bar.isShown });
    if (isNew) {
      remember(place.item, place.chart);
      this.news.left(place);
      if (book.isDoubted(place)) this.news.check(place.chart);
    }
    if (positions.length > 0) this.news.tell(place, chart);
    this.#follow();
    this.#after(SHARP - REST, "sharp", () => this.#sharpen());
  }

  #follow() {
    const { place, chart } = this.shown;
    if (!chart || !samePlace(place, this.goal)) return;
    for (const direction of [1, -1]) {
      const next = neighbourItem(place, chart, direction, this.#context);
      if (next) book.load(next).catch(() => null);
    }
    // Images that were not available are tried again when their pause is over.
    const now = this.#hint.isShown ? this.#state.images.filter(Boolean) : requestsFor(pagesOf(this.shown), this.stage, this.stage.zoom);
    const next = this.#ahead(place, chart);
    this.store.want([...now, ...next]);
    for (const request of next) this.store.settled(request).then((entry) => this.stage.prepare(entry?.canvas));
  }

  #ahead(place, chart) {
    return ahead(place, chart, this.#context, (next) => book.load(next).then(() => this.shown && this.#follow(), () => null));
  }

  /// If the screen has more pixels than the image in the cache, draws the page again at that size.
  async #sharpen() {
    const counts = this.#transition({});
    const { place, chart, positions } = this.shown;
    // A larger image would be drawn from the same chart and marks that could not be drawn just now.
    if (!samePlace(place, this.goal) || place.half || positions.length === 0 || this.#hint.isShown) return;
    const now = requestsFor(pagesOf(this.shown), this.stage, this.stage.zoom);
    const { slots } = this.stage.layout(now.map((request) => request.size), settings.get("fit"));
    const live = now.map((request, i) => liveRequestFor(request, slots[i]));
    if (live.every((request) => request === null)) return;
    const wanted = now.map((request, i) => live[i] ?? request);
    this.store.want([...now, ...wanted, ...this.#ahead(place, chart)]);
    await Promise.all(wanted.map((request) => this.store.settled(request)));
    if (!counts() || !wanted.every((request) => this.store.ready(request))) return;
    this.stage.show(this.#parts(wanted, wanted, null), { fit: settings.get("fit"), at: "keep" });
    this.#transition({ images: wanted });
  }

  /// After a zoom: stretched at once, sharp once the fingers rest.
  zoomed() { this.#after(REST, "rest", () => this.refresh()); }

  #resized() {
    if (!this.shown) return;
    this.stage.relayout(settings.get("fit"));
    this.#after(60, "rest", () => this.refresh());
  }

  #settingChanged(name) {
    if (SHAPES.includes(name)) {
      this.stage.zoom = 1;
      if (this.goal) this.#transition({ goal: { ...this.goal, half: null } });
    }
    if (SHAPES.includes(name) || LOOKS.includes(name)) this.refresh();
    this.bar.nameSettings();
  }

  #showCard(place, chart, sentence) {
    const title = chart?.title ?? "This chart cannot be shown";
    this.stage.zoom = 1;
    this.stage.show([cardFor({ size: { width: 210, height: 297 }, label: title }, sentence, () => this.retry(place))], { fit: "page" });
    this.#hint.hide();
    this.store.need([]);
    this.#transition({ goal: place, images: [null] });
    this.store.want(chart ? this.#ahead(place, chart) : []);
    this.#arrive("card", { place, chart, positions: [], beside: null }, "missing");
    say(`${title}. ${sentence}`);
  }

  async retry(place) {
    await this.news.review(place).catch(() => null);
    this.goTo(place);
  }
}
