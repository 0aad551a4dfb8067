// Where music may be cut: in the white between its systems. A part's bands of white are in shares of its page, as the agent found them
// (margins.js); here they are in pixels of the sheet, from its top.

/// How far from the middle a half turn may cut, as a share of the height.
const REACH = 0.17;
/// A band of white that is at least this high, as a share of the height, is as good as any; a lower one counts for less.
const AMPLE = 0.04;
/// The weight of the distance from the middle: a cut that is one pixel nearer is worth this many pixels of a band's height.
const PULL = 0.2;
/// Bands no higher than this (CSS pixels) are not cut through.
const LEAST = 2;
/// The white kept above the first system of a view (CSS pixels), if there is that much.
export const AIR = 8;
/// Where no white is known, this share of the view stays visible in the next view, so that the lines last read can be seen.
const OVERLAP = 0.12;
/// A step of less than this share of the view is skipped, unless it makes the view's first system whole.
const STEP = 0.125;
/// The way to the next of half views, as a share of the view.
const HALF = 0.5;

/// The bands across all parts of a sheet, `[{from, to, kind, isBare}]`; null if the bands of any part are unknown.
export function bandsOf(parts) {
  const lists = parts.map(({ bands, slot }) => bands?.map((band) => {
    const { y, height } = slot.whole ?? slot;
    return { ...band, from: y + band.from * height, to: y + band.to * height };
  }));
  return lists.every(Boolean) && lists.length > 0 ? lists.reduce(common) : null;
}

/// The bands of white that both lists have in common.
function common(some, others) {
  return some.flatMap((one) => others.map((other) => ({
    from: Math.max(one.from, other.from), to: Math.min(one.to, other.to), kind: one.kind && other.kind, isBare: one.isBare && other.isBare,
  }))).filter(({ from, to }) => to - from > LEAST);
}

/// The height of a half turn's cut, as a share of the sheet's height. The cut goes between two systems of both pages; otherwise of the page
/// below, which is still being played, if possible through white of the other page; otherwise through any white, or through the middle.
/// `below` and `above` are lists of one part each, `{bands, slot}`; `height` is the sheet's height in pixels.
export function cutBetween(below, above, height) {
  const kept = bandsOf(below) ?? [];
  const coming = bandsOf(above) ?? [];
  const [systems, shared] = [kept.filter(({ kind }) => kind), common(kept, coming)];
  for (const bands of [shared.filter(({ kind }) => kind), common(systems, coming), systems, shared, kept]) {
    const row = nearMiddle(bands, height);
    if (row !== null) return row / height;
  }
  return 0.5;
}

/// The row within the best band of white: high, near the middle, and if possible without marks. Null if there is none.
function nearMiddle(all, height) {
  const middle = height / 2;
  const bare = all.filter((band) => band.isBare);
  const bands = bare.some(({ from, to }) => to > height * (0.5 - REACH) && from < height * (0.5 + REACH)) ? bare : all;
  let best = null;
  for (const band of bands) {
    const [from, to] = [Math.max(band.from, height * (0.5 - REACH)), Math.min(band.to, height * (0.5 + REACH))];
    if (to - from <= LEAST) continue;
    const margin = Math.min((to - from) / 2, height * AMPLE / 2);
    const row = Math.min(Math.max(middle, from + margin), to - margin);
    const worth = Math.min(to - from, height * AMPLE) - PULL * Math.abs(row - middle);
    if (!best || worth > best.worth) best = { row, worth };
  }
  return best && Math.round(best.row);
}

/// The tops of the views of a sheet that is taller than the view. Each view but the first begins with the first system that was not
/// whole in the view before; of half views (`isHalf`), with the one nearest to the middle of the view before, so that there is always
/// music below what is being played. `end` is where the parts end.
export function viewsOf(parts, view, end, isHalf) {
  const bands = bandsOf(parts) ?? [];
  // Most of the white above the first ink is skipped.
  const tops = [bands[0]?.isBare && bands[0].from <= 0 && bands[0].to > 2 * AIR ? bands[0].to - AIR : 0].map(Math.round);
  const after = (top) => viewAfter(top, bands, view, end, isHalf);
  for (let next = after(tops[0]); next !== null; next = after(next)) tops.push(next);
  return tops;
}

/// The view that follows the one at `top`; null if there is nothing below it.
export function nextView(parts, top, view, end, isHalf) { return viewAfter(top, bandsOf(parts) ?? [], view, end, isHalf); }

function viewAfter(top, bands, view, end, isHalf) {
  const next = topAfter(top, bands, view, end, isHalf);
  // In a window with next to no height, no view follows.
  return next > top ? next : null;
}

/// Where the view after the one at `top` begins; `top` itself, or less, if there is nothing below it.
function topAfter(top, bands, view, end, isHalf) {
  const last = bands.at(-1);
  const foot = bands.find(({ kind }) => kind === "foot");
  const inkEnd = foot?.from ?? (last?.isBare && last.to >= end - 1 ? last.from : end);
  if (inkEnd <= top + view + LEAST) return top;
  const isWhole = (band) => bands.some(({ kind, from }) => kind && from > band.to && from <= startBelow(band) + view);
  const leading = bands.filter((band) => startBelow(band) > top + AIR && (startBelow(band) >= top + STEP * view || isWhole(band)));
  const reached = leading.filter(({ from }) => from <= top + view);
  const systems = reached.filter(({ kind }) => kind);
  const far = (band) => Math.abs(startBelow(band) - top - HALF * view);
  const cuts = systems.length > 0 ? systems : reached;
  // Half a view, too, has something that the view at `top` does not have.
  const hasMore = (band) => startBelow(band) + view > cuts.at(-1).to + LEAST;
  const cut = isHalf ? cuts.filter(hasMore).sort((a, b) => far(a) - far(b))[0] : cuts.at(-1);
  if (!cut) return Math.round(Math.min(top + view * (isHalf ? HALF : 1 - OVERLAP), end - view));
  // Below the last system are only words: they are shown with as much of the music above them as there is room for. If the last system
  // leaves room, the one above it is shown once more.
  const fitting = leading.filter((band) => band.kind && startBelow(band) >= inkEnd - view);
  const lowest = fitting.filter(({ kind }) => kind === "system").slice(-2);
  const first = (cut.kind === "end" ? fitting[0] : !isHalf && lowest[1] === cut && lowest[0]) || cut;
  // White that contains marks is not skipped unless the view at `top` has shown it.
  return Math.round(first.isBare ? startBelow(first) : Math.min(startBelow(first), top + view));
}

/// The top of a view whose first system is the one below this band.
export const startBelow = ({ from, to }) => to - Math.min((to - from) / 2, AIR);
