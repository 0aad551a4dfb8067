// Paints marks on a canvas with the same paths, widths, ends and colours as the agent's own painter. Change both together.
import { isSign, signsOf } from "./jump-sign.js";

/// Letters at least this tall (pixels) are painted as shapes; browsers align smaller ones to whole pixels, and make them bolder.
const SHAPED = 257;
/// The number of corners of an ellipse.
const OVAL = 720;

const STROKES = ["pen", "highlighter", "eraser"];
const FAMILIES = { sans: "sans-serif", serif: "serif", monospace: "monospace", mono: "monospace" };

/// Paints one mark on a page of this size in pixels. `grow` widens all lines, to cover a removed mark. Of a stroke, only the part
/// inside the box `within` is painted.
export function paintMark(context, mark, width, height, { grow = 0, within = null } = {}) {
  if (!isDrawn(mark)) return;
  if (isSign(mark)) return void signsOf(mark, height / width).forEach((part) => paintMark(context, part, width, height, { grow, within }));
  context.save();
  if (mark.kind === "highlighter" && grow === 0) context.globalCompositeOperation = "multiply";
  context.lineJoin = "round";
  context.lineCap = mark.cap ?? "round";
  context.strokeStyle = context.fillStyle = inkOf(mark);
  const painter = new Painter(context, mark, width, height, grow, within);
  if (STROKES.includes(mark.kind)) painter.stroke();
  else if (mark.kind === "text") painter.text();
  else painter.shape();
  context.restore();
}

const inkOf = (mark) => (mark.kind === "eraser" ? "#ffffff" : mark.color ?? "#000000");

const large = new OffscreenCanvas(1, 1).getContext("2d");

/// Paints one mark's ink in this box of pixels as exactly as the agent does: enlarged, then reduced, since a browser's own lines have few
/// shades at their edges. Returns the number of enlarged pixels, at most `most`; 0 if the mark was painted without enlarging it.
export function paintFinely(context, mark, width, height, { x, y, width: across, height: down }, most) {
  const isFine = isDrawn(mark) && mark.kind !== "highlighter" && !isJointed(mark);
  let larger = !isFine ? 1 : mark.kind === "text" ? 2 ** Math.max(1, Math.ceil(Math.log2(SHAPED / (mark.size * width)))) : 2;
  while (larger > 1 && across * down * larger ** 2 > most) larger /= 2;
  if (larger === 1) {
    paintMark(context, mark, width, height);
    return 0;
  }
  let [w, h] = [across * larger, down * larger];
  Object.assign(large.canvas, { width: w, height: h });
  large.setTransform(larger, 0, 0, larger, -x * larger, -y * larger);
  paintMark(large, mark, width, height);
  large.resetTransform();
  large.globalCompositeOperation = "copy";
  // Halving gives true averages in every browser.
  for (; larger > 2; larger /= 2) {
    large.drawImage(large.canvas, 0, 0, w, h, 0, 0, w / 2, h / 2);
    [w, h] = [w / 2, h / 2];
  }
  context.drawImage(large.canvas, 0, 0, w, h, x, y, across, down);
  return large.canvas.width * large.canvas.height;
}

/// Whether a mark has many separate lines. Where they meet, their soft edges add up, as in the agent's images. Enlarged painting would
/// weaken this effect.
const isJointed = ({ kind, points, width }) =>
  kind === "pen" && points.length > 12 && points.slice(1, -1).some((point) => (point[2] ?? width) !== (points[0][2] ?? width));

function isDrawn(mark) {
  if (mark.kind === "text") return Boolean(mark.text) && mark.size > 0;
  return isSign(mark) || STROKES.includes(mark.kind) || (["line", "rectangle", "ellipse"].includes(mark.kind) && mark.points.length > 1);
}

class Painter {
  constructor(context, mark, width, height, grow = 0, within = null) { Object.assign(this, { context, mark, width, height, grow, within }); }

  #place([x, y]) { return [x * this.width, y * this.height]; }
  #length(share) { return share * this.width + this.grow; }

  /// The width of the line that begins at a point. A highlighter's lines are all equally wide.
  #widthAt(point) { return this.mark.kind === "highlighter" ? this.mark.width ?? 0.002 : point[2] ?? this.mark.width ?? 0.002; }

  #follow(points) {
    this.context.beginPath();
    for (const point of points) this.context.lineTo(...this.#place(point));
  }

