// What is shown of a page: the image with marks or without, and all of it or only the part inside its margins. Boxes are in shares of a
// page's width and height.
import { settings } from "./settings.js";

/// The white that stays around the ink on all sides, as a share of the page's shorter side.
const MARGIN = 0.006;
/// At least this share of a page's width and height is shown: a title alone on its page should not fill the screen.
const LEAST = 0.5;
/// The agent gives the place of ink in so many parts of a page's sides.
const PARTS = 10_000;

export const WHOLE = { left: 0, top: 0, right: 1, bottom: 1 };

export const imageOf = (page) => (settings.get("marks") ? page.annotated : page.plain) ?? page.plain;

/// The other image, which is not shown: with marks or without.
export const otherImageOf = (page) => (settings.get("marks") ? page.plain : page.annotated) ?? page.plain;

/// The address of an image that is here: this one, otherwise an earlier one of the same page. Null if there is none.
export const pictureOf = (image) => (image.here ? image.src : image.older);

/// The part of a chart's pages that was chosen by hand, if any: for these bytes, since on others the ink is somewhere else.
export function handBoxOf(chart) {
  const box = settings.get("boxes")[chart.id];
  return box && (box.of ?? chart.hash) === chart.hash ? box : null;
}

/// Whether a part of a page has all of its printed ink, as far as that is known.
export function hasAllInk(page, box) {
  const ink = sharesOf(page.plain?.ink);
  return !ink || (box.left <= ink.left && box.top <= ink.top && box.right >= ink.right && box.bottom >= ink.bottom);
}

/// The part that was chosen by hand, with all marks; the whole page if it is not known where they are.
function withMarks(box, page) {
  if (!settings.get("marks") || !page.marked) return box;
  const image = imageOf(page);
  if (!image.marks) return WHOLE;
  const marks = sharesOf(image.marks);
  return marks ? around([box, withMargin(marks, image, 0)]) : box;
}

/// The part of a page that is shown; the whole page if it is not known where its ink is.
export function partOf(chart, index) {
  const choice = settings.get("margins");
  const page = chart.pages[index];
  if (choice === "printed" || !page) return WHOLE;
  const box = handBoxOf(chart);
  if (box) return withMarks(box, page);
  if (!knowsInk(page)) return WHOLE;
  const ink = choice === "chart" ? inkOfAll(chart) : inkOf(page);
  return ink ? withMargin(ink, imageOf(page)) : WHOLE;
}

/// Whether it is known where a page has ink: images drawn by an earlier version do not say.
export const knowsInk = (page) => Boolean(imageOf(page).ink);

/// The box around a page's ink; null if it has none, or if that is not known.
const inkOf = (page) => sharesOf(imageOf(page).ink);

function sharesOf(parts) {
  if (!parts || parts[2] <= parts[0]) return null;
  const [left, top, right, bottom] = parts.map((each) => each / PARTS);
  return { left, top, right, bottom };
}

/// The box around the ink of all of a chart's pages, with marks and without, by the pages' array: a changed mark makes another.
const known = new WeakMap();

function inkOfAll(chart) {
  if (!known.has(chart.pages)) known.set(chart.pages, new Map());
  const boxes = known.get(chart.pages);
  const isMarked = settings.get("marks");
  if (!boxes.has(isMarked)) boxes.set(isMarked, around(chart.pages.map(inkOf).filter(Boolean)));
  return boxes.get(isMarked);
}

function around(boxes) {
  if (boxes.length === 0) return null;
  const most = (side, choose) => choose(...boxes.map((box) => box[side]));
  return { left: most("left", Math.min), top: most("top", Math.min), right: most("right", Math.max), bottom: most("bottom", Math.max) };
}

/// The part of a page to show for its ink: with the same margin on all sides, as far as the page goes, and not less than `least` of it.
function withMargin(ink, { width, height }, least = LEAST) {
  const margin = MARGIN * Math.min(width, height);
  const [left, right] = stretch(ink.left - margin / width, ink.right + margin / width, least);
  const [top, bottom] = stretch(ink.top - margin / height, ink.bottom + margin / height, least);
  return { left, top, right, bottom };
}

/// A stretch of a side, widened around its middle if it is too short, and within the page.
function stretch(from, to, least) {
  const [first, last] = [Math.max(0, from), Math.min(1, to)];
  const length = Math.max(least, last - first);
  const start = Math.min(Math.max(0, first - (length - (last - first)) / 2), 1 - length);
  return [start, start + length];
}
