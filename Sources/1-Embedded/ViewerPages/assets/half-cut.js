// Where a half turn cuts: in the white between two systems, if there is one near the middle.

/// How far from the middle the cut may lie, as a share of the height.
const REACH = 0.17;
/// A band of white that is at least this high, as a share of the height, is as good as any; a lower one counts for less.
const AMPLE = 0.04;
/// How much of a band's height one gives up to cut nearer the middle.
const PULL = 0.2;
/// A row whose darkest spot is lighter than this share of the paper has no ink.
const CLEAN = 0.93;
/// Each row is judged by so many spots: fine enough for a bar line to be seen.
const SPOTS = 96;

/// The height of the cut, as a share of the sheet's: through white of the page that stays below, which is still being played, and of
/// the one that comes above it where they share any; otherwise the middle. Both are `{element, slot}`.
export function cutBetween(below, above, height) {
  const [from, to] = [Math.round(height * (0.5 - REACH)), Math.round(height * (0.5 + REACH))];
  const [kept, coming] = [below, above].map((page) => whiteRows(page, from, to));
  const both = kept && coming && kept.map((isWhite, i) => isWhite && coming[i]);
  const row = (both && bestRow(both, height)) ?? (kept && bestRow(kept, height));
  return row === null ? 0.5 : (from + row) / height;
}

/// For each of the sheet's rows whether the page has no ink there; null for a card.
function whiteRows({ element, slot }, from, to) {
  if (!(element instanceof HTMLCanvasElement)) return null;
  const { y, height } = slot.whole ?? slot;
  const scale = element.height / height;
  const rows = to - from;
  const context = new OffscreenCanvas(SPOTS, rows).getContext("2d", { alpha: false, willReadFrequently: true });
  context.fillStyle = "#fff";
  context.fillRect(0, 0, SPOTS, rows);
  context.imageSmoothingQuality = "high";
  context.drawImage(element, 0, (from - y) * scale, element.width, rows * scale, 0, 0, SPOTS, rows);
  const { data } = context.getImageData(0, 0, SPOTS, rows);
  const light = (i) => Math.min(data[i], data[i + 1], data[i + 2]);
  let paper = 0;
  for (let i = 0; i < data.length; i += 4) paper = Math.max(paper, light(i));
  return Array.from({ length: rows }, (_, row) => {
    for (let i = row * SPOTS * 4; i < (row + 1) * SPOTS * 4; i += 4) if (light(i) < CLEAN * paper) return false;
    return true;
  });
}

/// The row within the best band of white: high, and near the middle. Null if there is none.
function bestRow(isWhite, height) {
  const middle = isWhite.length / 2;
  let best = null;
  for (let start = 0; start < isWhite.length; start += 1) {
    if (!isWhite[start]) continue;
    let end = start;
    while (end < isWhite.length && isWhite[end]) end += 1;
    const margin = Math.min((end - start) / 2, height * AMPLE / 2);
    const row = Math.min(Math.max(middle, start + margin), end - margin);
    const worth = Math.min(end - start, height * AMPLE) - PULL * Math.abs(row - middle);
    if (end - start > 2 && (!best || worth > best.worth)) best = { row, worth };
    start = end;
  }
  return best && Math.round(best.row);
}
