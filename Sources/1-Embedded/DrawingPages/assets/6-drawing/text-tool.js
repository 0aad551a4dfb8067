// Text on the page, typed in place, in a field of the text's own size.
import { h } from "./dom.js";
import { fontOf, textSize } from "./mark-painter.js";
import { isNear, placeAt } from "./mark-shape.js";
import { newMark } from "./stroke-tools.js";

/// How far (CSS pixels) from a text a tap still opens it.
const REACH = 8;

export class TextTool {
  #drawing;
  /// The open text: `{page, mark, before, field}`.
  #writing = null;

  constructor(drawing) { this.#drawing = drawing; }

  rest() { this.finish(); }

  begin() {}
  move() {}
  cancel() {}

  /// Opens the field when the finger is lifted: a field that was opened earlier would lose the focus again. For a key, `event` is null and
  /// `at` is the cursor's position.
  end(page, event, at = event && page.placeOf(event)) {
    if (!at) return;
    const former = page.marks.findLast((mark) => mark.kind === "text" && isNear(mark, at, REACH / page.box.width, page.tall));
    const { color, width: size } = this.#drawing.style;
    this.write(page, former ?? newMark(page, "text", { color, size, text: "", font: "sans", points: [placeAt(at[0], at[1] - size * 0.6 / page.tall)] }));
  }

  /// Opens the field for a text.
  write(page, mark) {
    this.finish();
    const field = h("textarea", {
      class: "ink-text", "aria-label": "Text on the page", rows: "1", spellcheck: "false", autocapitalize: "off",
      oninput: () => this.#typed(), onblur: () => setTimeout(() => this.#left(field)), onkeydown: (event) => this.#key(event),
    });
    field.value = mark.text;
    const before = this.#drawing.inkOf(page.chart).layer.mark(mark.id);
    this.#writing = { page, mark, before, field };
    page.previews.set(mark.id, null);
    page.canvas.after(field);
    this.changed();
    page.refresh();
    field.focus({ preventScroll: true });
  }

  /// Moves the field to its page's present position.
  changed() {
    if (!this.#writing) return;
    const { page, mark, field } = this.#writing;
    if (!page.canvas.isConnected) {
      this.finish();
      return;
    }
    if (field.parentElement !== page.sheet) {
      page.canvas.after(field);
      field.focus({ preventScroll: true });
    }
    const { width } = page.box;
    const { x, y } = page.pointAt(mark.points[0]);
    const shown = { ...mark, text: `${mark.text || " "}` };
    const size = textSize(shown);
    field.style.font = fontOf(mark, mark.size * width);
    field.style.lineHeight = `${size.height * width / shown.text.split("\n").length}px`;
    field.style.color = mark.color;
    field.style.transform = `translate(${x}px, ${y}px)`;
    field.style.width = `${Math.max(size.width * width, mark.size * width) + mark.size * width}px`;
    field.style.height = `${size.height * width}px`;
  }

  /// Closes the field and keeps the text.
  finish() {
    if (!this.#writing) return;
    const { page, mark, before, field } = this.#writing;
    this.#writing = null;
    page.previews.delete(mark.id);
    field.remove();
    const text = field.value.trimEnd();
    const { layer } = this.#drawing.inkOf(page.chart);
    if (text && text !== before?.text) this.#drawing.edit(page, [[mark.id, { ...mark, text }]], { before: [[mark.id, before]] });
    else if (!text && before) this.#drawing.edit(page, [[mark.id, null]], { before: [[mark.id, before]] });
    // The text is as before, but intermediate versions were stored: replace them with the mark as it was before the writing, if any.
    else if (layer.mark(mark.id)?.text !== before?.text) layer.edit([[mark.id, before]]);
    page.refresh();
  }

  /// Finishes a field that lost the focus. A field that was only moved to another sheet has the focus again by now.
  #left(field) {
    if (this.#writing?.field === field && field.isConnected && document.activeElement !== field) this.finish();
  }

  /// Stores the text after each change, but does not send it yet, as with an unfinished stroke.
  #typed() {
    const { page, field } = this.#writing;
    this.#writing.mark = { ...this.#writing.mark, text: field.value };
    this.#drawing.edit(page, [[this.#writing.mark.id, this.#writing.mark.text.trim() ? this.#writing.mark : null]], { isOpen: true });
    this.changed();
  }

  #key(event) {
    event.stopPropagation();
    if (event.key !== "Escape" && (event.key !== "Enter" || event.shiftKey)) return;
    event.preventDefault();
    this.finish();
    this.#drawing.stage.element.focus({ preventScroll: true });
  }
}
