// Marks drawn with one movement: strokes of a pen or highlighter, lines, boxes, ellipses and arrows.
import { newName } from "./ink-clock.js";
import { boundsOf, placeAt } from "./mark-shape.js";

/// How long (ms) an unfinished stroke waits before it is stored.
const STORED = 80;
/// After this many points, a stroke continues as another mark, except with the highlighter: a longer mark would be slow to draw.
const LONGEST = 1500;
/// The share of a pen's width at zero pressure, and the share that full pressure adds.
const LIGHT = 0.35;
const HEAVY = 1.3;
/// The sides of an arrow's head: the least length in page widths, and the angle to the line in radians.
const HEAD = 0.018;
const HEAD_TURN = 0.5;
/// A shape smaller than this, in page widths, is a tap.
const TAP = 0.004;

/// A new mark with its common fields. It keeps the version of the chart on which it was begun (`on`), should another one be shown meanwhile.
export const newMark = (page, kind, fields) => ({
  id: newName(), page: page.index, kind, ...fields, created_at: new Date().toISOString(), ...(page.key && { key: page.key }),
  ...(page.madeOn && { on: page.madeOn }),
});

export class StrokeTool {
  #drawing;
  #kind;
  #timer = 0;

  constructor(drawing, kind) { [this.#drawing, this.#kind] = [drawing, kind]; }

  begin(page, first) {
    const { color, width } = this.#drawing.style;
    const isCover = this.#kind === "eraser";
    page.live = newMark(page, this.#kind, { ...(isCover ? {} : { color }), width, points: [this.#point(first, width)] });
    page.refresh(boundsOf(page.live, page.tall));
  }

  move(page, samples, predicted) {
    const mark = page.live;
    if (!mark) return;
    const from = mark.points.length - 1;
    for (const each of samples) {
      const point = this.#point(each, mark.width);
      const last = mark.points.at(-1);
      if (point[0] !== last[0] || point[1] !== last[1]) mark.points.push(point);
    }
    this.#paint(page, from, predicted.map((each) => this.#point(each, mark.width)));
    if (mark.points.length > LONGEST && this.#kind !== "highlighter") this.#goOn(page);
    else this.#timer ||= setTimeout(() => this.#store(page), STORED);
  }

  end(page) {
    const mark = page.live;
    if (!mark) return;
    this.#clear(page);
    this.#drawing.edit(page, [[mark.id, mark]], { before: [[mark.id, null]] });
    page.refresh(boundsOf(mark, page.tall));
  }

  cancel(page) {
    const mark = page.live;
    if (!mark) return;
    this.#clear(page);
    // The unfinished mark may have been stored: if so, forget it.
    if (this.#drawing.inkOf(page.chart).layer.mark(mark.id)) this.#drawing.forget(page.chart, mark.id);
    page.refresh(boundsOf(mark, page.tall));
  }

  #clear(page) {
    clearTimeout(this.#timer);
    this.#timer = 0;
    page.live = null;
    page.predicted = null;
  }

  #point({ at: [x, y], pressure }, width) {
    if (this.#kind !== "pen" || pressure === null) return placeAt(x, y);
    return placeAt(x, y, width * (LIGHT + HEAVY * pressure));
  }

  /// Paints the new points. Except with the highlighter, the browser's predicted points are shown until real points replace them.
  #paint(page, from, predicted) {
    const { points } = page.live;
    const isOpaque = this.#kind !== "highlighter";
    if (!page.predicted && predicted.length === 0 && isOpaque) {
      page.extend(from);
      return;
    }
    const ahead = predicted.length > 0 && isOpaque ? { ...page.live, points: [points.at(-1), ...predicted] } : null;
    const news = { ...page.live, points: [...points.slice(from), ...(ahead?.points ?? [])] };
    page.refreshWith(page.predicted, news, ahead);
  }

  #store(page) {
    this.#timer = 0;
    if (page.live) this.#drawing.edit(page, [[page.live.id, { ...page.live, points: [...page.live.points] }]], { isOpen: true });
  }

  #goOn(page) {
    const mark = page.live;
    this.#clear(page);
    this.#drawing.edit(page, [[mark.id, mark]], { before: [[mark.id, null]] });
    page.live = { ...mark, id: newName(), points: [mark.points.at(-1)], created_at: new Date().toISOString() };
  }
}

/// Draws a line, box, ellipse or arrow between two places: where the movement begins and where it ends.
export class Shaper {
  #drawing;
  #kind;
  #from = null;

  constructor(drawing, kind) { [this.#drawing, this.#kind] = [drawing, kind]; }

  begin(page, { at }) { this.#from = at; }

  move(page, samples) { if (this.#from) showLive(page, this.between(page, this.#from, samples.at(-1).at, page.live)); }

  end(page) {
    const mark = page.live;
    this.cancel(page);
    if (!mark) return;
    const { left, top, right, bottom } = boundsOf(mark, page.tall);
    if (Math.hypot(right - left, (bottom - top) * page.tall) > TAP + mark.width) this.#drawing.edit(page, [[mark.id, mark]]);
  }

  cancel(page) {
    this.#from = null;
    showLive(page, null);
  }

  /// The mark from one place to another. If `former` is given, it is the unfinished mark, whose id and other fields stay.
  between(page, from, to, former = null) {
    const { color, width } = this.#drawing.style;
    const mark = former ?? (this.#kind === "arrow" ? newMark(page, "pen", { color, width, stamp: "arrow" }) : newMark(page, this.#kind, { color, width }));
    const points = [from, to];
    return { ...mark, points: (this.#kind === "arrow" ? arrowOf(points, page.tall, width) : points).map(([x, y]) => placeAt(x, y)) };
  }
}

/// Shows an unfinished mark in place of its previous form; null removes it.
export function showLive(page, mark) {
  const former = page.live;
  page.live = mark;
  page.refreshWith(former, mark);
}

/// An arrow as one line: to the tip, and then out and back for one side of the head and out for the other.
function arrowOf([[ax, ay], [bx, by]], tall, width) {
  const turn = Math.atan2((by - ay) * tall, bx - ax);
  const long = Math.max(HEAD, 5 * width);
  const side = (by_) => [bx - long * Math.cos(turn + by_), by - long * Math.sin(turn + by_) / tall];
  return [[ax, ay], [bx, by], side(HEAD_TURN), [bx, by], side(-HEAD_TURN)];
}
