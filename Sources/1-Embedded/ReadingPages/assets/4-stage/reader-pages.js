// From a place in a chart to the requests for images: the stop, the variant, and the size.
import { liveAddress } from "./api.js";
import { book } from "./books.js";
import { bandsOf, imageOf, isKept, leanOf, partOf } from "./margins.js";
import { fitsTwo, pageSizeAt, sizeOfPart, stopsOf } from "./layout.js";
import { firstChart } from "./running-order.js";
import { settings } from "./settings.js";

/// How far an image may be stretched before a sharper one is requested.
const STRETCH = 1.05;
const LONGEST_LIVE = 6000;
/// Tablets' browsers show no canvas with more pixels than this.
const MOST_LIVE = 16_000_000;
const AHEAD = 2;

/// The stop that includes this position: its number, and its positions. `from` is where the musician had a stop begin, if anywhere.
function stopAt(chart, { position, from }, stage) {
  const all = stopsOf(chart, stage.box, { spread: settings.get("spread"), fit: settings.get("fit"), partOf, from });
  const last = Math.max(0, all.length - 1);
  const wanted = position === "last" ? last : all.findIndex((stop) => stop.includes(position));
  const number = wanted < 0 ? last : wanted;
  return { all, number, positions: all[number] ?? [] };
}

/// The sheet that shows a requested page: `{place, chart, positions, beside}`; `beside` is a second song to the right, or null. The
/// place keeps the requested page in `asked`: after the screen is rotated, pages that were side by side may stand alone again.
export function sheetAt(asked, chart, context) {
  const { asked: former, from, ...rest } = asked;
  // From the first page on, pages stand beside each other as they did at first.
  const plain = rest.position ? { ...rest, from } : rest;
  const { positions } = stopAt(chart, plain, context.stage);
  const first = positions[0] ?? 0;
  const place = { ...plain, position: first, asked: { ...plain, position: positions.includes(asked.position) ? asked.position : first } };
  const pair = pairOf(place, chart, context);
  if (!pair) return { place, chart, positions, beside: null };
  return { place: { ...pair.left.place, asked: place.asked }, chart: pair.left.chart, positions: [0], beside: pair.right };
}

