// Reading view: the page that is shown, the page that is wanted, and the way there. The old page stays until the new one can
// replace it in one step.
import { api } from "./api.js";
import { arrivalOf } from "./arrival.js";
import { book } from "./books.js";
import { Cue } from "./cue.js";
import { h, keepAwake, say } from "./dom.js";
import { door } from "./drawing-door.js";
import { emit, on } from "./events.js";
import { Hint } from "./hint.js";
import { fetchLater } from "./later.js";
import { forgetFormer } from "./margins.js";
import { Offers } from "./offers.js";
import { PageStore } from "./page-store.js";
import { holder } from "./plan-holder.js";
import { playedOrder } from "./played-order.js";
import { preparing } from "./preparing.js";
import { Bar } from "./reader-bar.js";
import { Commands } from "./reader-commands.js";
import { Input } from "./reader-input.js";
import { Life, Stand } from "./reader-life.js";
import { News } from "./reader-news.js";
import { pagesOf, requestsOf, sheetAt } from "./reader-pages.js";
import { KEY, chartAddress } from "./routes.js";
import { remember } from "./running-order.js";
import { settings } from "./settings.js";
import { Stage } from "./stage.js";
import { cardFor, failureOf, nameShown, partsOf, thumbnailFor, titleOf } from "./stage-parts.js";
import { TurnClock } from "./turn-clock.js";
import { turnsOf } from "./turns.js";

/// How long (ms) after a turn the address and the agent are updated; and how long after it sharper images are requested, which
/// nobody needs while leafing through.
const [REST, SHARP] = [180, 700];
/// How long (ms) a page may take before a sign is shown, and before a sentence is shown.
const [PATIENCE, LONG] = [200, 3000];
/// Settings that change the size or position of pages, and settings that change their looks.
const SHAPES = ["fit", "margins", "boxes", "spread", "half"];
const LOOKS = ["night", "paper", "marks", "scans"];

export class Reader {
  element = h("div", { class: "reader" });
  #life = new Life();
  #stage = new Stage();
  #stand = new Stand(this.#life, this.#stage);
  #store = new PageStore();
  #cue = new Cue((width, height) => this.#stage.whiteFor(width, height));
  #hint = new Hint();
  #clock = new TurnClock();
  #offers = new Offers(this.#stage.element);
  #timers = {};
  /// The images that arrived although their chart's description said that they were not drawn. For each of them, the description was read
  /// again, once.
  #reviewed = new Set();
  /// Whether the address asks for the panel with the song's keys.
  #isForKey = false;
  #preparing;
  #bar;
  #turns;
  #order;
  #news;
  #commands;
  #input;
  #room;

