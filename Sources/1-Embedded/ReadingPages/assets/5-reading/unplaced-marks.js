// Marks of a former version whose music was not found for certain in the present one: a list beside the page, from which each is put down
// where it probably belongs, or where the musician points, or is left out.
import { api, liveAddress } from "./api.js";
import { book } from "./books.js";
import { ANOTHER_SONG, busily, button, h, openPanel, say } from "./dom.js";
import { positionOf } from "./jumps.js";
import { showPicture } from "./pictures.js";
import { boxOf, partsOn, shareAt } from "./places.js";
import { pagesOf } from "./reader-pages.js";

/// How far an arrow key moves the place, in shares of the page's sides: alone, and with Shift.
const [STEP, LEAP] = [0.005, 0.04];
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
/// How many pixels the long side of a former page has, and how much its picture is enlarged at most.
const [LONG, LARGER] = [1400, 2.2];

const KINDS = { highlighter: "A highlighted place", image: "A picture", jump: "A jump", landing: "Where a jump leads" };
const nameOf = ({ kind, text }) => (text ? `“${text}”` : KINDS[kind] ?? "A stroke");

/// The list for the chart on the stand, in a panel.
export class Unplaced {
  #given;
  #body = h("div", { onkeydown: (event) => this.#pressed(event) });
  #trouble = h("p", { role: "alert", class: "trouble" });
  #frame = h("div", { class: "mark-place", "aria-hidden": "true" });
  #dialog = openPanel("Marks to place", "side", this.#body, this.#trouble);
  /// The mark whose place is shown, and its place in the list.
  #mark = null;
  #at = 0;
  /// Where the musician would put the mark, as `{page, x, y}`; null while the proposed place is shown.
  #hand = null;

