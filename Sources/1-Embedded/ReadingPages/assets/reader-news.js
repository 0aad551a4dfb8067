// What the agent and the reading view report to each other. Marks appear on the open page by themselves; another chart or another running
// order is announced, and only taken over when the musician says so. The agent is told which page is on the stand: it draws that one first,
// and then what comes next.
import { api, mayChange } from "./api.js";
import { book, isOther, mark, withMarksOf } from "./books.js";
import { button, h, iconButton, leaveFor, say } from "./dom.js";
import { on } from "./events.js";
import { holder } from "./plan-holder.js";
import { OLDER, hasOlder } from "./older-marks.js";
import { pagesOf } from "./reader-pages.js";
import { settings } from "./settings.js";

export class News {
  element = h("div", { class: "offers", role: "region", "aria-label": "Updates" });
  #reader;
  #ends;
  /// New versions, by id, of the charts that are on the stand in an earlier version; kept even when the offer is dismissed.
  #newer = new Map();
  /// Where charts are that are to change when their song is over.
  #due = new Map();
  /// The versions of charts whose older marks were left as they are.
  #leftOpen = new Set();
  /// What the agent was told last, so that it is told once.
  #selected = "";

  constructor(reader) {
    this.#reader = reader;
    this.#ends = [
      on("page", (event) => this.#marked(event)),
      on("chart", (event) => this.#chartChanged(event)),
      on("plans", () => this.#plansChanged()),
      // Events from while the connection was broken do not come again, so everything is asked for again.
      on("open", ({ again }) => again && this.#askAnew()),
    ];
  }

  stop() { for (const end of this.#ends) end(); }

  tell(place, chart) {
    const page = chart.order[place.position];
    if (page === undefined) return;
    const choice = { chart: place.chart, item: place.item, plan: place.plan, page, marked: settings.get("marks") };
    if (JSON.stringify(choice) === this.#selected) return;
    this.#selected = JSON.stringify(choice);
    api.select(choice);
  }

  #askAnew() {
    const { order, shown, goal } = this.#reader;
    if (order) api.look(order.plan);
    // An agent that was restarted does not know.
    this.#selected = "";
    if (shown?.chart) this.tell(shown.place, shown.chart);
    book.doubtOthers(shown?.place ?? goal ?? {});
    this.check(shown?.place.chart);
    if (order) this.#plansChanged();
    else if (goal?.plan) this.#reader.takeOrder(goal.plan).catch(() => null);
    if (this.#reader.isIncomplete) this.#reader.retry(goal);
  }

  #marked(event) {
    book.markPage(event);
    if (this.#newer.has(event.chart)) mark(this.#newer.get(event.chart), event);
    if (onStand(this.#reader.shown, event.chart)) this.#reader.refresh();
  }

  /// Asks whether the chart that is shown has changed.
  check(chart) { return this.#chartChanged({ chart, set: null }); }

  async #chartChanged({ chart, set }) {
    const { shown, goal } = this.#reader;
    if (!chart) return;
    const known = onStand(shown, chart);
    if (!known) {
      if (goal?.chart !== chart) this.#recall(chart);
      book.renew(chart);
      return;
    }
    const { place } = known;
    if (set && takenAt(known)?.set === set) return;
    const fresh = await book.ask(place).catch(() => null);
    if (!fresh || !onStand(this.#reader.shown, chart)) {
      // There is no answer, or another chart is on the stand by now: it is still to be asked.
      book.renew(chart);
      return;
    }
    const taken = takenAt(known);
    if (taken && taken.order.length > 0 && isOther(taken, fresh)) this.#announce(place, fresh);
    else this.adopt(fresh);
  }

  #announce(place, fresh) {
    const isOffered = this.#newer.get(place.chart)?.set === fresh.set && this.#offerNamed(offerOf(place.chart));
    this.#newer.set(place.chart, fresh);
    if (isOffered) return;
    this.#offer(offerOf(place.chart), `“${fresh.title}” has changed.`, "Show it", () => this.takeNew(place), {
      // A tap that went wrong must not put another page under the fingers.
      second: { first: () => this.#due.set(place.chart, place), waiting: "It will be shown when you leave this song.", again: "Show it now" },
    });
  }

  /// Asks about marks on the pages that are seen if they were made on another version. Who says nothing is not asked again.
  askOfOlder(sheet) {
    const isSeen = ({ chart, position }) => hasOlder(chart, [chart.order[position]]) && !this.#leftOpen.has(chart.hash);
    const found = mayChange && settings.get("marks") ? pagesOf(sheet).find(isSeen) : null;
    const name = found ? `older ${found.chart.hash}` : null;
    for (const offer of [...this.element.children]) if (offer.dataset.name.startsWith("older ") && offer.dataset.name !== name) this.#remove(offer);
    if (!found || this.#offerNamed(name)) return;
    const { place, chart } = found;
    const answer = (isRight) => api.settleOlder(place, chart.hash, isRight).then((fresh) => this.adopt(fresh), (error) => this.#ask(name, `${OLDER} ${error.message}`, answer));
    this.#ask(name, OLDER, answer);
  }

  #ask(name, sentence, answer) {
    this.#offer(name, sentence, "They are right", () => answer(true), {
      other: ["Hide them", () => answer(false)], close: () => this.#leftOpen.add(name.slice("older ".length)),
    });
  }

  isReplaced(chart) { return (this.#newer.get(chart.id)?.hash ?? chart.hash) !== chart.hash; }

  /// The song is over: charts that were to change then do so.
  left(place) {
    for (const [chart, where] of this.#due) {
      const fresh = this.#newer.get(chart);
      if (chart !== place.chart && fresh) this.#takeOver(where, fresh);
    }
  }

  #takeOver(place, fresh) {
    this.#recall(place.chart);
    book.keep(place, fresh);
    book.renew(place.chart, place);
  }

  takeNew(place) {
    const fresh = this.#newer.get(place.chart);
    if (!fresh) return;
    this.#takeOver(place, fresh);
    this.#reader.goTo({ ...this.#reader.goal, half: null });
  }

  /// Reads the descriptions again that these requests are from. False if a chart is another now: then that is offered.
  async reviewAll(requests) {
    let isSame = true;
    for (const place of new Set(requests.map((request) => request.place))) if (!(await this.review(place))) isSame = false;
    return isSame;
  }

  /// Reads a chart's description again. Null if its bytes differ from those on the stand: then the new version is offered.
  async review(place) {
    const fresh = await book.ask(place);
    const known = book.peek(place);
    const isOnStand = known?.order.length > 0 && (this.#newer.has(known.id) || isSame(onStand(this.#reader.shown, known.id)?.chart, known));
    if (isOnStand && known.hash !== fresh.hash) {
      this.#announce(place, fresh);
      return null;
    }
    book.keep(place, isOnStand ? withMarksOf(fresh, known) : fresh);
    return book.peek(place);
  }

  /// Takes over a chart's marks and layers; the pages themselves are the same.
  adopt(fresh) {
    const there = onStand(this.#reader.shown, fresh.id);
    if (!there) return;
    const known = takenAt(there) ?? fresh;
    if (known.order.length > 0 && known.hash !== fresh.hash) {
      this.#announce(there.place, fresh);
      return;
    }
    if (!isOther(known, fresh)) this.#recall(fresh.id);
    book.keep(there.place, withMarksOf(fresh, known));
    book.renew(fresh.id, there.place);
    this.#reader.refresh();
  }

  async #plansChanged() {
    const { order } = this.#reader;
    if (!order) return;
    const data = await api.plan(order.plan).catch(() => null);
    if (data && this.#reader.order === order) this.compare(data);
  }

  /// Offers the plan's running order, if it is another than the one that is being played.
  compare(data) {
    const reader = this.#reader;
    if (!reader.order.differs(data)) {
      this.#withdraw("order");
      reader.updateOrder(data);
      return;
    }
    const { plan } = reader.order;
    this.#offer("order", "The running order has changed.", "Use the new one", () => {
      reader.useOrder(plan, data);
      book.doubtOthers(reader.shown?.place ?? {});
      holder.again();
      reader.refresh();
    });
  }

  /// Withdraws the offer of a new version, since there is none any more that is not on the stand.
  #recall(chart) {
    this.#due.delete(chart);
    if (this.#newer.delete(chart)) this.#withdraw(offerOf(chart));
  }

  #withdraw(name) { this.#remove(this.#offerNamed(name)); }

  /// Whoever answered it goes on with the music.
  #remove(offer) {
    if (!offer) return;
    leaveFor(this.#reader.stage.element, offer);
    offer.remove();
  }

  #offerNamed(name) { return [...this.element.children].find((offer) => offer.dataset.name === name); }

  /// With `second`, it takes another tap to accept; the first one says what happens without it. `other` is another answer, in words, and
  /// `close` is told that it was closed without any.
  #offer(name, sentence, words, accept, { second = null, other = null, close = () => {} } = {}) {
    this.#withdraw(name);
    const text = h("p", { text: sentence });
    let first = second;
    const act = () => {
      if (!first) {
        this.#remove(offer);
        accept();
        return;
      }
      first.first();
      text.textContent = first.waiting;
      strong.textContent = first.again;
      say(first.waiting);
      first = null;
    };
    const strong = button(words, act, "strong");
    const leave = (then) => () => {
      this.#remove(offer);
      then();
    };
    const offer = h("div", { class: "offer", "data-name": name }, text,
      h("div", { class: "offer-acts" }, other && button(other[0], leave(other[1])), strong, iconButton("close", "Not now", null, leave(close))));
    this.element.append(offer);
    say(sentence);
  }
}

const offerOf = (chart) => `chart ${chart}`;

/// The chart on the stand with this name, as `{place, chart}`: the one that is played, or the one beside it.
const onStand = (shown, id) => [shown, shown?.beside].find((each) => each?.place.chart === id) ?? null;

/// What the musician has accepted there: it may be about to come on the stand in place of what is shown.
const takenAt = ({ place, chart }) => book.peek(place) ?? chart;

const isSame = (a, b) => a?.id === b.id && a.hash === b.hash;