/// Two songs of one page each, side by side if the screen has room: `{left, right}` of `{place, chart}`; null if the place's song stands
/// alone. Pairs are counted from the first song of a run of such songs, so each song has the same partner whichever song is opened.
function pairOf(place, chart, { stage, order }) {
  const spread = settings.get("spread");
  const fit = settings.get("fit");
  if (!order || place.half || chart.order.length !== 1 || !(spread === "two" || (spread === "auto" && fit === "page"))) return null;
  const at = order.numberOf(place.item) - 1;
  if (at < 0) return null;
  const all = order.items.map((item, i) => (i === at ? { place, chart } : knownOf(item, order.plan)));
  // Until all charts are known, a run may seem to start elsewhere, and pairs must not change during play.
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

/// An item's place and chart; null until the chart's description has arrived. `chart` is null if the chart cannot be shown, even in part.
function knownOf(item, plan) {
  const first = firstChart(item);
  const place = { chart: first.id, plan, item: item.id, position: 0, half: null };
  const chart = book.peek(place);
  return chart || (first.state !== "ready" && first.state !== "partly") ? { place, chart } : null;
}

export const pagesOf = ({ place, chart, positions, beside }) =>
  [...positions.map((position) => ({ place, chart, position })), ...(beside ? [{ ...beside, position: 0 }] : [])];

/// The place one turn forward or back: half a turn, a stop of this chart, or the next or previous item. Null beyond the ends.
export function neighbour(place, chart, direction, context) {
  const { stage, halves } = context;
  const { all, number } = stopAt(chart, place, stage);
  if (direction < 0 && place.half) return { ...place, half: null };
  const stop = all[number + direction];
  // Half of a pair and half of a single page do not fit together: turn the whole page.
  if (stop && direction > 0 && halves && !place.half && stop.length === all[number].length) {
    return { ...place, half: stop.length === 2 ? "left" : "upper" };
  }
  if (stop) return { ...place, position: stop[0], half: null };
  const next = neighbourItem(place, chart, direction, context);
  return next ? { ...next, position: next.start ?? (direction > 0 ? 0 : "last"), half: null } : null;
}

/// The next item in this direction; from two songs side by side, the item after both.
export function neighbourItem(place, chart, direction, context) {
  const { order } = context;
  const pair = pairOf(place, chart, context);
  if (pair) return order.neighbour(direction > 0 ? pair.right.place : pair.left.place, direction);
  if (order?.item(place.item)) return order.neighbour(place, direction);
  const next = direction > 0 ? chart.next : chart.previous;
  return next ? { chart: next.chart, item: next.item, plan: place.plan, title: next.title } : null;
}

/// The requests for a sheet: each page's image with exactly the pixels of its slot, but no more than the image has. `isAhead` is
/// for pages seen after a turn, when no controls are shown.
export function requestsFor(pages, stage, zoom = 1, isAhead = false) {
  const sizes = pages.map(({ chart, position }) => ({
    ...sizeOfPart(pageSizeAt(chart, position), partOf(chart, chart.order[position])), bands: bandsOf(chart, chart.pages[chart.order[position]]),
  }));
  const { slots } = stage.layout(sizes, settings.get("fit"), zoom, isAhead);
  return pages.map(({ place, chart, position }, i) => {
    const page = chart.pages[chart.order[position]];
    const image = imageOf(page);
    const width = Math.round(slots[i].whole.width * devicePixelRatio);
    const height = Math.round(slots[i].whole.height * devicePixelRatio);
    const isLarger = width >= image.width;
    return request(place, chart, position, sizes[i], page, isLarger ? image.width : width, isLarger ? image.height : height);
  });
}

/// The requests for a sheet. `over` is put on the stage last. Half a turn also needs `under`, the stop that stays below: it may be
/// on screen in another size.
export function requestsOf(sheet, stage, zoom) {
  if (!sheet.place.half) return { over: requestsFor(pagesOf(sheet), stage, zoom), under: [] };
  const { all, number } = stopAt(sheet.chart, sheet.place, stage);
  const next = { ...sheet, positions: all[number + 1] ?? all[number] };
  return { over: requestsFor(pagesOf(next), stage, zoom), under: requestsFor(pagesOf(sheet), stage) };
}

/// The requests for the pages on the stage (`now`), and for sharper ones if the screen has more pixels (`wanted`, otherwise null).
export function sharperFor(pages, stage) {
  const now = requestsFor(pages, stage, stage.zoom);
  const { slots } = stage.layout(now.map((request) => request.size), settings.get("fit"));
  const live = now.map((request, i) => liveRequestFor(request, slots[i]));
  return { now, wanted: live.some(Boolean) ? now.map((request, i) => live[i] ?? request) : null };
}

/// A request for a page drawn larger than its cached image; null if the screen has no more pixels than the image.
function liveRequestFor(plain, slot) {
  const { place, chart } = plain;
  const page = chart.pages[plain.page];
  const image = imageOf(page);
  const long = Math.max(slot.whole.width, slot.whole.height) * devicePixelRatio;
  const cached = Math.max(image.width, image.height);
  if (long <= cached * STRETCH) return null;
  const fitting = Math.sqrt(MOST_LIVE * Math.max(image.width / image.height, image.height / image.width));
  const most = matchMedia("(pointer: coarse)").matches ? Math.floor(fitting) : LONGEST_LIVE;
  const wanted = Math.min(LONGEST_LIVE, most, Math.round(long));
  const width = Math.round(image.width * wanted / cached);
  const height = Math.round(image.height * wanted / cached);
  const live = request(place, chart, plain.position, plain.size, page, width, height);
  return { ...live, key: `${live.key} live`, live: live.src, src: liveAddress(chart, page.index, settings.get("marks"), wanted) };
}

function request(place, chart, position, size, page, width, height) {
  const made = {
    src: imageOf(page).src, width, height, place, chart, position, page: page.index, size,
    label: `${chart.title}, page ${position + 1} of ${chart.order.length}`, isKept: isKept(chart), lean: leanOf(chart, page),
  };
  return { ...made, key: keyOf(made) };
}

/// Identifies an image at a given size.
export const keyOf = ({ place, position, src, width, height, isKept }) =>
  [place.item, position, src, width, height, isKept ? "as scanned" : ""].join(" ");

export const sameKeys = (a, b) => a.length === b.length && a.every((request, i) => request?.key === b[i]?.key);

export const sameChart = (a, b) => a.chart === b.chart && a.item === b.item;

export const samePlace = (a, b) => sameChart(a, b) && a.position === b.position && a.half === b.half;

/// The next pages in the direction of turning, always whole stops, from other items as well if needed. Calls `missing` for a chart without
/// a description. Pages of the shown chart are zoomed like the shown page.
export function ahead(place, chart, context, missing) {
  const { stage, way } = context;
  const found = [];
  let from = { ...place, half: null };
  let known = chart;
  while (found.length < AHEAD) {
    const next = neighbour(from, known, way, context);
    if (!next) break;
    known = book.peek(next);
    if (!known) {
      missing(next);
      break;
    }
    const sheet = sheetAt(next, known, context);
    found.push(...requestsFor(pagesOf(sheet), stage, sameChart(sheet.place, place) ? stage.zoom : 1, true));
    [from, known] = [sheet.place, sheet.chart];
  }
  return found;
}
