// Which charts come before and after an item's chart, for turning through a plan.
import { settings } from "./settings.js";

/// An item's chart: the last one opened for the item, otherwise the first that can be shown, otherwise the first.
export function firstChart(item) {
  const chosen = settings.get("chosen")[item.id];
  return item.charts.find((chart) => chart.id === chosen)
    ?? item.charts.find((chart) => chart.state === "ready" || chart.state === "partly")
    ?? item.charts[0];
}

/// A chart's name without the title of its song: "violin" for "Amazing Grace - violin".
export const partOf = (item, chart) => {
  const rest = chart.name.startsWith(item.title) ? chart.name.slice(item.title.length).replace(/^[\s,–—:_-]+/, "") : "";
  return rest || chart.name;
};

/// A key's name with ♯ and ♭, as musicians write them.
export const withSigns = (key) => key?.replace(/^([A-H])b/, "$1♭").replace("#", "♯");

/// The key of a song's chart: of a chart that Woodshed draws, or of one whose name is the song's title and a key, as in
/// "Amazing Grace - F". Null for other charts.
export function keyOfChart(title, { id, name, song }) {
  if (song?.view && song.chart === id) return song.sounding ?? null;
  return name === title ? null : partOf({ title }, { name }).match(/^[A-G][b#♭♯]?m?$/)?.[0] ?? null;
}

/// "chart in F" if this chart is known to be in another key than its item; null otherwise.
export function otherKey(item, chart) {
  const key = withSigns(chart ? keyOfChart(item.title, chart) : null);
  return key && item.key && key !== withSigns(item.key) ? `chart in ${key}` : null;
}

/// "F · 76 bpm", without the key or tempo if the service does not give it; "G · chart in F · 76 bpm" if the chart is in another key.
export const keyAndTempo = (item, chart) =>
  [withSigns(item.key), otherKey(item, chart), item.tempo && `${item.tempo} bpm`].filter(Boolean).join(" · ");

/// The running order as it was when the musician started to play. It does not change during play; a new order is offered
/// (`differs`) and replaces this one only when the musician accepts it.
export class RunningOrder {
  constructor(plan, data) {
    this.plan = plan;
    this.data = data;
    this.items = data.items.filter((item) => item.charts.length > 0);
  }

  /// The place one item forward (+1) or back (−1), with the position at which a song within a book starts; null beyond either end.
  neighbour(place, direction) {
    const number = this.numberOf(place.item);
    const item = number > 0 ? this.items[number - 1 + direction] : null;
    return item ? { chart: firstChart(item).id, plan: this.plan, item: item.id, title: item.title, start: item.start } : null;
  }

  item(id) { return this.items.find((item) => item.id === id) ?? null; }

  numberOf(id) { return this.items.findIndex((item) => item.id === id) + 1; }

  reasonFor(place) { return this.item(place.item)?.charts.find((chart) => chart.id === place.chart)?.reason ?? null; }

  /// This order with the plan's present charts of `own`, which come and go because the musician chose a song's key in this window.
  /// Everything else stays as it is, even items whose other charts have changed.
  withOwn(data, own) {
    const isOwn = ({ id }) => own.has(id);
    const others = ({ charts }) => charts.filter((chart) => !isOwn(chart)).map(({ id }) => id).join(" ");
    const items = this.data.items.map((item) => {
      const now = data.items.find(({ id }) => id === item.id);
      const isSame = now && others(now) === others(item) && [...now.charts, ...item.charts].some(isOwn);
      return isSame ? { ...item, charts: now.charts, view: now.view } : item;
    });
    return new RunningOrder(this.plan, { ...this.data, items });
  }

  /// Whether the items of a plan, or their charts, differ from these. Pages are not compared: the reader offers a chart's new pages on
  /// its own.
  differs(data) {
    const shape = (items) => JSON.stringify(items.filter((item) => item.charts.length > 0)
      .map((item) => [item.id, item.title, item.key, item.charts.map((chart) => chart.id)]));
    return shape(this.items) !== shape(data.items);
  }
}

/// Remembers which chart was last opened for an item.
export function remember(item, chart) {
  if (!item || settings.get("chosen")[item] === chart) return;
  // A hundred are enough: nobody opens items of past plans again.
  settings.put("chosen", item, chart, 100);
}
