// Makes jumps: a tap where the jump leaves, any turns, and a tap where it arrives. Both are marks of the musician's own layer, and
// deleting one deletes the other.
import { say } from "./dom.js";
import { newName } from "./ink-clock.js";
import { isSign } from "./jump-sign.js";
import { timeOf } from "./jumps.js";
import { placeAt } from "./mark-shape.js";
import { newMark } from "./stroke-tools.js";

/// A finger that moves at least this far (CSS pixels) sideways turns the page.
const SWIPE = 48;
/// The width of an arrow's lines, in page widths.
const LINE = 0.003;
/// The last pass that a jump can be for.
const LAST = 4;

/// "Every time", or "2nd time only".
export const wordsOf = (pass) => (pass ? `${timeOf(pass)} only` : "Every time");

/// The next choice of a pass; undefined means every pass.
export const nextPass = (pass) => (pass >= LAST ? undefined : (pass ?? 0) + 1);

export class JumpTool {
  /// The pass that the next jump is for; undefined for every pass.
  pass;
  #drawing;
  /// The jump that has not arrived anywhere yet, with its chart.
  #open = null;
  #from = null;

  constructor(drawing) { this.#drawing = drawing; }

  get isOpen() { return this.#open !== null; }

  rest() { this.escape(); }

  begin(page, sample, event) { this.#from = event?.clientX ?? null; }
  move() {}
  cancel() { this.#from = null; }

  /// Handles a tap when the finger is lifted. For a key, `event` is null and `at` is the cursor's position.
  end(page, event, at = event && page.placeOf(event)) {
    const across = event && this.#from !== null ? event.clientX - this.#from : 0;
    this.#from = null;
    if (!at) return null;
    if (Math.abs(across) >= SWIPE) return this.#drawing.turn(across < 0 ? "next" : "previous");
    return this.#open ? this.#arrive(page, at) : this.#leave(page, at);
  }

  #leave(page, at) {
    const mark = newMark(page, "jump", { color: this.#drawing.style.color, width: LINE, points: [placeAt(...at)], leads: newName(), ...(this.pass && { pass: this.pass }) });
    this.#open = { chart: page.chart, mark };
    this.changed();
    this.#drawing.panel.update();
    this.#drawing.tell("Now turn to where it leads, and tap there. The tool again takes it back");
  }

  #arrive(page, at) {
    const { chart, mark } = this.#open;
    if (page.chart !== chart) return this.#drawing.tell("A jump stays within its song: go back to it, or take the jump back with Esc");
    const { leads: id, color } = mark;
    const landing = { ...newMark(page, "landing", { color, width: LINE, points: [placeAt(...at)] }), id, ...(mark.key && { key: mark.key }) };
    this.#close();
    this.#drawing.edit(page, [[id, landing], [mark.id, mark]]);
    return this.#drawing.tell(`A jump from page ${mark.page + 1} to page ${landing.page + 1}${mark.pass ? `, ${wordsOf(mark.pass)}` : ""}`);
  }

  /// Cancels a jump that was begun. Returns whether there was one.
  escape() {
    if (!this.#open) return false;
    this.#close();
    say("No jump was made");
    return true;
  }

  #close() {
    const { mark } = this.#open;
    this.#open = null;
    for (const page of this.#drawing.pages) if (page.previews.delete(mark.id)) page.refresh();
    this.#drawing.panel.update();
  }

  /// Shows the arrow of a begun jump whenever its page comes on the stage.
  changed() {
    if (!this.#open) return;
    const { chart, mark } = this.#open;
    for (const page of this.#drawing.pages) {
      if (page.chart !== chart || page.index !== mark.page || page.previews.has(mark.id)) continue;
      page.previews.set(mark.id, mark);
      page.refresh();
    }
  }

  /// Chooses the next pass, for a begun jump, too.
  nextPass() {
    this.pass = nextPass(this.pass);
    if (this.#open) {
      const { chart, mark: { pass, ...mark } } = this.#open;
      for (const page of this.#drawing.pages) page.previews.delete(mark.id);
      this.#open = { chart, mark: { ...mark, ...(this.pass && { pass: this.pass }) } };
      this.changed();
    }
    say(wordsOf(this.pass));
  }
}

/// The marks that must be deleted together with those that these changes delete: a landing to which no other jump leads, and the jumps
/// that lead to a deleted landing.
export function partnersOf(changes, layer) {
  const gone = changes.filter(([, after]) => !after).map(([id]) => layer.mark(id)).filter((mark) => mark && isSign(mark));
  if (gone.length === 0) return [];
  const isGone = (id) => gone.some((mark) => mark.id === id);
  const jumps = layer.marks.filter(({ id, kind }) => kind === "jump" && !isGone(id));
  const alone = gone.filter(({ kind, leads }) => kind === "jump" && !isGone(leads) && !jumps.some((jump) => jump.leads === leads));
  return [...jumps.filter(({ leads }) => isGone(leads)), ...new Set(alone.map(({ leads }) => layer.mark(leads)).filter(Boolean))];
}
