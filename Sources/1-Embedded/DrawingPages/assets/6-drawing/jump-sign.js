// The small arrows that stand for a jump, where it leaves and where it arrives, as strokes of a pen. The agent paints the same ones.

/// Half the length of an arrow, the length of its head's lines along and across, and the unit of the digits, in page widths.
const HALF = 0.014;
const HEAD = 0.6 * HALF;
const UNIT = 0.3 * HALF;
const WIDTH = 0.002;
const COLOR = "#c8102e";
/// The digits from 1 to 9 as lines, 2 wide and 4 high: a font would look different on each machine.
const DIGITS = [
  [[0.5, 1], [1.2, 0], [1.2, 4]],
  [[0, 0.8], [0.6, 0], [1.6, 0], [2, 0.8], [2, 1.4], [0, 4], [2, 4]],
  [[0, 0], [2, 0], [0.9, 1.6], [2, 2.4], [2, 3.3], [1.4, 4], [0.4, 4], [0, 3.4]],
  [[1.5, 4], [1.5, 0], [0, 2.8], [2, 2.8]],
  [[1.9, 0], [0.2, 0], [0, 1.8], [1.3, 1.6], [2, 2.4], [2, 3.3], [1.4, 4], [0.4, 4], [0, 3.4]],
  [[1.7, 0], [0.5, 1.4], [0, 2.6], [0.4, 3.7], [1, 4], [1.7, 3.6], [2, 2.8], [1.6, 2], [0.9, 1.8], [0.1, 2.4]],
  [[0, 0], [2, 0], [0.7, 4]],
  [[1, 1.8], [0.2, 1.3], [0.2, 0.5], [0.7, 0], [1.3, 0], [1.8, 0.5], [1.8, 1.3], [1, 1.8], [0, 2.6], [0, 3.4], [0.6, 4], [1.4, 4], [2, 3.4], [2, 2.6], [1, 1.8]],
  [[0.3, 4], [1.5, 2.6], [2, 1.4], [1.6, 0.3], [1, 0], [0.3, 0.4], [0, 1.2], [0.4, 2], [1.1, 2.2], [1.9, 1.6]],
];
/// How far the arrows, and the number, reach from the point.
const REACH = { left: 0.016, right: 0.016, top: 0.031, bottom: 0.016 };

export const isSign = ({ kind }) => kind === "jump" || kind === "landing";

/// The strokes that show a jump, with the number of its pass, or a landing, whose arrow ends at a line; `tall` is the page's height in
/// widths.
export function signsOf({ kind, points: [[x, y]], color = COLOR, width = WIDTH, pass, leads }, tall) {
  if (kind === "jump" && !leads) return [];
  const lines = [[[-HALF, 0], [HALF, 0]], [[HALF - HEAD, -HEAD], [HALF, 0], [HALF - HEAD, HEAD]]];
  if (kind === "landing") lines.push([[HALF, -HALF], [HALF, HALF]]);
  if (kind === "jump" && DIGITS[pass - 1]) lines.push(DIGITS[pass - 1].map(([across, down]) => [(across - 1) * UNIT, (down - 5) * UNIT - HEAD]));
  return lines.map((points) => ({ kind: "pen", color, width, points: points.map(([across, down]) => [x + across, y + down / tall]) }));
}

/// The box around a jump or landing.
export function signBox({ points: [[x, y]] }, tall) {
  return { left: x - REACH.left, right: x + REACH.right, top: y - REACH.top / tall, bottom: y + REACH.bottom / tall };
}
