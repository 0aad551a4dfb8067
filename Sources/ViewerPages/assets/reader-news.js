// What changes elsewhere while one plays. Marks appear on the open page by themselves; another chart or another running
// order is announced, and taken only when the musician says so.
import { api } from "./api.js";
import { h, icon, say } from "./dom.js";
import { isOther } from "./chart-book.js";
import { on } from "./events.js";
import { RunningOrder } from "./running-order.js";

export class News {
  element = h("div", { class: "offers", role: "region", "aria-label": "News" });
  #reader;
  #ends;

  constructor(reader) {
    this.#reader = reader;
    this.#ends = [
      on("page", (event) => this.#marked(event)),
      on("chart", (event) => this.#chartChanged(event)),
      on("plans", () => this.#plansChanged()),
      // What happened while the connection was broken is not told again: everything is asked anew.
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
    book.forgetOthers(shown?.place ?? goal ?? {});
    this.#chartChanged({ chart: shown?.place.chart, set: null });
    this.#plansChanged();
    if (document.body.dataset.state === "failed" || document.body.dataset.state === "missing") this.#reader.retry(goal);
  }

  #marked(event) {
    const { book, shown } = this.#reader;
    book.markPage(event);
    if (shown?.chart?.id === event.chart) this.#reader.refresh();
  }

  async #chartChanged({ chart, set }) {
    const { book, shown } = this.#reader;
    if (!chart) return;
    if (shown?.place.chart !== chart) {
      book.forget(chart, shown?.place ?? {});
      return;
    }
    const { place } = shown;
    if (set && shown.chart?.set === set) return;
    const fresh = await book.ask(place).catch(() => null);
    if (!fresh || this.#reader.shown?.place.chart !== chart) return;
    if (shown.chart && shown.chart.order.length > 0 && isOther(shown.chart, fresh)) {
      this.#offer("chart", `“${fresh.title}” has changed.`, "Show the new one", () => {
        book.forget(chart, {});
        book.keep(place, fresh);
        this.#reader.goTo({ ...this.#reader.goal, half: null });
      });
    } else {
      this.adopt(fresh);
    }
  }

  /// Takes over a chart's marks and layers; the pages themselves are the same.
  adopt(fresh) {
    const { book, shown } = this.#reader;
    if (shown?.chart?.id !== fresh.id && shown?.place.chart !== fresh.id) return;
    const known = shown.chart ?? fresh;
    book.forget(fresh.id, shown.place);
    const order = known.order.length > 0 ? known.order : fresh.order;
    // What was before and after this chart stays so, too, until the musician takes the new order.
    book.keep(shown.place, { ...fresh, order, title: known.title, key: known.key, next: known.next, previous: known.previous });
    this.#reader.refresh();
  }

  async #plansChanged() {
    const { order } = this.#reader;
    if (!order) return;
    const data = await api.plan(order.plan).catch(() => null);
    if (!data || this.#reader.order !== order) return;
    if (!order.differs(data)) {
      this.#withdraw("order");
      // States and reasons may have changed; the way through has not.
      this.#reader.order = new RunningOrder(order.plan, data);
      return;
    }
    this.#offer("order", "The running order has changed.", "Use the new one", () => {
      this.#reader.order = new RunningOrder(order.plan, data);
      this.#reader.book.forgetOthers(this.#reader.shown?.place ?? {});
      this.#reader.refresh();
    });
  }

  #withdraw(name) {
    this.element.querySelector(`[data-name="${name}"]`)?.remove();
  }

  #offer(name, sentence, words, accept) {
    this.#withdraw(name);
    const offer = h("div", { class: "offer", "data-name": name },
      h("p", { text: sentence }),
      h("button", {
        type: "button", class: "button strong", text: words,
        onclick: () => {
          offer.remove();
          accept();
        },
      }),
      h("button", { type: "button", class: "tool", "aria-label": "Not now", onclick: () => offer.remove() }, icon("close")));
    this.element.append(offer);
    say(sentence);
  }
}
