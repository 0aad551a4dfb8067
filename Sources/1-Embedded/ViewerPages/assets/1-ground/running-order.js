// Which chart of which item comes before and after: the way through a plan when playing.
import { settings } from "./settings.js";

/// An item's chart: the one that was last opened for it, otherwise the first that can be shown, otherwise the first.
export function firstChart(item) {
  const chosen = settings.get("chosen")[item.id];
  return item.charts.find((chart) => chart.id === chosen)
    ?? item.charts.find((chart) => chart.state === "ready" || chart.state === "partly")
    ?? item.charts[0];
}

/// A chart's name beside the title of its song: "Amazing Grace - violin" is the violin.
export const partOf = (item, chart) => {
  const rest = chart.name.startsWith(item.title) ? chart.name.slice(item.title.length).replace(/^[\s–—:_-]+/, "") : "";
  return rest || chart.name;
};

/// A key's name with ♯ and ♭, as musicians write them.
export const withSigns = (key) => key?.replace(/^([A-H])b/, "$1♭").replace("#", "♯");

/// "F · 76 bpm", as far as the service gives them.
export const keyAndTempo = (item) => [withSigns(item.key), item.tempo && `${item.tempo} bpm`].filter(Boolean).join(" · ");

/// The running order as it was when the musician started to play. It does not change while they play; a new one is offered (`differs`) and
/// replaces it only when they accept it.
export class RunningOrder {
  constructor(plan, data) {
    this.plan = plan;
    this.data = data;
    this.items = data.items.filter((item) => item.charts.length > 0);
  }

  /// The place one item forward (+1) or back (−1), or null at the ends.
  neighbour(place, direction) {
    const number = this.numberOf(place.item);
    const item = number > 0 ? this.items[number - 1 + direction] : null;
    return item ? { chart: firstChart(item).id, plan: this.plan, item: item.id, title: item.title } : null;
  }

  item(id) { return this.items.find((item) => item.id === id) ?? null; }

  numberOf(id) { return this.items.findIndex((item) => item.id === id) + 1; }

  reasonFor(place) { return this.item(place.item)?.charts.find((chart) => chart.id === place.chart)?.reason ?? null; }

  /// Whether a plan's charts differ from these. Their pages do not count: a chart with other pages is offered by itself.
  differs(data) {
    const shape = (items) => JSON.stringify(items.filter((item) => item.charts.length > 0)
      .map((item) => [item.id, item.title, item.key, item.charts.map((chart) => chart.id)]));
    return shape(this.items) !== shape(data.items);
  }
}

/// Remembers which chart was last opened for an item.
export function remember(item, chart) {
  if (!item || settings.get("chosen")[item] === chart) return;
  // The last hundred are enough: items are not needed again once their plan is past.
  settings.put("chosen", item, chart, 100);
}
