// On which version of its chart a mark was put where it is (`on`): the first digits of that chart's hash, and a sum of the mark's place.
// A program that does not know the field keeps it when it moves the mark. The sum is wrong then, and the field counts as absent.

const CHART = /^[0-9a-f]{16}$/;
const BOUND = /^([0-9a-f]{16}) ([0-9a-f]{8})$/;

/// The sum of a mark's page and points, the same as the agent's (`Mark.pointSum`).
function sumOf({ page, points = [] }) {
  let sum = 0x811c9dc5;
  for (const value of [page, ...points.flatMap(([x, y]) => [x, y]).map((share) => Math.floor(share * 1e5 + 0.5))]) {
    sum = Math.imul(sum ^ (Math.abs(value) < 2 ** 52 ? value : 0), 0x01000193);
  }
  return (sum >>> 0).toString(16).padStart(8, "0");
}

/// The chart that a mark was made on; undefined if that is not known.
export function chartOf(mark) {
  const [, chart, sum] = BOUND.exec(mark?.on) ?? [];
  return sum && sum === sumOf(mark) ? chart : undefined;
}

/// A mark that is to replace `former`, with the chart of its coordinates. In a new mark, the tool has named the chart on which the mark was
/// begun. A mark that is moved was put there on the chart `shown` or, if that is not known, on the chart on which it was before.
export function boundTo(mark, former, shown) {
  if (chartOf(mark) || !["string", "undefined"].includes(typeof mark.on)) return mark;
  const isNamed = mark.on !== former?.on && CHART.test(mark.on);
  const isMoved = former && sumOf(mark) !== sumOf(former);
  const moved = isMoved ? shown ?? chartOf(former) : undefined;
  const chart = isNamed ? mark.on : moved;
  const { on, ...rest } = mark;
  return chart ? { ...rest, on: `${chart} ${sumOf(mark)}` } : rest;
}