  /// Whether the line between two points may be visible.
  #isSeen([ax, ay], [bx, by], reach) {
    if (!this.within) return true;
    const { left, top, right, bottom } = this.within;
    const down = reach * this.width / this.height;
    return Math.min(ax, bx) - reach <= right && Math.max(ax, bx) + reach >= left && Math.min(ay, by) - down <= bottom && Math.max(ay, by) + down >= top;
  }

  /// Follows the visible parts of a line of points.
  #followSeen(points, reach) {
    const { context } = this;
    context.beginPath();
    let isOn = false;
    for (let i = 1; i < points.length; i += 1) {
      const isSeen = this.#isSeen(points[i - 1], points[i], reach);
      if (isSeen && !isOn) context.moveTo(...this.#place(points[i - 1]));
      if (isSeen) context.lineTo(...this.#place(points[i]));
      isOn = isSeen;
    }
  }

  stroke() {
    const { context, mark } = this;
    const { points } = mark;
    if (points.length > 2) {
      this.#follow(points);
      this.#fill();
    }
    const [x, y] = this.#place(points[0]);
    const first = this.#widthAt(points[0]);
    if (points.every((point) => point[0] === points[0][0] && point[1] === points[0][1])) {
      context.beginPath();
      context.arc(x, y, this.#length(Math.max(...points.map((point) => this.#widthAt(point)))) / 2, 0, 2 * Math.PI);
      context.fill();
    } else if (points.slice(0, -1).every((point) => this.#widthAt(point) === first)) {
      this.#dash();
      context.lineWidth = this.#length(first);
      if (this.within) this.#followSeen(points, first);
      else this.#follow(points);
      context.stroke();
    } else {
      this.segments(0);
    }
  }

  /// Paints the lines from this point on, each with the width of its first point. Dashes continue from line to line.
  segments(from) {
    const { context, mark: { points } } = this;
    this.#dash();
    let travelled = 0;
    for (let i = from; i < points.length - 1; i += 1) {
      const width = this.#widthAt(points[i]);
      const [[ax, ay], [bx, by]] = [this.#place(points[i]), this.#place(points[i + 1])];
      context.lineDashOffset = travelled;
      travelled += Math.hypot(bx - ax, by - ay);
      if (width <= 0 || !this.#isSeen(points[i], points[i + 1], width)) continue;
      context.lineWidth = this.#length(width);
      context.beginPath();
      context.moveTo(ax, ay);
      context.lineTo(bx, by);
      context.stroke();
    }
  }

  /// Follows an ellipse in many short lines, since a browser's own ellipse is less exact than the agent's.
  #oval(x, y, across, down) {
    for (let i = 0; i < OVAL; i += 1) {
      const angle = 2 * Math.PI * i / OVAL;
      this.context.lineTo(x + across * Math.cos(angle), y + down * Math.sin(angle));
    }
    this.context.closePath();
  }

  shape() {
    const { context, mark } = this;
    const [[ax, ay], [bx, by]] = mark.points.map((point) => this.#place(point));
    if (mark.kind === "line") {
      this.#follow(mark.points);
    } else {
      context.beginPath();
      if (mark.kind === "rectangle") context.rect(Math.min(ax, bx), Math.min(ay, by), Math.abs(bx - ax), Math.abs(by - ay));
      else this.#oval((ax + bx) / 2, (ay + by) / 2, Math.abs(bx - ax) / 2, Math.abs(by - ay) / 2);
    }
    this.#fill();
    const width = mark.width ?? 0.002;
    if (width <= 0) return;
    this.#dash();
    context.lineWidth = this.#length(width);
    context.stroke();
  }

  text() {
    const { context, mark, width } = this;
    const size = mark.size * width;
    const { lines, ascent, pitch } = measured(mark);
    context.font = fontOf(mark, size);
    context.textRendering = "geometricPrecision";
    const [x, y] = this.#place(mark.points[0]);
    lines.forEach((line, i) => {
      const at = [line, x, y + (ascent + i * pitch) * size];
      context.fillText(...at);
      context.lineWidth = this.grow;
      if (this.grow > 0) context.strokeText(...at);
    });
  }

  /// Fills the path with the opacity `fill` of the mark, independent of the opacity of its lines.
  #fill() {
    const { context, mark } = this;
    if (!(mark.fill > 0)) return;
    context.fillStyle = inkOf(mark).slice(0, 7);
    context.globalAlpha = mark.fill;
    context.fill();
    context.fillStyle = inkOf(mark);
    context.globalAlpha = 1;
  }

  #dash() {
    const dash = this.mark.dash ?? [];
    if (dash.length > 0) this.context.setLineDash(dash.map((each) => each * this.width));
  }
}

/// Paints the new part of a stroke, from this point on.
export function paintSegments(context, mark, width, height, from) {
  context.save();
  context.lineCap = "round";
  context.strokeStyle = inkOf(mark);
  new Painter(context, mark, width, height).segments(from);
  context.restore();
}

/// A mark's font as style sheets write it. The mark has a font name for Pango: the family, followed by styles such as Bold.
export function fontOf(mark, size) {
  const words = (mark.font ?? "sans").split(" ").filter(Boolean);
  const styles = { Bold: "bold", Italic: "italic" };
  const style = words.filter((word) => styles[word]).map((word) => styles[word]);
  const family = words.filter((word) => !styles[word]).join(" ") || "sans";
  return `${style.includes("italic") ? "italic " : ""}${style.includes("bold") ? "bold " : ""}${size}px ${FAMILIES[family.toLowerCase()] ?? `"${family.replaceAll("\"", "")}", sans-serif`}`;
}

const ruler = new OffscreenCanvas(1, 1).getContext("2d");
/// Texts are measured at this size in pixels, since browsers round heights to whole pixels.
const MEASURED = 2000;

/// The lines of a text, the height of its letters above the base line, the distance from one line to the next, and the width of the
/// longest line. All lengths are multiples of the size of the letters.
function measured(mark) {
  ruler.font = fontOf(mark, MEASURED);
  ruler.textRendering = "geometricPrecision";
  const lines = mark.text.split("\n");
  const metrics = lines.map((line) => ruler.measureText(line));
  const { fontBoundingBoxAscent: ascent, fontBoundingBoxDescent: descent } = metrics[0];
  return { lines, ascent: ascent / MEASURED, pitch: (ascent + descent) / MEASURED, width: Math.max(...metrics.map((each) => each.width)) / MEASURED };
}

/// The size of a text's box, in page widths.
export function textSize(mark) {
  const { lines, pitch, width } = measured(mark);
  return { width: width * mark.size, height: lines.length * pitch * mark.size };
}