  constructor(given) {
    this.#given = given;
    this.#dialog.classList.add("placing");
    const [lay, tap] = [() => this.#lay(), (event) => this.#tapped(event)];
    given.stage.followers.add(lay);
    // Before the panel gets it, which a tap outside closes.
    document.addEventListener("click", tap, true);
    this.#dialog.addEventListener("close", () => {
      given.stage.followers.delete(lay);
      document.removeEventListener("click", tap, true);
      this.#frame.remove();
    });
    this.#dialog.addEventListener(ANOTHER_SONG, () => this.#choose(0));
    this.#choose(0);
  }

  /// The chart on the stand that has such marks, with its place; null if there is none.
  get #here() {
    const { shown } = this.#given.stand;
    return (shown ? pagesOf(shown) : []).map(({ place, chart }) => ({ place, chart: book.peek(place) ?? chart }))
      .find(({ chart: { followed } }) => followed?.state === "moved" && followed.unplaced.length > 0) ?? null;
  }

  get #to() { return this.#hand ?? this.#mark?.to ?? null; }

  /// Opens a row of the list, and turns to the place of its mark.
  #choose(at) {
    const here = this.#here;
    if (!here) return this.#dialog.close();
    const { unplaced } = here.chart.followed;
    this.#at = Math.min(at, unplaced.length - 1);
    this.#mark = unplaced[this.#at];
    this.#hand = null;
    const row = (mark, i) => h("button", { type: "button", class: "place", "aria-expanded": "false", onclick: () => this.#choose(i) },
      h("span", { text: nameOf(mark) }), h("span", { class: "quiet", text: `was on page ${mark.page + 1}` }));
    this.#fill(h("ul", { class: "places", "aria-label": "Marks that are not placed" },
      unplaced.map((mark, i) => (i === this.#at ? this.#openRow(here.chart) : h("li", {}, row(mark, i))))));
    return this.#lead(here);
  }

  /// Replaces the content. Only a keyboard user's focus goes to a button: a pedal may send Space.
  #fill(...parts) {
    const [hadFocus, isReached] = [this.#body.contains(document.activeElement), "reached" in this.#dialog.dataset];
    this.#trouble.textContent = "";
    this.#body.replaceChildren(...parts);
    if (hadFocus) (isReached ? this.#body.querySelector(".row button") : this.#dialog.querySelector("h2")).focus({ preventScroll: true });
  }

  #openRow(chart) {
    const { to, page } = this.#mark;
    const position = to ? positionOf(chart.order, to.page) : -1;
    const where = position >= 0 ? `its place on page ${position + 1} is a guess` : "no place was found for it";
    return h("li", { class: "chosen" }, formerPlace(chart, this.#mark), h("span", { text: nameOf(this.#mark) }),
      h("span", { class: "quiet", text: `was on page ${page + 1}; ${where}` }),
      h("div", { class: "row" }, to && button("Put it there", () => this.#put(to), "strong"), button("Elsewhere", () => this.#point()),
        button("Leave it out", () => this.#put({ out: true }))));
  }

  /// Has the agent note where the mark is to be, and goes on with the next one.
  #put(where) {
    const [{ place, chart }, mark] = [this.#here ?? {}, this.#mark];
    return chart && busily(this.#body, async () => {
      this.#given.adopt(await api.placeMark(place, chart.hash, { layer: mark.layer, id: mark.id, ...where }));
      if (!this.#dialog.open) return;
      say(`${nameOf(mark)}: ${where.out ? "left out" : "placed"}`);
      if (!this.#here) this.#given.show("No mark is left to place");
      this.#choose(this.#at);
    }, (error) => { this.#trouble.textContent = error.message; });
  }

  /// Lets the musician point at another place: with a tap, or with arrow keys and Enter.
  #point() {
    const [first] = this.#pages;
    if (!first) return;
    const [left, top, right, bottom] = this.#mark.box;
    this.#hand = this.#to ?? { page: first.part.page, x: (left + right) / 2, y: (top + bottom) / 2 };
    const { step } = this.#given.turns;
    this.#fill(h("p", { text: `Tap the place of ${nameOf(this.#mark)} on the page, or move the frame with the arrow keys.` }),
      h("div", { class: "row" }, button("Put it here", () => this.#put(this.#hand), "strong"), button("Page back", () => step(-1)),
        button("Page on", () => step(1)), button("Cancel", () => this.#choose(this.#at))));
    this.#lay();
  }

  #tapped(event) {
    const { clientX, clientY, target } = event;
    const { left, right, top, bottom } = this.#dialog.getBoundingClientRect();
    const isOnPanel = target !== this.#dialog || (clientX >= left && clientX <= right && clientY >= top && clientY <= bottom);
    if (!this.#hand || isOnPanel) return;
    event.stopPropagation();
    const at = this.#pages.map(({ sheet, part: { page, lean }, slot: { whole } }) => {
      const corner = sheet.element.getBoundingClientRect();
      const [x, y] = shareAt(event, { ...whole, left: corner.left + whole.x, top: corner.top + whole.y }, lean);
      return { page, x, y };
    }).findLast(({ x, y }) => Math.min(x, y) >= 0 && Math.max(x, y) <= 1);
    if (at) this.#put(at);
  }

  #pressed(event) {
    const way = ARROWS[event.key];
    if (!this.#hand || !(way || event.key === "Escape")) return;
    event.preventDefault();
    const to = (from, share) => Math.min(1, Math.max(0, from + share * (event.shiftKey ? LEAP : STEP)));
    if (way) this.#hand = { ...this.#hand, x: to(this.#hand.x, way[0]), y: to(this.#hand.y, way[1]) };
    if (way) this.#lay();
    else this.#choose(this.#at);
  }

  /// The chart's pages on the stage, from below.
  get #pages() {
    const id = this.#here?.chart.id;
    return partsOn(this.#given.stage).filter(({ part }) => part.chart.id === id);
  }

  /// Turns to the mark's place, if it has one, and moves the panel if it would cover it.
  async #lead({ place, chart }) {
    const [mark, { stage, stand, goTo }] = [this.#mark, this.#given];
    const position = mark.to ? positionOf(chart.order, mark.to.page, stand.shown.positions[0]) : -1;
    if (position >= 0) await goTo({ ...place, position, half: null, from: null });
    const box = this.#dialog.open && mark === this.#mark ? this.#lay() : null;
    if (!box) return;
    const { element } = stage;
    element.scrollLeft = box.x + (box.width - element.clientWidth) / 2;
    element.scrollTop = box.y + (box.height - element.clientHeight) / 2;
    const { left, right, top, bottom } = this.#frame.getBoundingClientRect();
    const wide = this.#dialog.offsetWidth;
    // A panel across the screen is at its foot, otherwise at the right.
    const isCovered = wide > innerWidth / 2 ? top + bottom > innerHeight : right > innerWidth - wide - 32 && left + right > innerWidth;
    this.#dialog.classList.toggle("away", isCovered);
  }

  /// Frames the place on the stage. Returns the frame's box on its sheet; null if the page is not there.
  #lay() {
    this.#frame.remove();
    const pages = this.#pages;
    const isThere = ({ part: { page } }) => page === this.#to?.page;
    // Whoever turns while pointing means the page that has come.
    if (this.#hand && pages.length > 0 && !pages.some(isThere)) this.#hand = { ...this.#hand, page: pages[0].part.page };
    const found = pages.findLast(isThere);
    if (!found) return null;
    const [{ x, y }, [left, top, right, bottom]] = [this.#to, this.#mark.box];
    const [wide, high] = [(right - left) / 2, (bottom - top) / 2];
    const box = boxOf({ box: [x - wide, y - high, x + wide, y + high] }, found.part, found.slot, found.sheet.layout);
    this.#frame.style.cssText = `left: ${box.x}px; top: ${box.y}px; width: ${box.width}px; height: ${box.height}px`;
    found.sheet.element.append(this.#frame);
    return box;
  }
}

/// A picture of where a mark was, from the former version's page; it goes if that page is not to be had.
function formerPlace(chart, { former, page, box: [left, top, right, bottom] }) {
  const image = h("img", { alt: "Where it was" });
  const picture = h("div", { class: "former-place" }, image);
  // The mark is at the same shares of the picture's sides as of the page's.
  picture.style.cssText = `--x: ${50 * (left + right)}%; --y: ${50 * (top + bottom)}%; --scale: ${Math.max(1, Math.min(LARGER, 0.9 / (right - left)))}`;
  image.addEventListener("error", () => picture.remove());
  showPicture(image, liveAddress({ id: chart.id, hash: former }, page, true, LONG)).catch(() => picture.remove());
  return picture;
}
