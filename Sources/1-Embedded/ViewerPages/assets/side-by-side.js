// Two songs of one page each, side by side where the screen has room: in pairs from the first of a run of such songs, whichever way one
// comes, so that the same two are always seen together.
import { fitsTwo, pageSizeAt, sizeOfPart } from "./layout.js";
import { firstChart } from "./running-order.js";
import { partOf } from "./margins.js";
import { settings } from "./settings.js";

/// The pair that this place belongs to, as `{left, right}` of `{place, chart}`; null if its song stands alone.
export function pairOf(place, chart, { stage, order, book }) {
  const spread = settings.get("spread");
  const fit = settings.get("fit");
  if (!order || place.half || chart.order.length !== 1 || !(spread === "two" || (spread === "auto" && fit === "page"))) return null;
  const at = order.items.findIndex((item) => item.id === place.item);
  if (at < 0) return null;
  const all = order.items.map((item, i) => (i === at ? { place, chart } : knownOf(item, order.plan, book)));
  // Until all charts are known nobody can say where a run begins, and pairs must not change while one plays.
  if (all.includes(null)) return null;
  const isShort = (i) => all[i]?.chart?.order.length === 1;
  let first = at;
  while (isShort(first - 1)) first -= 1;
  const left = at - (at - first) % 2;
  if (!isShort(left + 1)) return null;
  const pair = { left: all[left], right: all[left + 1] };
  const sizes = [pair.left, pair.right].map((each) => sizeOfPart(pageSizeAt(each.chart, 0), partOf(each.chart, each.chart.order[0])));
  return spread === "two" || fitsTwo(...sizes, stage.box) ? pair : null;
}

/// An item's chart with its place; null if it is still to be described, and without a chart if it never will be.
function knownOf(item, plan, book) {
  const told = firstChart(item);
  const place = { chart: told.id, plan, item: item.id, position: 0, half: null };
  const chart = book.peek(place);
  return chart || (told.state !== "ready" && told.state !== "partly") ? { place, chart } : null;
}
