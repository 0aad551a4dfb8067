// Charts' descriptions, read once and kept while one plays; they change only by events or when the musician says so.
import { api, isOf } from "./api.js";
import { withFormer } from "./stand-ins.js";

const keyOf = ({ chart, item }) => `${chart} ${item ?? ""}`;

export class ChartBook {
  #charts = new Map();
  #asked = new Map();

  /// What is known now.
  peek(place) {
    return this.#charts.get(keyOf(place)) ?? null;
  }

  /// What is known, else asked for.
  async load(place) {
    return this.peek(place) ?? this.read(place);
  }

  /// Asked anew and kept; two questions for the same at once are one.
  async read(place) {
    const key = keyOf(place);
    if (!this.#asked.has(key)) {
      this.#asked.set(key, api.chart(place).finally(() => this.#asked.delete(key)));
    }
    const chart = await this.#asked.get(key);
    this.keep(place, chart);
    return this.peek(place);
  }

  /// Asked anew, not kept: to see whether it differs from what is shown.
  ask(place) {
    return api.chart(place);
  }

  keep(place, chart) {
    const known = this.peek(place);
    // Other bytes are another music: nothing of before may stand in for them.
    const isSame = known?.hash === chart.hash;
    this.#charts.set(keyOf(place), isSame ? { ...chart, pages: withFormer(chart.pages, known.pages) } : chart);
  }

  /// Forgets a chart everywhere but at one place, the one that is shown.
  forget(id, place) {
    for (const key of [...this.#charts.keys()]) {
      if (key.startsWith(`${id} `) && key !== keyOf(place)) this.#charts.delete(key);
    }
  }

  /// Forgets all but the one that is shown.
  forgetOthers(place) {
    for (const key of [...this.#charts.keys()]) if (key !== keyOf(place)) this.#charts.delete(key);
  }

  /// One page's marks were saved.
  markPage(event) {
    for (const [key, known] of this.#charts) if (key.startsWith(`${event.chart} `)) mark(known, event);
  }
}

/// Takes over one page's marks, if they are on these bytes: a chart that was replaced may still be on the stand.
export function mark(known, { page, annotated, marked }) {
  if (!isOf(known, annotated)) return;
  const pages = known.pages.map((each) => (each.index === page ? { ...each, annotated, marked } : each));
  known.pages = withFormer(pages, known.pages);
}

/// A chart's marks and layers as they are now; its pages and its place stay as they are known until the musician says so.
export function withMarksOf(fresh, known) {
  const order = known.order.length > 0 ? known.order : fresh.order;
  return { ...fresh, order, title: known.title, key: known.key, next: known.next, previous: known.previous };
}

/// Whether the musician would see another chart, not just other marks on the same one.
export function isOther(a, b) {
  const shape = (chart) => JSON.stringify([chart.hash, chart.order, chart.pages.length, chart.title, chart.key]);
  return shape(a) !== shape(b);
}
