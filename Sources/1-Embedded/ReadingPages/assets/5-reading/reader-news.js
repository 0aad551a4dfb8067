// The messages between the agent and the reading view. New marks appear on the open page by themselves; another version of a chart
// is offered, and only taken over when the musician accepts it. The view reports which page is on the stand: the agent draws that
// page first, and then the next ones.
import { api, mayChange } from "./api.js";
import { book, isOther, mark, withMarksOf } from "./books.js";
import { on } from "./events.js";
import { answersTo, isAsked, olderWords } from "./older-marks.js";
import { pagesOf } from "./reader-pages.js";
import { settings } from "./settings.js";
import { count } from "./times.js";

export class News {
  #given;
  /// New versions, by id, of charts whose earlier version is on the stand; kept even if the offer is dismissed.
  #newer = new Map();
  /// By chart: its place, if the musician has accepted the chart's new version. This version is taken over when the musician leaves the
  /// song.
  #due = new Map();
  /// Versions of charts for which the question about older marks was closed without an answer.
  #leftOpen = new Set();
  /// Charts being redrawn at the musician's request, each with the latest news of it. The answer to the request has the new description, so no
  /// offer is needed.
  #redrawn = new Map();
  /// The last report to the agent, to avoid repeating it.
  #selected = "";

  /// `order` reviews the running order; `goTo` shows a place, `refresh` shows the same place again, `show` shows a few words, and `run`
  /// runs a command.
  constructor({ stand, offers, order, goTo, refresh, show, run }) {
    this.#given = { stand, offers, order, goTo, refresh, show, run };
  }

