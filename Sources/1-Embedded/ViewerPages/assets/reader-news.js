// Changes from elsewhere while playing. Marks appear on the open page by themselves; another chart or another running
// order is announced, and only taken over when the musician says so.
import { api } from "./api.js";
import { h, icon, say } from "./dom.js";
import { isOther, mark, withMarksOf } from "./chart-book.js";
import { on } from "./events.js";
import { holder } from "./plan-holder.js";
import { RunningOrder } from "./running-order.js";

export class News {
  element = h("div", { class: "offers", role: "region", "aria-label": "Updates" });
  #reader;
  #ends;
  /// New versions, by id, of the charts that are on the stand in an earlier version; kept even when the offer is dismissed.
  #newer = new Map();
  /// Where charts are that are to change when their song is over.
  #due = new Map();

  constructor(reader) {
    this.#reader = reader;
    this.#ends = [
      on("page", (event) => this.#marked(event)),
      on("chart", (event) => this.#chartChanged(event)),
      on("plans", () => this.#plansChanged()),
      // Events from while the connection was broken do not come again, so everything is asked for again.
      on("open", ({ again }) => {
        if (again) this.#askAnew();
      }),
    ];
  }

  stop() {
    for (const end of this.#ends) end();
  }

  #askAnew() {
    const { book, order, shown, goal } = this.#reader;
    if (order) api.look(order.plan);
    if (shown) this.#reader.telling.again(shown);
    book.doubtOthers(shown?.place ?? goal ?? {});
    this.check(shown?.place.chart);
    if (order) this.#plansChanged();
    else if (goal?.plan) this.#reader.takeOrder(goal.plan).catch(() => null);
    if (document.body.dataset.state === "failed" || document.body.dataset.state === "missing") this.#reader.retry(goal);
  }

  #marked(event) {
    const { book, shown } = this.#reader;
    book.markPage(event);
    if (this.#newer.has(event.chart)) mark(this.#newer.get(event.chart), event);
    if (onStand(shown, event.chart)) this.#reader.refresh();
  }

  /// Asks whether the chart that is shown has changed.
  check(chart) {
    return this.#chartChanged({ chart, set: null });
  }

  async #chartChanged({ chart, set }) {
    const { book, shown, goal } = this.#reader;
    if (!chart) return;
    const known = onStand(shown, chart);
    if (!known) {
      if (goal?.chart !== chart) this.#recall(chart);
      book.renew(chart);
      return;
    }
    const { place } = known;
    if (set && known.chart?.set === set) return;
    const fresh = await book.ask(place).catch(() => null);
    if (!fresh || !onStand(this.#reader.shown, chart)) {
      // There is no answer, or somebody has turned on meanwhile: it is still to be asked.
      book.renew(chart);
      return;
    }
    if (known.chart && known.chart.order.length > 0 && isOther(known.chart, fresh)) {
      this.#announce(place, fresh);
    } else {
      this.adopt(fresh);
    }
  }

  #announce(place, fresh) {
    const isOffered = this.#newer.get(place.chart)?.set === fresh.set && this.#offerNamed(offerOf(place.chart));
    this.#newer.set(place.chart, fresh);
    if (isOffered) return;
    this.#offer(offerOf(place.chart), `“${fresh.title}” has changed.`, "Show it", () => this.takeNew(place), {
      // Nobody wants another page under the fingers because of a tap that went wrong.
      first: () => this.#due.set(place.chart, place), waiting: "It will be shown when you leave this song.", again: "Show it now",
    });
  }

  /// Whether this is an earlier version of a chart.
  isReplaced(chart) {
    return (this.#newer.get(chart.id)?.hash ?? chart.hash) !== chart.hash;
  }

  /// The song is over: charts that were to change then do so.
  left(place) {
    const { book } = this.#reader;
    for (const [chart, where] of this.#due) {
      const fresh = this.#newer.get(chart);
      if (chart === place.chart || !fresh) continue;
      this.#recall(chart);
      book.keep(where, fresh);
      book.renew(chart, where);
    }
  }

  /// Puts the new version on the stand.
  takeNew(place) {
    const { book, goal } = this.#reader;
    const fresh = this.#newer.get(place.chart);
    if (!fresh) return;
    this.#recall(place.chart);
    book.keep(place, fresh);
    book.renew(place.chart, place);
    this.#reader.goTo({ ...goal, half: null });
  }

  /// Reads the descriptions again that these requests are from. False if a chart is another now: then that is offered.
  async reviewAll(requests) {
    let isSame = true;
    for (const place of new Set(requests.map((request) => request.place))) if (!(await this.review(place))) isSame = false;
    return isSame;
  }

  /// Reads a chart's description again. Null if its bytes differ from those on the stand: then the new version is offered.
  async review(place) {
    const { book } = this.#reader;
    const fresh = await book.ask(place);
    const known = book.peek(place);
    const isOnStand = known?.order.length > 0 && (this.#newer.has(known.id) || isSame(onStand(this.#reader.shown, known.id)?.chart, known));
    if (isOnStand && known.hash !== fresh.hash) {
      this.#announce(place, fresh);
      return null;
    }
    const kept = isOnStand ? withMarksOf(fresh, known) : fresh;
    book.keep(place, kept);
    return book.peek(place);
  }

  /// Takes over a chart's marks and layers; the pages themselves are the same.
  adopt(fresh) {
    const { book, shown } = this.#reader;
    const there = onStand(shown, fresh.id);
    if (!there) return;
    const known = there.chart ?? fresh;
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
    const { order } = this.#reader;
    if (!order.differs(data)) {
      this.#withdraw("order");
      // States and reasons may have changed; the order has not.
      this.#reader.order = new RunningOrder(order.plan, data);
      return;
    }
    this.#offer("order", "The running order has changed.", "Use the new one", () => {
      this.#reader.useOrder(order.plan, data);
      this.#reader.book.doubtOthers(this.#reader.shown?.place ?? {});
      holder.again();
      this.#reader.refresh();
    });
  }

  /// Withdraws the offer of a new version, since there is none any more that is not on the stand.
  #recall(chart) {
    this.#due.delete(chart);
    if (this.#newer.delete(chart)) this.#withdraw(offerOf(chart));
  }

  #withdraw(name) {
    this.#offerNamed(name)?.remove();
  }

  #offerNamed(name) {
    return [...this.element.children].find((offer) => offer.dataset.name === name);
  }

  /// With `second`, it takes another tap to accept; the first one says what happens without it.
  #offer(name, sentence, words, accept, second = null) {
    this.#withdraw(name);
    const told = h("p", { text: sentence });
    let left = second;
    const button = h("button", {
      type: "button", class: "button strong", text: words,
      onclick: () => {
        if (!left) {
          offer.remove();
          accept();
          return;
        }
        left.first();
        told.textContent = left.waiting;
        button.textContent = left.again;
        say(left.waiting);
        left = null;
      },
    });
    const offer = h("div", { class: "offer", "data-name": name }, told,
      h("div", { class: "offer-acts" }, button,
        h("button", { type: "button", class: "tool", "aria-label": "Not now", onclick: () => offer.remove() }, icon("close"))));
    this.element.append(offer);
    say(sentence);
  }
}

const offerOf = (chart) => `chart ${chart}`;

/// The chart on the stand with this name, as `{place, chart}`: the one that is played, or the one beside it.
const onStand = (shown, id) => [shown, shown?.beside].find((each) => each?.place.chart === id) ?? null;

const isSame = (a, b) => a?.id === b.id && a.hash === b.hash;
