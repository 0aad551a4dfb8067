// Where words over the music cover nothing: the pages' own pixels tell, since they have print and marks.
import { bring } from "./later.js";

/// White is looked for in a picture of the stage that is smaller by this factor. Pixels lighter than this are paper.
const [COARSE, PAPER] = [2, 225];

/// The lowest place for something this large in the middle of the stage, or else of a page, as `{top, aside}`: CSS pixels from the top of
/// the screen, and from the middle. Null if there is none. `parts` are `{element, lean, slot}`.
function whiteWithin(stage, parts, width, height) {
  if (!parts.every(({ element }) => element instanceof HTMLCanvasElement)) return null;
  const { scrollLeft, clientWidth, offsetTop } = stage;
  const middles = parts.map(({ slot }) => slot.x + slot.width / 2 - scrollLeft - clientWidth / 2);
  for (const aside of [0, ...middles.filter(() => parts.length > 1)]) {
    const top = lowestIn(pictureOf(stage, parts, (clientWidth - width) / 2 + aside, width), height);
    if (top !== null) return { top: Math.round(offsetTop + top), aside };
  }
  return null;
}

/// A column of what the stage shows, from `left` on.
function pictureOf({ scrollLeft, scrollTop, clientHeight }, parts, left, width) {
  const [columns, rows] = [width, clientHeight].map((length) => Math.max(1, Math.ceil(length / COARSE)));
  const context = new OffscreenCanvas(columns, rows).getContext("2d", { willReadFrequently: true });
  context.fillStyle = "#fff";
  context.fillRect(0, 0, columns, rows);
  context.scale(1 / COARSE, 1 / COARSE);
  context.translate(-scrollLeft - left, -scrollTop);
  for (const { element, lean = 0, slot: { whole } } of parts) {
    context.save();
    context.translate(whole.x + whole.width / 2, whole.y + whole.height / 2);
    context.rotate(-lean);
    context.drawImage(element, -whole.width / 2, -whole.height / 2, whole.width, whole.height);
    context.restore();
  }
  return context.getImageData(0, 0, columns, rows);
}

/// The top of something this high in the middle of the lowest white of a picture; null if none is high enough.
function lowestIn({ data, width: columns, height: rows }, height) {
  const isWhite = (row) => data.subarray(4 * columns * row, 4 * columns * (row + 1)).every((value) => value >= PAPER);
  for (let [row, end] = [rows - 1, rows]; row >= -1; row -= 1) {
    if (row >= 0 && isWhite(row)) continue;
    const high = (end - row - 1) * COARSE;
    if (high >= height) return (row + 1) * COARSE + (high - height) / 2;
    end = row;
  }
  return null;
}

bring("white", whiteWithin);