  /// Subscribes to the agent's events. Returns the functions that end the subscriptions.
  start() {
    return [
      on("page", (event) => this.#marked(event)),
      on("chart", (event) => this.#chartChanged(event)),
      on("plans", () => this.#given.order.review()),
      // Events missed while the connection was broken do not come again, so request everything.
      on("open", ({ again }) => again && this.#askAnew()),
    ];
  }

  reportPage(place, chart) {
    const page = chart.order[place.position];
    if (page === undefined) return;
    const choice = { chart: place.chart, item: place.item, plan: place.plan, page, marked: settings.get("marks") };
    if (JSON.stringify(choice) === this.#selected) return;
    this.#selected = JSON.stringify(choice);
    api.select(choice);
  }

  #askAnew() {
    const { order, shown, goal, isIncomplete } = this.#given.stand;
    if (order) api.openPlan(order.plan);
    // A restarted agent does not know which page is on the stand, so report the page again.
    this.#selected = "";
    if (shown?.chart) this.reportPage(shown.place, shown.chart);
    book.doubtOthers(shown?.place ?? goal ?? {});
    this.check(shown?.place.chart);
    if (order) this.#given.order.review();
    else if (goal?.plan) this.#given.order.open(goal.plan).catch(() => null);
    if (isIncomplete) this.retry(goal);
  }

  #marked(event) {
    book.markPage(event);
    if (this.#newer.has(event.chart)) mark(this.#newer.get(event.chart), event);
    if (onStand(this.#given.stand.shown, event.chart)) this.#given.refresh();
  }

  /// Requests the shown chart's description, in case it changed.
  check(chart) { return this.#chartChanged({ chart, set: null }); }

  async #chartChanged({ chart, set }) {
    const { shown, goal } = this.#given.stand;
    if (!chart) return;
    if (this.#redrawn.has(chart)) {
      this.#redrawn.set(chart, { chart, set });
      return;
    }
    const known = onStand(shown, chart);
    if (!known) {
      if (goal?.chart !== chart) this.#recall(chart);
      book.renew(chart);
      return;
    }
    const { place } = known;
    if (set && takenAt(known)?.set === set) return;
    const fresh = await book.ask(place).catch(() => null);
    if (!fresh || !onStand(this.#given.stand.shown, chart)) {
      // The agent did not answer, or another chart has come on the stand, so have the description requested again.
      book.renew(chart);
      return;
    }
    const taken = takenAt(known);
    if (taken && taken.order.length > 0 && isOther(taken, fresh)) this.#announce(place, fresh);
    else this.adopt(fresh);
  }

  #announce(place, fresh) {
    // The musician chose the shown key, and the agent has not received that choice. So a description in the previous
    // key is not worth an offer.
    if (book.wanted(place)) return book.keep(place, fresh);
    const isOffered = this.#newer.get(place.chart)?.set === fresh.set && this.#given.offers.named(offerOf(place.chart));
    this.#newer.set(place.chart, fresh);
    if (isOffered) return null;
    this.#given.offers.make(offerOf(place.chart), `“${fresh.title}” has changed.`, "Show it", () => this.showNew(place), {
      // A mistaken tap must not put another page under the fingers.
      second: { first: () => this.#due.set(place.chart, place), waiting: "It will be shown when you leave this song.", again: "Show it now" },
    });
    return null;
  }

  /// Asks about visible marks that were made on another version of the chart. A question that was closed is not asked again.
  askOfOlder(sheet) {
    const { offers, run } = this.#given;
    const isOpen = ({ chart, position }) => isAsked(chart, chart.order[position]) && !this.#leftOpen.has(chart.hash);
    const found = mayChange && settings.get("marks") ? pagesOf(sheet).find(isOpen) : null;
    const sentence = found && olderWords(found.chart);
    const name = found ? `older ${found.chart.hash} ${sentence}` : null;
    offers.withdrawOthers("older ", name);
    if (!found || offers.named(name)) return;
    const close = () => this.#leftOpen.add(found.chart.hash);
    const placeMarks = () => {
      close();
      run("placeMarks");
    };
    const answers = answersTo(found, placeMarks).map(([words, act]) => [
      words, () => act()?.then((fresh) => this.adopt(fresh), (error) => ask(`${sentence} ${error.message}`)),
    ]);
    const ask = (words) => offers.make(name, words, ...answers.at(-1), { other: answers.at(-2), close });
    ask(sentence);
  }

  isReplaced(chart) { return (this.#newer.get(chart.id)?.hash ?? chart.hash) !== chart.hash; }

  /// Another song has begun: applies the changes that were accepted for charts of earlier songs.
  left(place) {
    for (const [chart, where] of this.#due) {
      const fresh = this.#newer.get(chart);
      if (chart !== place.chart && fresh) this.#replace(where, fresh);
    }
  }

  #replace(place, fresh) {
    this.#recall(place.chart);
    book.keep(place, fresh);
    book.renew(place.chart, place);
  }

  showNew(place) {
    const fresh = this.#newer.get(place.chart);
    if (!fresh) return;
    this.#replace(place, fresh);
    this.#given.goTo({ ...this.#given.stand.goal, half: null });
  }

  /// Reads the descriptions behind these requests again. Returns false if a chart has other bytes; its new version is then offered.
  async reviewAll(requests) {
    let isSame = true;
    for (const place of new Set(requests.map((request) => request.place))) if (!(await this.review(place))) isSame = false;
    return isSame;
  }

  /// Reads a chart's description again. Returns the chart, or null if its bytes differ from those on the stand; the new version is
  /// then offered.
  async review(place) {
    const fresh = await book.ask(place);
    const known = book.peek(place);
    const isOnStand = known?.order.length > 0 && (this.#newer.has(known.id) || isSame(onStand(this.#given.stand.shown, known.id)?.chart, known));
    if (isOnStand && known.hash !== fresh.hash) {
      this.#announce(place, fresh);
      return null;
    }
    book.keep(place, isOnStand ? withMarksOf(fresh, known) : fresh);
    return book.peek(place);
  }

  /// Suppresses offers for a chart that changes on request, until the returned function is called with its new description.
  expect(chart) {
    this.#redrawn.set(chart, null);
    this.#given.order.expect(chart);
    return (place, fresh) => {
      const latest = this.#redrawn.get(chart);
      this.#redrawn.delete(chart);
      if (fresh) this.#replace(place, fresh);
      else if (book.wanted(place)) this.#recall(chart);
      // Somebody else may have chosen meanwhile, above all if this choice failed.
      if (latest) this.#chartChanged(latest);
    };
  }

  /// Reads the description of a place again, because something was missing when the place was shown, and shows the place.
  async retry(place) {
    await this.review(place).catch(() => null);
    this.#given.goTo(place);
  }

  /// Takes over a chart's marks and layers; its pages stay the same.
  adopt(fresh) {
    const there = onStand(this.#given.stand.shown, fresh.id);
    if (!there) return;
    const known = takenAt(there) ?? fresh;
    if (known.order.length > 0 && known.hash !== fresh.hash) {
      this.#announce(there.place, fresh);
      return;
    }
    if (!isOther(known, fresh)) this.#recall(fresh.id);
    book.keep(there.place, withMarksOf(fresh, known));
    book.renew(fresh.id, there.place);
    this.#given.refresh();
    const news = newMarks(known, fresh);
    if (news) this.#given.show(news);
  }

  /// Withdraws the offer of a new version: the newest version is on the stand.
  #recall(chart) {
    this.#due.delete(chart);
    if (this.#newer.delete(chart)) this.#given.offers.withdraw(offerOf(chart));
  }
}

/// How many marks others have added in layers that are shown and were shown before: "3 new marks by Anna". Null if there are none.
function newMarks(known, fresh) {
  const come = new Map();
  for (const { id, person, marks = 0, visible } of fresh.layers) {
    const former = known.layers.find((layer) => layer.id === id) ?? { marks: 0, visible: true };
    const more = marks - (former.marks ?? 0);
    if (visible && former.visible && more > 0) come.set(person, (come.get(person) ?? 0) + more);
  }
  return come.size > 0 ? [...come].map(([person, marks]) => `${count(marks, "new mark")} by ${person}`).join("\n") : null;
}

const offerOf = (chart) => `chart ${chart}`;

/// The chart on the stand with this id, as `{place, chart}`: the main one, or the one beside it.
const onStand = (shown, id) => [shown, shown?.beside].find((each) => each?.place.chart === id) ?? null;

/// The chart that the musician last accepted for this place; it may be about to replace the shown chart.
const takenAt = ({ place, chart }) => book.peek(place) ?? chart;

const isSame = (a, b) => a?.id === b.id && a.hash === b.hash;
