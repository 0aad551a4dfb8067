// Which image of a page is shown, with or without marks, and which part of the image: all of it, or the part inside the margins.
// Boxes are in shares of a page's width and height. The agent's boxes hold the ink of a page that lies askew, and of the same page upright.
import { settings } from "./settings.js";

/// The white border kept around the ink, as a share of the page's shorter side.
const MARGIN = 0.006;
/// At least this share of a page's width and height is shown: a title alone on its page should not fill the screen.
const LEAST = 0.5;
/// The agent states positions of ink in units of a page's side divided by this number.
const UNITS_PER_SIDE = 10_000;
/// The agent gives angles in hundredths of a degree; here they are in radians.
const ANGLE = Math.PI / 18_000;

export const WHOLE = { left: 0, top: 0, right: 1, bottom: 1 };

export const imageOf = (page) => (settings.get("marks") ? page.annotated : page.plain) ?? page.plain;

/// The other image of a page, which is not shown: without marks if marks are shown, otherwise with marks.
export const otherImageOf = (page) => (settings.get("marks") ? page.plain : page.annotated) ?? page.plain;

/// The address of this image if the agent has it, otherwise of an earlier image of the same page; null if there is neither.
export const pictureOf = (image) => (image.here ? image.src : image.older);

/// The part of a chart's pages that was selected by hand. Null if no part was selected, or if the chart's bytes have changed since, because
/// the ink may then be elsewhere.
export function handBoxOf(chart) {
  const box = settings.get("boxes")[chart.id];
  return box && (box.of ?? chart.hash) === chart.hash ? box : null;
}

/// Whether the musician wants a chart's scans as they are: grey and askew.
export const isKept = (chart) => settings.get("scans")[chart.id] === "keep";

/// The angle by which a page is turned back around its middle when it is shown, so that its staves are level. Only the styles of its
/// canvases have it, and `shareAt`, which turns what a hand does back: all marks are places on the page as it lies in its file.
export const leanOf = (chart, page) => (isKept(chart) ? 0 : (page.plain?.slant ?? 0) * ANGLE);

/// The part selected by hand, enlarged to include all marks; the whole page if the marks' positions are unknown.
function withMarks(box, page) {
  if (!settings.get("marks") || !page.marked) return box;
  const image = imageOf(page);
  const parts = widest("marks", image);
  if (!parts) return WHOLE;
  const marks = sharesOf(parts);
  return marks ? around([box, withMargin(marks, image, 0)]) : box;
}

/// The part of a page to show; the whole page if the position of its ink is unknown.
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

/// Whether the position of a page's ink is known: it is unknown for images that were drawn by an earlier version.
export const knowsInk = (page) => Boolean(widest("ink", imageOf(page)));

/// The widest boxes of pages since the song began, by kind and page. A page keeps its size when a layer is hidden or a mark erased, and
/// until its new image has been drawn.
const former = new Map();
export const forgetFormer = () => former.clear();

/// The `ink` or `marks` of an image, and of those that it replaced; null if unknown.
function widest(kind, { src, [kind]: now }) {
  const key = kind + src.replace(/-[^-]*$/, "");
  const before = former.get(key);
  const all = [before, now].filter((box) => box?.[2] > box?.[0]);
  const found = all.length < 2 ? all[0] ?? now ?? before ?? null : now.map((edge, i) => (i < 2 ? Math.min : Math.max)(edge, before[i]));
  former.set(key, found);
  return found;
}

/// The box around a page's ink; null if the page has none, or the ink's position is unknown.
const inkOf = (page) => sharesOf(widest("ink", imageOf(page)));

/// A box as the agent states it, in shares; null without ink.
export function sharesOf(parts) {
  if (!parts || parts[2] <= parts[0]) return null;
  const [left, top, right, bottom] = parts.map((each) => each / UNITS_PER_SIDE);
  return { left, top, right, bottom };
}

/// What the agent's numbers 0 to 3 mean for bands of white: inside a system or a text, above a system, below the last system, above the
/// foot.
const KINDS = [null, "system", "end", "foot"];

/// The bands of white across a page, from its top, `{from, to, kind, isBare}`, in shares of its height; null until they are known. A band
/// that `isBare` has no marks in it either; one that marks reach into is two or three bands.
export function bandsOf(chart, page) {
  const numbers = page?.plain?.bands;
  if (!numbers) return null;
  const marks = settings.get("marks") && page.marked ? sharesOf(widest("marks", page.annotated)) ?? WHOLE : { top: 1, bottom: 0 };
  // On a page that is kept askew, the ends of lines reach this far into the white of the upright page.
  const askew = isKept(chart) ? Math.abs(page.plain.slant ?? 0) * ANGLE * page.plain.width / page.plain.height / 2 : 0;
  return Array.from({ length: numbers.length / 3 }, (_, i) => {
    const [above, below] = [numbers[3 * i] / UNITS_PER_SIDE, numbers[3 * i + 1] / UNITS_PER_SIDE];
    const less = Math.min(askew, (below - above) / 2);
    const [first, to] = [above + less, below - less];
    const kind = KINDS[numbers[3 * i + 2]];
    // Marks above the foot of a page and on the foot must stay visible: the foot's band begins below the marks above, and a foot
    // with marks counts as music.
    const from = kind === "foot" ? Math.max(first, Math.min(marks.bottom, to)) : first;
    return { from, to, kind: kind === "foot" && marks.bottom > to ? null : kind };
  }).flatMap((band) => aroundMarks(band, marks));
}

/// The parts of a band above, between and below the top and bottom of a page's marks. The cut is where the page has no marks, if possible:
/// above marks on the system below, below those on the system above.
function aroundMarks({ from, to, kind }, { top, bottom }) {
  if (bottom <= from || top >= to) return [{ from, to, kind, isBare: true }];
  const [first, last] = [top, bottom].map((edge) => Math.min(Math.max(edge, from), to));
  const parts = [{ from, to: first, isBare: true }, { from: first, to: last, isBare: false }, { from: last, to, isBare: true }]
    .filter((part) => part.to > part.from || !part.isBare);
  const bare = parts.filter(({ isBare }) => isBare);
  const cut = (first - from > to - last ? bare[0] : bare.at(-1)) ?? parts[0];
  return parts.map((part) => ({ ...part, kind: part === cut ? kind : null }));
}

/// Cached boxes around the ink of all pages of a chart, with marks and without. The key is the array of pages: a changed mark makes
/// a new one.
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

/// The part of a page around its ink, with the same margin on all sides where the page is large enough, and at least `least` of the page.
function withMargin(ink, { width, height }, least = LEAST) {
  const margin = MARGIN * Math.min(width, height);
  const [left, right] = stretch(ink.left - margin / width, ink.right + margin / width, least);
  const [top, bottom] = stretch(ink.top - margin / height, ink.bottom + margin / height, least);
  return { left, top, right, bottom };
}

/// A stretch of a side: within the page, and widened around its middle if it is too short.
function stretch(from, to, least) {
  const [first, last] = [Math.max(0, from), Math.min(1, to)];
  const length = Math.max(least, last - first);
  const start = Math.min(Math.max(0, first - (length - (last - first)) / 2), 1 - length);
  return [start, start + length];
}
