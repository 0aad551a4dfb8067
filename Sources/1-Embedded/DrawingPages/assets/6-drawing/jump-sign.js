// The small arrows that stand for a jump, where it leaves and where it arrives, as strokes of a pen. The agent paints the same ones.

/// The points of the arrows in page widths from the mark's own point, and the width of their line. A jump's arrow points ahead, and that of
/// its landing comes down and points ahead.
const ARROWS = {
  jump: [[-0.014, 0], [0.014, 0], [0.005, -0.008], [0.014, 0], [0.005, 0.008]],
  landing: [[-0.014, -0.016], [-0.014, 0], [0.014, 0], [0.005, -0.008], [0.014, 0], [0.005, 0.008]],
};
const WIDTH = 0.003;
const COLOR = "#c8102e";
/// The number of the time that a jump is for: the size of its letters, and its top left corner from the mark's point.
const SIZE = 0.018;
const CORNER = [-0.005, -0.031];
/// How far the arrows, and the number, reach from the point.
const REACH = { left: 0.016, right: 0.016, top: 0.031, bottom: 0.01 };

export const isSign = ({ kind }) => kind === "jump" || kind === "landing";

/// The marks of other kinds that look like a jump or a landing; `tall` is the height of the page in widths.
export function signsOf({ kind, points: [[x, y]], color = COLOR, pass }, tall) {
  const placed = ([across, down]) => [x + across, y + down / tall];
  const arrow = { kind: "pen", color, width: WIDTH, points: ARROWS[kind].map(placed) };
  const number = kind === "jump" && pass > 0 ? [{ kind: "text", color, font: "sans", size: SIZE, text: String(pass), points: [placed(CORNER)] }] : [];
  return [arrow, ...number];
}

/// The box around a jump or landing.
export function signBox({ points: [[x, y]] }, tall) {
  return { left: x - REACH.left, right: x + REACH.right, top: y - REACH.top / tall, bottom: y + REACH.bottom / tall };
}
