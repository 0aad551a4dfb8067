// The positions of pages on the screen: pure functions of numbers.
import { viewsOf } from "./cuts.js";

/// Two pages are shown side by side if neither becomes smaller than this share of the size that it would have alone.
const ENOUGH = 0.9;
const GAP = 6;
/// The shares of the screen's width that a page may take to need fewer views, and the least width (CSS pixels) to which a page may
/// be narrowed.
const NARROWER = [1, 0.97, 0.94, 0.91, 0.88, 0.85, 0.82, 0.79, 0.76, 0.73];
const LEAST = 800;

/// The size of the shown part of a page; `part` is in shares of the page's width and height.
export const sizeOfPart = ({ width, height }, part) => ({ width: width * (part.right - part.left), height: height * (part.bottom - part.top), part });

/// The stops of a chart: lists of positions (places in its order) that are shown together. A stop begins at `from`.
/// `partOf` returns the part of a page that is shown.
export function stopsOf(chart, box, { spread, fit, partOf, from }) {
  const sizeAt = (position) => sizeOfPart(pageSizeAt(chart, position), partOf(chart, chart.order[position]));
  const stops = [];
  for (let at = 0; at < chart.order.length; at += stops.at(-1).length) {
    const two = at + 1 < chart.order.length && at + 1 !== from
      && (spread === "two" || (spread === "auto" && fit === "page" && fitsTwo(sizeAt(at), sizeAt(at + 1), box)));
    stops.push(two ? [at, at + 1] : [at]);
  }
  return stops;
}

export function pageSizeAt(chart, position) {
  const page = chart.pages[chart.order[position]];
  return page ? { width: page.plain?.width ?? page.width, height: page.plain?.height ?? page.height } : { width: 210, height: 297 };
}

export function fitsTwo(left, right, box) {
  const alone = Math.max(...[left, right].map(({ width, height }) => Math.min(box.width / width * height, box.height)));
  return sideBySide([left, right], box, "page").height >= ENOUGH * alone;
}

/// Pages side by side, equally high, as large as the box allows.
function sideBySide(sizes, box, fit) {
  const room = box.width - GAP * (sizes.length - 1);
  const wide = sizes.reduce((sum, size) => sum + size.width / size.height, 0);
  const height = fit === "width" ? room / wide : Math.min(box.height, room / wide);
  return { height, widths: sizes.map((size) => height * size.width / size.height) };
}

/// The slots for one stop's pages, in a sheet at least as large as the box; in whole pixels, since a page that starts between two
/// pixels is blurred. `whole` is the rectangle of the whole page, of which the slot shows a part. `view` is the height of the screen.
export function place(sizes, box, fit, zoom, view) {
  const row = sideBySide(sizes, box, fit);
  const scale = fit === "width" && zoom === 1 && sizes.length === 1 ? narrowed(sizes[0], row, view) : zoom;
  const height = Math.round(row.height * scale);
  const widths = row.widths.map((width) => Math.round(width * scale));
  const total = widths.reduce((sum, width) => sum + width, 0) + GAP * (sizes.length - 1);
  const sheet = { width: Math.max(box.width, total), height: Math.max(box.height, height) };
  let x = Math.round((sheet.width - total) / 2);
  const y = Math.round((sheet.height - height) / 2);
  const slots = widths.map((width, i) => {
    const slot = { x, y, width, height };
    slot.whole = wholeOf(slot, sizes[i].part);
    x += width + GAP;
    return slot;
  });
  return { ...sheet, slots };
}

/// For each page, the greatest share of the screen's width at which the page needs the fewest views. The results are kept, because each
/// turn needs them for several pages, again and again.
const found = new Map();
const MOST = 200;

function narrowed(size, row, view) {
  if (!size.bands) return 1;
  const key = JSON.stringify([size, row, view]);
  if (found.size >= MOST) found.clear();
  if (!found.has(key)) found.set(key, fewestViews(size, row, view));
  return found.get(key);
}

function fewestViews({ bands, part }, { height, widths }, view) {
  const shares = NARROWER.filter((share) => share === 1 || share * widths[0] >= LEAST);
  const views = shares.map((share) => {
    const slot = { x: 0, y: 0, width: Math.round(widths[0] * share), height: Math.round(height * share) };
    return slot.height > view + 1 ? viewsOf([{ bands, slot: { ...slot, whole: wholeOf(slot, part) } }], view, slot.height).length : 1;
  });
  return shares[views.indexOf(Math.min(...views))];
}

function wholeOf(slot, part) {
  if (!part) return { ...slot };
  const width = Math.max(slot.width, Math.round(slot.width / (part.right - part.left)));
  const height = Math.max(slot.height, Math.round(slot.height / (part.bottom - part.top)));
  const left = Math.min(Math.round(part.left * width), width - slot.width);
  const top = Math.min(Math.round(part.top * height), height - slot.height);
  return { x: slot.x - left, y: slot.y - top, width, height };
}
