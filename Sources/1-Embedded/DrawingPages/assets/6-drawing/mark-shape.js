// The geometry of marks. Places are shares of the page's width and height, lengths are shares of its width; `tall` is its height in widths.
import { isSign, signBox } from "./jump-sign.js";
import { textSize } from "./mark-painter.js";

const STROKES = ["pen", "highlighter", "eraser", "line"];

export const isStroke = (mark) => STROKES.includes(mark.kind);

const widestOf = (mark) => mark.points.reduce((most, [, , width]) => Math.max(most, width ?? 0), mark.width ?? 0);

/// The boxes of marks that were measured already. A mark is measured again when it has more points than before.
const known = new WeakMap();

/// The box around a mark's ink.
export function boundsOf(mark, tall) {
  const former = known.get(mark);
  if (former?.tall === tall && former.count === mark.points.length) return former.box;
  const box = measuredBox(mark, tall);
  known.set(mark, { tall, count: mark.points.length, box });
  return box;
}

function measuredBox(mark, tall) {
  if (isSign(mark)) return signBox(mark, tall);
  if (mark.kind === "text") {
    const [x, y] = mark.points[0];
    const { width, height } = textSize(mark);
    return { left: x, top: y, right: x + width, bottom: y + height / tall };
  }
  const half = widestOf(mark) / 2;
  const [xs, ys] = [mark.points.map(([x]) => x), mark.points.map(([, y]) => y)];
  return {
    left: Math.min(...xs) - half, right: Math.max(...xs) + half, top: Math.min(...ys) - half / tall, bottom: Math.max(...ys) + half / tall,
  };
}

export const meet = (a, b) => a.left <= b.right && b.left <= a.right && a.top <= b.bottom && b.top <= a.bottom;

export function around(boxes) {
  const most = (side, choose) => choose(...boxes.map((box) => box[side]));
  return { left: most("left", Math.min), top: most("top", Math.min), right: most("right", Math.max), bottom: most("bottom", Math.max) };
}

export const isWithin = (box, outer) => box.left >= outer.left && box.right <= outer.right && box.top >= outer.top && box.bottom <= outer.bottom;

/// The distance of a place from the line between two others, in page widths.
function distance([x, y], [ax, ay], [bx, by], tall) {
  const [dx, dy] = [bx - ax, (by - ay) * tall];
  const length = dx * dx + dy * dy;
  const along = length === 0 ? 0 : Math.max(0, Math.min(1, ((x - ax) * dx + (y - ay) * tall * dy) / length));
  return Math.hypot(x - ax - along * dx, (y - ay) * tall - along * dy);
}

/// The lines of a mark, as pairs of places. Where the pen is lifted, a line is left out.
function linesOf(mark) {
  const [first, last] = mark.points;
  if (mark.kind === "rectangle" || mark.kind === "ellipse") {
    const corners = mark.kind === "rectangle" ? [first, [last[0], first[1]], last, [first[0], last[1]], first] : roundOf(first, last);
    return corners.slice(1).map((to, i) => [corners[i], to]);
  }
  if (mark.points.length === 1) return [[first, first]];
  return mark.points.slice(1).map((to, i) => [mark.points[i], to]).filter(([from]) => from[2] !== 0);
}

function roundOf([ax, ay], [bx, by]) {
  return Array.from({ length: 25 }, (_, i) => {
    const turn = i * Math.PI / 12;
    return [(ax + bx) / 2 + Math.cos(turn) * (bx - ax) / 2, (ay + by) / 2 + Math.sin(turn) * (by - ay) / 2];
  });
}

/// Whether a mark has ink within this radius of a place. For texts, images and jumps, this means their box.
export function isNear(mark, at, radius, tall) {
  const box = boundsOf(mark, tall);
  const [x, y] = at;
  if (x < box.left - radius || x > box.right + radius || y < box.top - radius / tall || y > box.bottom + radius / tall) return false;
  if (mark.kind === "text" || mark.kind === "image" || isSign(mark)) return true;
  const far = radius + widestOf(mark) / 2;
  return linesOf(mark).some(([from, to]) => distance(at, from, to, tall) <= far);
}

const rounded = (value) => Math.round(value * 1e5) / 1e5;

/// A place, rounded as it is stored.
export const placeAt = (x, y, width) => (width === undefined ? [rounded(x), rounded(y)] : [rounded(x), rounded(y), rounded(width)]);

export const moved = (mark, across, down) => ({ ...mark, points: mark.points.map(([x, y, width]) => placeAt(x + across, y + down, width)) });

/// How much of each mark stays on the page, in shares of the page: enough to see and grab the mark.
const STAY = 0.02;

/// How far marks that are moved together can go: a part of each must stay on the page. A mark that is already beyond the edge goes
/// no farther.
export function reach(marks, across, down, tall) {
  const boxes = marks.map((mark) => boundsOf(mark, tall));
  const within = (way, [near, far]) => {
    const part = (box) => Math.min(STAY, box[far] - box[near]);
    const [least, most] = [Math.max(...boxes.map((box) => part(box) - box[far])), Math.min(...boxes.map((box) => 1 - part(box) - box[near]))];
    return Math.max(Math.min(0, least), Math.min(way, Math.max(0, most)));
  };
  return [within(across, ["left", "right"]), within(down, ["top", "bottom"])];
}

/// What a round eraser leaves of a stroke, as the points of each piece; null if the eraser does not touch the stroke.
export function cut(mark, at, radius, tall) {
  const reach = radius + widestOf(mark) / 2;
  const isCut = ([x, y]) => Math.hypot(x - at[0], (y - at[1]) * tall) < reach;
  if (!mark.points.some(isCut) && !linesOf(mark).some(([from, to]) => distance(at, from, to, tall) < reach)) return null;
  const pieces = [[]];
  const end = () => { if (pieces.at(-1).length > 0) pieces.push([]); };
  mark.points.forEach((point, i) => {
    const before = mark.points[i - 1];
    if (before) for (const share of crossings(before, point, at, reach, tall)) {
      const edge = placeAt(before[0] + share * (point[0] - before[0]), before[1] + share * (point[1] - before[1]), before[2]);
      pieces.at(-1).push(edge);
      if (isInside(before, point, share, at, reach, tall)) end();
    }
    if (isCut(point)) end();
    else pieces.at(-1).push(point);
  });
  return pieces.filter((piece) => piece.length > 1);
}

/// Where the line between two places crosses the eraser's edge, in shares of the line.
function crossings([ax, ay], [bx, by], [x, y], reach, tall) {
  const [dx, dy, px, py] = [bx - ax, (by - ay) * tall, ax - x, (ay - y) * tall];
  const [a, b, c] = [dx * dx + dy * dy, 2 * (dx * px + dy * py), px * px + py * py - reach * reach];
  const root = b * b - 4 * a * c;
  if (a === 0 || root <= 0) return [];
  return [(-b - Math.sqrt(root)) / (2 * a), (-b + Math.sqrt(root)) / (2 * a)].filter((share) => share > 0 && share < 1);
}

/// Whether the line is inside the eraser right after this share of its length.
function isInside([ax, ay], [bx, by], share, [x, y], reach, tall) {
  const after = share + 1e-6;
  return Math.hypot(ax + after * (bx - ax) - x, (ay + after * (by - ay) - y) * tall) < reach;
}
