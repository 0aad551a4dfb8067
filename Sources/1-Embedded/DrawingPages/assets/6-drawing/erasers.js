// Erases the musician's own marks: whole marks, or the part of a stroke under the eraser.
import { newName } from "./ink-clock.js";
import { chartOf } from "./made-on.js";
import { around, boundsOf, cut, isNear, isStroke } from "./mark-shape.js";

/// How far an eraser reaches, in page widths, and the least reach in CSS pixels, for small pages.
const REACH = { whole: 0.006, part: 0.009 };
const LEAST = 8;

export class Erasers {
  #drawing;
  #isPart;
  #radius = 0;
  #last = null;
  /// The current gesture, by mark id: the marks as they were, and the remaining pieces of each.
  #before = new Map();
  #left = new Map();
  /// Marks to repaint.
  #touched = [];

  constructor(drawing, isPart) { [this.#drawing, this.#isPart] = [drawing, isPart]; }

  begin(page, { at }) {
    this.#last = at;
    this.#radius = Math.max(this.#isPart ? REACH.part : REACH.whole, LEAST / page.box.width);
    this.#wipe(page, at);
    this.#show(page);
  }

  move(page, samples) {
    for (const { at } of samples) {
      // Erase everything between two places, however fast the hand moves.
      const far = Math.hypot(at[0] - this.#last[0], (at[1] - this.#last[1]) * page.tall);
      const steps = Math.max(1, Math.ceil(far / this.#radius));
      for (let step = 1; step <= steps; step += 1) this.#wipe(page, this.#last.map((from, i) => from + (at[i] - from) * step / steps));
      this.#last = at;
    }
    this.#show(page);
  }

  #show(page) {
    if (this.#touched.length > 0) page.refresh(around(this.#touched.map((mark) => boundsOf(mark, page.tall))));
    this.#touched = [];
  }

  end(page) {
    const before = [...this.#before];
    const changes = before.map(([id]) => [id, null]);
    for (const pieces of this.#left.values()) {
      for (const piece of pieces) {
        before.push([piece.id, null]);
        changes.push([piece.id, piece]);
      }
    }
    this.#clear(page);
    this.#drawing.edit(page, changes, { before });
  }

  cancel(page) {
    const boxes = [...this.#before.values()].map((mark) => boundsOf(mark, page.tall));
    this.#clear(page);
    for (const box of boxes) page.refresh(box);
  }

  #clear(page) {
    this.#before.clear();
    this.#left.clear();
    page.previews.clear();
  }

  #wipe(page, at) {
    for (const mark of page.marks) {
      if (this.#before.has(mark.id)) continue;
      if (!isNear(mark, at, this.#radius, page.tall) || (this.#isPart && !isParted(mark))) continue;
      this.#replace(page, mark, mark, this.#isPart ? cut(mark, at, this.#radius, page.tall) ?? [mark.points] : []);
    }
    if (!this.#isPart) return;
    for (const [id, pieces] of this.#left) {
      const mark = this.#before.get(id);
      const next = pieces.flatMap((piece) => cut(piece, at, this.#radius, page.tall)?.map((points) => ({ ...piece, points })) ?? [piece]);
      if (next.some((piece, i) => piece !== pieces[i]) || next.length !== pieces.length) this.#replace(page, mark, mark, next.map((piece) => piece.points));
    }
  }

  #replace(page, mark, like, pieces) {
    this.#before.set(mark.id, mark);
    const { v, ...plain } = { ...like, on: chartOf(like) };
    const left = pieces.map((points) => ({ ...plain, id: newName(), points }));
    for (const piece of this.#left.get(mark.id) ?? []) page.previews.delete(piece.id);
    this.#left.set(mark.id, left);
    page.previews.set(mark.id, null);
    for (const piece of left) page.previews.set(piece.id, piece);
    this.#touched.push(mark);
  }
}

/// Whether a mark can be erased in part. Marks of several lines, like stamps, are erased whole.
const isParted = (mark) => isStroke(mark) && mark.points.every(([, , width]) => width !== 0);
