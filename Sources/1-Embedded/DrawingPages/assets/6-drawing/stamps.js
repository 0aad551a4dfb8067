// Signs that musicians put on a page with one tap. Each is a single pen stroke with lifts, and looks the same in every program.
import { h, openPanel } from "./dom.js";
import { placeAt } from "./mark-shape.js";
import { newMark, showLive } from "./stroke-tools.js";

/// For each stamp: `[name, words, path, width of the pen]`. Paths and widths are in 24ths of the stamp's size; the point (12, 12) is
/// put on the tapped place.
export const STAMPS = [
  ["down-bow", "Down bow", "M5 19L5 6L19 6L19 19M5 7.500L19 7.500", 1.8],
  ["up-bow", "Up bow", "M6 4L12 20L18 4", 1.8],
  ["breath", "Breath", "M11 5C15 4 15.500 10 10.500 13M11 5L12 7.500L13 6", 2.4],
  ["caesura", "Caesura", "M7 20L12 4M13 20L18 4", 1.9],
  ["fermata", "Fermata", "M3 16C4 3 20 3 21 16M11.900 15L12.100 15.200L11.900 15.200", 2.2],
  ["accent", "Accent", "M3.500 6.500L20.500 12L3.500 17.500", 1.8],
  ["glasses", "Eyeglasses: look here", "M10 14C10 9 2 9 2 14C2 19 10 19 10 14M22 14C22 9 14 9 14 14C14 19 22 19 22 14M10 13C11 11.500 13 11.500 14 13M2 13L4.500 6M22 13L19.500 6", 1.5],
  ["repeat-from", "Repeat from here", "M5 3L5 21M5.800 3L5.800 21M10 3L10 21M14.500 9L14.700 9.200M14.500 15L14.700 15.200", 1.7],
  ["repeat-to", "Repeat to here", "M19 3L19 21M18.200 3L18.200 21M14 3L14 21M9.500 9L9.300 9.200M9.500 15L9.300 15.200", 1.7],
  ["pp", "Pianissimo", "M3 21L7 8M6 11C8 7 12 8 10.500 13C9.500 16.500 6 16.500 5.500 14M12.500 21L16.500 8M15.500 11C17.500 7 21.500 8 20 13C19 16.500 15.500 16.500 15 14", 1.7],
  ["p", "Piano", "M7 22L11.500 7M10.500 11C13 6.500 18.500 7 16.500 13C15 17.500 10 17.500 9.500 14", 2],
  ["mp", "Mezzo piano", "M1.500 16L3.500 9M3 11C5 8 6.500 8.500 6 11L4.800 16M6 11C8 8 9.500 8.500 9 11L8 15.500L9.500 15.500M12.500 21L16.500 8M15.500 11C17.500 7 22 8 20.500 13C19.500 16.500 15.500 16.500 15 14", 1.6],
  ["mf", "Mezzo forte", "M1.500 16L3.500 9M3 11C5 8 6.500 8.500 6 11L4.800 16M6 11C8 8 9.500 8.500 9 11L8 15.500L9.500 15.500M21.500 6C19 4 18 7 17 12C16 18 14.500 22 12.500 20.500M14 11L20.500 11", 1.6],
  ["f", "Forte", "M18.500 5.500C15 2 13.500 7 12.500 12C11.500 18 9.500 22.500 6.500 20M8.500 11L16.500 11", 2],
  ["ff", "Fortissimo", "M13 5.500C10 3 9 7 8 12C7 18 5.500 22 3 20.500M5 11L12 11M22 5.500C19 3 18 7 17 12C16 18 14.500 22 12 20.500M14 11L21 11", 1.7],
  ["crescendo", "Crescendo", "M22 6L2 12L22 18", 1.4],
  ["diminuendo", "Diminuendo", "M2 6L22 12L2 18", 1.4],
  ["check", "Check mark", "M4 13L10 19L20 5", 2],
];

export const pathOf = (name) => STAMPS.find(([each]) => each === name)?.[2] ?? "";

/// The number of lines into which each curve of a stamp is divided.
const STEPS = 10;

/// The points of a path; `isLifted` if the pen is lifted after a point.
function flattened(path) {
  const points = [];
  for (const [, letter, numbers] of path.matchAll(/([MLC])([^MLC]*)/g)) {
    const values = numbers.trim().split(/[ ,]+|(?=-)/).map(Number);
    if (letter === "M" && points.length > 0) points.at(-1).isLifted = true;
    if (letter !== "C") {
      points.push({ x: values[0], y: values[1] });
      continue;
    }
    const from = points.at(-1);
    const [ax, ay, bx, by, x, y] = values;
    for (let step = 1; step <= STEPS; step += 1) {
      const [t, u] = [step / STEPS, 1 - step / STEPS];
      const at = (a, b, c, d) => u * u * u * a + 3 * u * u * t * b + 3 * u * t * t * c + t * t * t * d;
      points.push({ x: at(from.x, ax, bx, x), y: at(from.y, ay, by, y) });
    }
  }
  return points;
}

/// The points of a stamp of this size (in page widths) at a place.
function stampPoints(name, [x, y], size, tall) {
  const [, , path, pen] = STAMPS.find(([each]) => each === name) ?? STAMPS[0];
  const unit = size / 24;
  return flattened(path).map((point) => placeAt(x + (point.x - 12) * unit, y + (point.y - 12) * unit / tall, point.isLifted ? 0 : pen * unit));
}

export class Stamper {
  #drawing;

  constructor(drawing) { this.#drawing = drawing; }

  begin(page, { at }) { showLive(page, this.markAt(page, at)); }

  move(page, samples) {
    if (page.live) showLive(page, { ...this.markAt(page, samples.at(-1).at), id: page.live.id });
  }

  end(page) {
    const mark = page.live;
    this.cancel(page);
    if (mark) this.#drawing.edit(page, [[mark.id, mark]]);
  }

  cancel(page) { showLive(page, null); }

  markAt(page, at) {
    const { color, width: size, stamp } = this.#drawing.style;
    return newMark(page, "pen", { color, width: size / 14, points: stampPoints(stamp, at, size, page.tall), stamp });
  }
}

/// Opens a panel to choose a stamp.
export function openStamps(current, icon, choose) {
  const dialog = openPanel("Stamps", "small", h("div", { class: "stamps" }, STAMPS.map(([name, words, path]) => {
    const choice = h("button", {
      type: "button", class: "tool", "aria-label": words, title: words, "aria-pressed": String(name === current),
      onclick: () => {
        dialog.close();
        choose(name);
      },
    }, icon(path));
    return choice;
  })));
  (dialog.querySelector("[aria-pressed=true]") ?? dialog.querySelector(".stamps button")).focus();
}
