// Which jumps there are in a chart's order, which is next, and for which time it is: pure functions of numbers. A place is `{position, y}`:
// a place in the order, and how far down its page, as a share of the page's height.
import { AIR, bandsOf, startBelow } from "./cuts.js";

/// How many places "back" remembers.
const MOST = 50;

/// How far apart, as a share of the page's height, two places in one line of music may be: taps are not exact.
const LINE = 0.03;

/// Whether one comes to a place before another one: within a line of music, from the left.
export function isBefore(a, b) {
  if (a.position !== b.position) return a.position < b.position;
  const isInLine = Math.abs(a.y - b.y) < LINE && a.x !== undefined && b.x !== undefined && a.x !== b.x;
  return isInLine ? a.x < b.x : a.y < b.y;
}

/// The position of this page that is nearest to another position; −1 if the order leaves the page out.
export function positionOf(order, page, near = 0) {
  const all = [...order.keys()].filter((position) => order[position] === page);
  return all.length === 0 ? -1 : all.sort((a, b) => Math.abs(a - near) - Math.abs(b - near) || a - b)[0];
}

/// The jumps that leave the page at this position, from the top; without those to pages that the order leaves out.
export function jumpsAt(jumps, order, position) {
  return jumps.filter(({ page }) => page === order[position])
    .map((jump) => ({ ...jump, position, to: { ...jump.to, position: positionOf(order, jump.to.page, position) } }))
    .filter(({ to }) => to.position >= 0).sort((a, b) => a.y - b.y || a.x - b.x);
}

/// Which time the music at a place is played, after these jumps were taken in its song: a jump back over the place leads to it once more.
export const passOf = (place, taken) =>
  1 + taken.filter(({ song, from, to }) => song === place.song && !isBefore(place, to) && !isBefore(from, place)).length;

/// Whether a jump is meant for the present time.
export const isDue = (jump, taken) => !jump.pass || jump.pass === passOf(jump, taken);

/// The first due jump after a place, in reading order; if there is none, the first of those before it. Null if none is due.
export function nextJump(jumps, after, taken) {
  const due = jumps.filter((jump) => isDue(jump, taken)).sort((a, b) => (isBefore(a, b) ? -1 : isBefore(b, a) ? 1 : 0));
  return due.find((jump) => !isBefore(jump, after)) ?? due[0] ?? null;
}

/// Where a view begins that has the system at this height (pixels of the sheet) at its top; where no white is known, a little above it.
export function viewAt(parts, y) {
  const above = (bandsOf(parts) ?? []).filter(({ kind }) => kind === "system").findLast(({ from, to }) => (from + to) / 2 <= y);
  return Math.max(0, Math.round(above ? startBelow(above) : y - AIR));
}

/// Where one has been, as browsers remember it: `back` and `again` return the place to go to, or null, and take the present one.
export class Trail {
  #past = [];
  #future = [];

  get isEmpty() { return this.#past.length === 0; }
  get last() { return this.#past.at(-1) ?? null; }

  /// Notes the place that is being left by a jump; there is nothing to go forward to any more.
  leave(place) {
    this.#past = [...this.#past, place].slice(-MOST);
    this.#future = [];
  }

  back(now) { return step(this.#past, this.#future, now); }
  again(now) { return step(this.#future, this.#past, now); }
}

function step(from, to, now) {
  const place = from.pop() ?? null;
  if (place) to.push(now);
  return place;
}

const ORDINALS = ["", "1st", "2nd", "3rd"];
/// "2nd time".
export const timeOf = (pass) => `${ORDINALS[pass] ?? `${pass}th`} time`;
