// Descriptions of charts, read once and kept as long as the tab is open; they change only by events, or when the musician asks for it.
import { api, isOf } from "./api.js";
import { withFormer } from "./stand-ins.js";

const keyOf = ({ chart, item }) => `${chart} ${item ?? ""}`;

class ChartBook {
  #charts = new Map();
  #asked = new Map();
  /// Descriptions that may be out of date: asked for again, and good enough where nobody answers.
  #doubted = new Set();

  /// The description, if it is known.
  peek(place) {
    return this.#charts.get(keyOf(place)) ?? null;
  }

  /// The description, asked for if it is not known.
  async load(place) {
    const known = this.peek(place);
    if (known && !this.#doubted.has(keyOf(place))) return known;
    try {
      return await this.read(place);
    } catch (error) {
      if (known && error.status === 0) return known;
      throw error;
    }
  }

  /// Asks again and keeps the answer; two requests for the same chart at the same time become one.
  async read(place) {
    const key = keyOf(place);
    if (!this.#asked.has(key)) {
      this.#asked.set(key, api.chart(place).finally(() => this.#asked.delete(key)));
    }
    const chart = await this.#asked.get(key);
    this.keep(place, chart);
    return this.peek(place);
  }

  /// Asks again without keeping the answer: to see whether it differs from what is shown.
  ask(place) {
    return api.chart(place);
  }

  keep(place, chart) {
    const known = this.peek(place);
    // Other bytes may be different music: no earlier page may stand in for them.
    const isSame = known?.hash === chart.hash;
    this.#doubted.delete(keyOf(place));
    this.#charts.set(keyOf(place), isSame ? { ...chart, pages: withFormer(chart.pages, known.pages) } : chart);
  }

  /// Forgets a chart everywhere except at one place, the one that is shown.
  forget(id, place) {
    for (const key of [...this.#charts.keys()]) {
      if (key.startsWith(`${id} `) && key !== keyOf(place)) this.#charts.delete(key);
    }
  }

  /// Forgets all charts except the one that is shown.
  forgetOthers(place) {
    for (const key of [...this.#charts.keys()]) if (key !== keyOf(place)) this.#charts.delete(key);
  }

  /// Has all charts except the one that is shown asked for again: news of them may have been missed.
  doubtOthers(place) {
    for (const key of this.#charts.keys()) if (key !== keyOf(place)) this.#doubted.add(key);
  }

  /// Takes note that the marks on one page were saved.
  markPage(event) {
    for (const [key, known] of this.#charts) if (key.startsWith(`${event.chart} `)) mark(known, event);
  }
}

/// The one of this tab.
export const book = new ChartBook();

/// Takes over one page's marks, if they are for these bytes: the chart on the stand may be one that was replaced.
export function mark(known, { page, annotated, marked }) {
  if (!isOf(known, annotated)) return;
  const pages = known.pages.map((each) => (each.index === page ? { ...each, annotated, marked } : each));
  known.pages = withFormer(pages, known.pages);
}

/// A chart with its current marks and layers; its pages and its place stay as they were until the musician asks for the new ones.
export function withMarksOf(fresh, known) {
  const order = known.order.length > 0 ? known.order : fresh.order;
  return { ...fresh, order, title: known.title, key: known.key, next: known.next, previous: known.previous };
}

/// Whether the musician would see a different chart, not just different marks on the same one.
export function isOther(a, b) {
  const shape = (chart) => JSON.stringify([chart.hash, chart.order, chart.pages.length, chart.title, chart.key]);
  return shape(a) !== shape(b);
}