  /// Each part receives only what it needs of the others, and none receives the reader.
  constructor() {
    const [life, stand, stage, cue, offers] = [this.#life, this.#stand, this.#stage, this.#cue, this.#offers];
    const goTo = (wish, how) => this.#goTo(wish, how);
    const refresh = () => this.#refresh();
    const run = (command, event) => this.#commands.run(command, event);
    const zoomBy = (factor, x, y) => this.#commands.zoomBy(factor, x, y);
    this.#preparing = preparing({ stand, stage, store: this.#store, isLacking: () => this.#hint.isShown });
    this.#turns = turnsOf({ life, stand, stage, cue, goTo, hideBar: () => this.#bar.hide() });
    this.#bar = new Bar({ music: stage.element, run, toPosition: this.#turns.toPosition });
    this.#order = playedOrder({ stand, refresh, put: (order) => life.change({ order }), follow: this.#preparing.follow });
    this.#news = new News({ stand, offers, order: this.#order, goTo, refresh, show: (words) => cue.show(words), run });
    this.#commands = new Commands({
      stand, stage, turns: this.#turns, show: (words) => cue.show(words), toggleBar: () => this.#bar.toggle(), open: (place) => this.open(place),
      zoomed: () => this.#after(REST, "rest", refresh), adopt: (chart) => this.#news.adopt(chart),
      expect: (chart) => this.#news.expect(chart), review: () => this.#order.review(), goTo, hideBar: () => this.#bar.hide(),
    });
    this.#input = new Input({ stage, bar: this.#bar, run, zoomBy });
    this.#room = { view: this.element, stage, stand, cue, run, zoomBy, goTo, open: (place) => this.open(place), lay: () => this.#commands.desk?.lay() };
  }

  /// Opens the place of the route. Returns the functions that end the view.
  start(route) {
    const parts = [this.#stage, this.#offers, this.#bar, this.#bar.strip, this.#hint, this.#cue].map((part) => part.element);
    this.element.append(this.#bar.heading, this.#stage.where, ...parts, this.#stage.wings);
    const resized = new ResizeObserver(() => this.#resized());
    resized.observe(this.#stage.element);
    const ends = [
      () => this.#stop(), () => resized.disconnect(), keepAwake(), this.#commands.start(), door.enter(this.#room), () => this.#input.stop(),
      ...this.#news.start(), settings.listen((name) => this.#settingChanged(name)), () => this.#store.close(),
      on("words", (words) => this.#cue.say(words)),
      on("together", () => fetchLater().catch(() => null)), on("stand?", (give) => give(this.#room)),
    ];
    holder.giveWayTo(() => this.#store.isBusy);
    book.isOnStand = (place) => this.#stand.has(place);
    forgetFormer();
    this.#isForKey = location.hash === KEY;
    this.open(route);
    return ends;
  }

  #stop() {
    holder.giveWayTo(() => false);
    this.#order.leave();
    emit("stand", null);
    book.isOnStand = () => false;
    this.#life.change({ name: "waiting", goal: null });
    for (const timer of Object.values(this.#timers)) clearTimeout(timer);
  }

  /// Runs `act` after a pause, and cancels one that waits under the same name.
  #after(pause, name, act) {
    clearTimeout(this.#timers[name]);
    this.#timers[name] = setTimeout(act, pause);
  }

  /// Opens a chart at a page, counted from 1.
  async open({ chart, plan, item, page = 1 }, start = performance.now()) {
    this.#life.change({ stepsDue: 0 });
    const { played } = this.#stand;
    if (played && this.#stand.shows(played)) this.#life.change({ playedAt: this.#stage.element.scrollTop });
    const going = this.#goTo({ chart, plan, item, position: page - 1, half: null }, { start, kind: "open" });
    if (plan && this.#stand.order?.plan !== plan) {
      api.openPlan(plan);
      await this.#order.open(plan).catch(() => null);
    }
    await going;
  }

  /// Shows the same place again, with other marks, size or settings.
  #refresh() { if (this.#stand.goal) this.#goTo(this.#stand.goal, { at: "keep" }); }

  /// Shows a place as soon as its images have arrived. Pages of another place come on the stage only in this way.
  async #goTo(wish, { start = null, at = "start", kind = "turn", isQuiet = false } = {}) {
    const asked = at === "keep" && wish.asked ? { ...wish.asked, half: wish.half } : wish;
    const way = at === "keep" ? this.#life.now.way : at === "end" ? -1 : 1;
    const counts = this.#life.change({ name: isQuiet ? "retrying" : "waiting", goal: asked, way });
    if (!isQuiet) {
      document.body.dataset.state = this.#stand.shown ? "turning" : "loading";
      this.#after(PATIENCE, "patience", () => counts() && this.element.classList.add("waiting"));
      this.#after(LONG, "long", () => counts() && this.#hint.show("awaited", "Woodshed’s agent has not sent it yet", true));
    }
    let chart = book.peek(asked);
    if (!chart) {
      try {
        chart = await book.load(asked);
      } catch (error) {
        if (!counts()) return;
        this.#life.change({ stepsDue: 0 });
        const reason = this.#stand.order?.reasonFor(asked) ?? error.message;
        const sentence = error.status === 404 ? `This chart is not ${asked.plan ? "in this plan" : "here"}, or no longer here.` : reason;
        this.#showCard({ ...asked, position: 0, half: null }, null, sentence);
        return;
      }
      if (!counts()) return;
    }
    const sheet = sheetAt(asked, chart, this.#stand.context);
    this.#life.change({ goal: sheet.place });
    if (this.#turns.stepDue(start ?? undefined)) return;
    if (sheet.positions.length > 0) await this.#showPages(sheet, { start, at, kind, isQuiet, counts });
    else this.#showCard(sheet.place, chart, this.#stand.order?.reasonFor(sheet.place) ?? "This chart has no pages here yet.");
  }

  async #showPages(sheet, turn, isSecond = false) {
    const { place, chart } = sheet;
    // Keep the zoom within a chart: a musician who enlarges a page to read it wants the next one as large.
    const keepsSide = this.#stand.showsChartOf(place);
    const zoom = keepsSide ? this.#stage.zoom : 1;
    const { over, under } = requestsOf(sheet, this.#stage, zoom);
    const needed = [...under, ...over];
    this.#store.need(needed);
    this.#store.want(this.#preparing.next(place, chart));
    const wasReady = needed.every((request) => this.#store.ready(request));
    if (!wasReady) this.#await(sheet, over);
    const { found, failure, isOutdated } = wasReady ? { found: needed, failure: null } : await this.#fetched(needed, sheet, turn.counts, isSecond);
    if (isOutdated) return this.#showPages(sheetAt(place, book.peek(place) ?? chart, this.#stand.context), turn, true);
    if (!found) return;
    this.#stage.zoom = zoom;
    const isSame = this.#stand.shows(place);
    const arrival = arrivalOf({ isSame, isUnasked: turn.isQuiet }, needed, found, this.#stand.images, failure);
    if (arrival.stage === "show") {
      const [below, above] = [found.slice(0, under.length), found.slice(under.length)];
      const fit = settings.get("fit");
      if (below.length > 0) this.#stage.show(this.#parts(under, below, failure), { fit });
      this.#stage.show(this.#parts(over, above, failure), { fit, half: place.half, at: isSame ? "keep" : turn.at, keepsSide });
    }
    this.#life.change({ name: "shown", images: arrival.images });
    if (arrival.isTold) this.#arrive("shown", sheet, arrival.condition);
    this.#hint.explain(arrival, failure, () => turn.counts() && this.#goTo(this.#stand.goal, { at: "keep", isQuiet: true }));
    if (turn.start === null || !arrival.isHere) return;
    this.#clock.turned(turn.kind, turn.start, { chart: chart.id, page: document.body.dataset.page, wasReady });
  }

  /// While images are fetched: reports to the agent which page is wanted, and shows thumbnails in place of the first page.
  #await(sheet, over) {
    if (!this.#stand.shows(sheet.place)) this.#news.reportPage(sheet.place, sheet.chart);
    if (!this.#stage.isEmpty) return;
    this.#stage.show(over.map(thumbnailFor), { fit: settings.get("fit") });
    this.#life.change({ images: [null] });
    this.#bar.show(sheet, this.#stand.order);
  }

  /// The images for these requests, or stand-ins, once each has been fetched or refused: `{found, failure}`. `{isOutdated}` if the
  /// sheet's description was out of date; `{}` if the turn no longer counts.
  async #fetched(needed, sheet, counts, isSecond) {
    const outcomes = await Promise.all(needed.map((request) => this.#store.settled(request)));
    if (!counts()) return {};
    const gone = needed.filter((_, i) => outcomes[i]?.status === 410);
    if (!isSecond && gone.length > 0) {
      // Marks were saved, or the chart was replaced, after its description was read: read the description again, once.
      const isFresh = await this.#news.reviewAll(gone).catch(() => true);
      if (!counts()) return {};
      if (isFresh) return { isOutdated: true };
    }
    const failure = failureOf(outcomes, pagesOf(sheet).some((each) => this.#news.isReplaced(each.chart)));
    const found = await this.#store.best(needed, counts);
    return counts() ? { found, failure } : {};
  }

  #parts(wanted, found, failure) {
    return partsOf(wanted, found, this.#store, failure, { retry: () => this.#refresh(), showNew: () => this.#news.showNew(this.#stand.goal) });
  }

  /// Notes that the sheet, or its card, is on the stage; `condition` is the state that the document names.
  #arrive(name, sheet, condition) {
    const { isNew, played } = this.#life.now;
    const isOfPlan = Boolean(this.#stand.order?.item(sheet.place.item));
    this.#life.change({ name, sheet, isNew: isNew || !this.#stand.showsChartOf(sheet.place), played: isOfPlan ? sheet.place : played });
    for (const name of ["patience", "long"]) clearTimeout(this.#timers[name]);
    this.element.classList.remove("waiting");
    nameShown(sheet, condition);
    this.#commands.arrived(sheet);
    emit("stand", this.#room);
    this.#after(REST, "rest", () => this.#settled());
  }

  /// Runs the tasks that can wait until no page is being turned.
  #settled() {
    const { isNew, sheet } = this.#life.now;
    const { place, chart, positions } = sheet;
    const counts = this.#life.change({ isNew: false });
    history.replaceState(history.state, "", chartAddress({ ...place, page: (positions[0] ?? 0) + 1 }));
    document.title = titleOf(sheet);
    this.#bar.show(sheet, this.#stand.order);
    this.#news.askOfOlder(sheet);
    if (!chart) return;
    if (this.#isForKey) this.#commands.run("songKey");
    this.#isForKey = false;
    this.#cue.showPlace(sheet, this.#stand.order, { isNew, isSeen: this.#bar.isShown });
    if (isNew) {
      forgetFormer();
      remember(place.item, place.chart);
      this.#news.left(place);
      emit("song", {});
    }
    // The agent has drawn a page since it described the chart, so only a new description states where the page's music is. Request the
    // description once for each image: an image for which the agent has no room stays missing.
    const drawn = this.#stand.images.filter((image) => image && !image.kind && image.chart.pages[image.page]?.plain.here === false
      && !this.#reviewed.has(image.src));
    for (const { src } of drawn) this.#reviewed.add(src);
    if (drawn.length > 0 || (isNew && book.isDoubted(place))) this.#news.check(place.chart);
    if (positions.length > 0) this.#news.reportPage(place, chart);
    this.#preparing.follow();
    this.#after(SHARP - REST, "sharp", () => counts() && this.#preparing.sharpen(counts, (images) => {
      this.#stage.show(this.#parts(images, images, null), { fit: settings.get("fit"), at: "keep" });
      this.#life.change({ images });
    }));
  }

  #resized() {
    if (!this.#stand.shown) return;
    this.#stage.relayout(settings.get("fit"));
    this.#after(60, "rest", () => this.#refresh());
  }

  #settingChanged(name) {
    if (SHAPES.includes(name)) {
      this.#stage.zoom = 1;
      if (this.#stand.goal) this.#life.change({ goal: { ...this.#stand.goal, half: null } });
    }
    if (SHAPES.includes(name) || LOOKS.includes(name)) this.#refresh();
    this.#bar.nameSettings();
  }

  #showCard(place, chart, sentence) {
    const title = chart?.title ?? "This chart cannot be shown";
    this.#stage.zoom = 1;
    this.#stage.show([cardFor({ size: { width: 210, height: 297 }, label: title }, sentence, () => this.#news.retry(place))], { fit: "page" });
    this.#hint.hide();
    this.#store.need([]);
    this.#life.change({ goal: place, images: [null] });
    this.#store.want(chart ? this.#preparing.next(place, chart) : []);
    this.#arrive("card", { place, chart, positions: [], beside: null }, "missing");
    say(`${title}. ${sentence}`);
  }
}
