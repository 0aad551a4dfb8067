// Jumps and bookmarks in the reading view: what a tap, a key or a pedal does with them, and the way back. Loaded with the panels.
import { bookmarksOf, openPlaces } from "./bookmarks.js";
import { h, letGo, say } from "./dom.js";
import { Trail, isDue, jumpsAt, nextJump, passOf, timeOf, viewAt } from "./jumps.js";
import { bring, later } from "./later.js";
import { HeldKeys } from "./pedals.js";
import { settings } from "./settings.js";

/// The least side of a box to tap (CSS pixels), how long (ms) a press is that starts the count anew, and how long the way back is shown.
const [FINGER, LONG, SHOWN] = [44, 700, 6000];

class Desk {
  #given;
  #trail = new Trail();
  /// The jumps taken in the songs on the stage, as `{song, from, to}`: they say which time a place is played.
  #taken = [];
  #songs = [];
  /// Where the last jump arrived, with how far the stage was scrolled then: the next jump is sought from there.
  #landed = null;
  /// The jumps on the stage, as `{jump, part, box, button, isCovered}`.
  #laid = [];
  #goings = 0;
  /// The button with the keyboard focus, which is lost if its sheet goes.
  #focused = null;
  /// Whether the last press on a jump was long. The count that it starts anew lays other buttons, one of which gets the click.
  #isLong = false;
  #back = h("button", { type: "button", class: "button jump-back", "aria-keyshortcuts": "b", hidden: true, onclick: (event) => this.jumpBack(event) });
  #fading = 0;
  #lay = () => this.lay();
  #ends;

  constructor(given) {
    this.#given = given;
    const { stage, run } = given;
    stage.followers.add(this.#lay);
    stage.element.parentElement.append(this.#back);
    this.#back.addEventListener("click", letGo);
    this.#ends = [
      () => stage.followers.delete(this.#lay), () => this.#back.remove(), new HeldKeys(run).start(),
      settings.listen((name) => name === "marks" && this.lay()),
    ];
    this.lay();
  }

  stop() { for (const end of this.#ends) end(); }

  // MARK: Commands

  /// Takes the next jump on the stage that is meant for this time.
  jump(event) {
    const jumps = this.#laid.filter(({ isCovered }) => !isCovered).map(({ jump }) => jump);
    const next = nextJump(jumps, this.#after, this.#taken);
    if (next) return this.#take(this.#laid.find(({ jump }) => jump === next), event);
    const [first] = jumps;
    return this.#given.show(first ? `No jump yet: this is the ${timeOf(passOf(first, this.#taken))}` : "There is no jump on this page");
  }

  jumpBack(event) { return this.#return(this.#trail.back(this.#here), event, "There is nothing to go back to"); }
  jumpAgain(event) { return this.#return(this.#trail.again(this.#here), event, "There is nothing to go forward to"); }

  /// The song begins anew, and every place in it is played for the first time.
  restart() {
    this.#taken = [];
    this.lay();
  }

  places() {
    const { chart } = this.#given.stand.shown ?? {};
    if (!chart) return this.#given.show("There is no music here to bookmark");
    return openPlaces(() => this.#bookmarked, (bookmark) => this.#leadTo(bookmark));
  }

  /// The bookmarks of the chart on the stand, to be found among the songs.
  found() {
    const { chart, place } = this.#given.stand.shown ?? {};
    if (!chart) return [];
    const { chart: id, plan, item } = place;
    return bookmarksOf(chart).map(({ title, position }) => ({ title, name: `page ${position + 1}`, place: { chart: id, plan, item, page: position + 1 } }));
  }

  // MARK: Going there

  /// The chart on the stand, and the place at the top of the screen, for a new bookmark; null if there is none.
  get #bookmarked() {
    const { chart } = this.#given.stand.shown ?? {};
    if (!chart || chart.order.length === 0) return null;
    const { position, y } = this.#top;
    return { chart, page: chart.order[position], position, y };
  }

  #leadTo({ position, y }) {
    this.#trail.leave(this.#here);
    return this.#go({ ...this.#given.stand.shown.place, position, half: null, from: null }, y);
  }

  async #take({ jump, part }, event) {
    const { position, y, song, to } = jump;
    this.#trail.leave(this.#here);
    const { chart, plan, item } = part.place;
    this.#taken = [...this.#taken, { song, from: { position, y }, to }];
    await this.#go({ chart, plan, item, position: to.position, half: null }, to.y, event);
    // Another page is announced in any case.
    if (to.position === position) say(to.y < y ? "Further up on this page" : "Further down on this page");
  }

  #return(place, event, words) {
    if (!place) return this.#given.show(words);
    this.#taken = place.taken;
    return this.#go(place.goal, null, event, place);
  }

  /// What "back" needs in order to return here.
  get #here() {
    const { stand, stage } = this.#given;
    return { goal: stand.goal, top: stage.element.scrollTop, taken: this.#taken, landed: this.#landed };
  }

  /// Shows a place, at the top of the screen if its page is taller than the screen; `former` is the same place when it was left.
  async #go(goal, y, event = null, former = null) {
    const { goTo, hideBar, stage, stand } = this.#given;
    if (stage.element.contains(document.activeElement)) stage.element.focus({ preventScroll: true });
    hideBar();
    const going = this.#goings += 1;
    const known = this.#taken;
    await goTo(goal, { start: event?.timeStamp ?? performance.now() });
    if (going !== this.#goings || !stand.isThere) return;
    // Another song may have come with it, whose count begins anew unless it was left in the middle.
    if (former) this.#taken = known;
    const at = this.#partAt(goal);
    if (former) stage.element.scrollTop = former.top;
    else if (at) stage.element.scrollTop = viewAt(placed(at.sheet), at.slot.whole.y + y * at.slot.whole.height);
    this.#landed = former ? former.landed : { position: goal.position, y, top: stage.element.scrollTop };
    this.lay();
    this.#showWayBack();
  }

  #showWayBack() {
    clearTimeout(this.#fading);
    this.#back.classList.add("fresh");
    this.#fading = setTimeout(() => this.#back.classList.remove("fresh"), SHOWN);
  }

  // MARK: On the stage

  #partAt({ chart, item, position }) {
    return partsOn(this.#given.stage).find(({ part }) => part.chart.id === chart && part.place.item === item && part.position === position) ?? null;
  }

  /// The place at the top of the screen.
  get #top() {
    const { scrollTop } = this.#given.stage.element;
    const [first] = partsOn(this.#given.stage);
    if (!first) return { position: this.#given.stand.shown?.positions[0] ?? 0, y: 0 };
    const { y, height } = first.slot.whole;
    return { position: first.part.position, y: Math.min(1, Math.max(0, (scrollTop - y) / height)) };
  }

  /// The place from which the next jump is sought: where the last one arrived, until the musician turns or scrolls.
  get #after() {
    const { scrollTop } = this.#given.stage.element;
    const landed = this.#landed && this.#landed.top === scrollTop && partsOn(this.#given.stage).some(({ part }) => part.position === this.#landed.position);
    return landed ? this.#landed : { ...this.#top, y: this.#given.stage.isPannable ? this.#top.y : 0 };
  }

  /// Lays a button over each jump. They take taps before the stage does, and are there for the keyboard and for screen readers.
  lay() {
    for (const { button } of this.#laid) button.remove();
    const parts = partsOn(this.#given.stage);
    const songs = parts.map(({ part }) => songOf(part));
    if (songs.length > 0 && !songs.some((song) => this.#songs.includes(song))) this.#taken = [];
    if (songs.length > 0) this.#songs = songs;
    this.#laid = parts.flatMap((each) => jumpsOf(each.part).map((jump) => this.#layOne(each, { ...jump, song: songOf(each.part) })));
    if (this.#focused && !this.#focused.isConnected && document.activeElement === document.body) this.#given.stage.element.focus({ preventScroll: true });
    this.#back.hidden = this.#trail.isEmpty;
    const position = this.#trail.last?.goal.position;
    this.#back.textContent = Number.isInteger(position) ? `↩ Back to page ${position + 1}` : "↩ Back";
  }

  #layOne({ sheet, part, slot }, jump) {
    const box = boxOf(jump, part, slot, sheet.layout);
    const laid = { jump, part, box, isCovered: isCovered(this.#given.stage.sheets, sheet, box) };
    const pass = passOf(jump, this.#taken);
    const words = [`Jump to page ${jump.to.position + 1}`, jump.pass && `for the ${timeOf(jump.pass)}; this is the ${timeOf(pass)}`].filter(Boolean).join(", ");
    laid.button = h("button", { type: "button", class: "jump", "aria-label": words, title: `${words} (j)` },
      jump.pass && h("span", { class: isDue(jump, this.#taken) ? "jump-time due" : "jump-time", "aria-hidden": "true", text: `now ${timeOf(pass)}` }));
    Object.assign(laid.button.style, { left: `${box.x}px`, top: `${box.y}px`, width: `${box.width}px`, height: `${box.height}px` });
    this.#listen(laid);
    sheet.element.append(laid.button);
    return laid;
  }

  /// A tap or Enter takes a jump; a long press or Delete starts its song's count anew.
  #listen(laid) {
    const { button: element } = laid;
    let timer = 0;
    const recount = () => {
      this.restart();
      this.#given.show("The count begins anew: this is the 1st time");
    };
    const release = () => clearTimeout(timer);
    element.addEventListener("pointerdown", () => {
      this.#isLong = false;
      if (laid.jump.pass) timer = setTimeout(() => {
        this.#isLong = true;
        recount();
      }, LONG);
    });
    for (const kind of ["pointerup", "pointerleave", "pointercancel"]) element.addEventListener(kind, release);
    element.addEventListener("contextmenu", (event) => event.preventDefault());
    element.addEventListener("keydown", (event) => event.key === "Delete" && recount());
    element.addEventListener("focus", () => { this.#focused = element; });
    element.addEventListener("blur", () => { if (element.isConnected) this.#focused = null; });
    element.addEventListener("click", (event) => {
      letGo(event);
      // A click by Enter has no number.
      if (event.detail === 0) this.#take(laid, event);
      else if (!this.#isLong) this.#take(this.#nearest(event, laid), event);
    });
  }

  /// Where boxes that were enlarged for fingers lie over each other, the jump whose own box is nearest to the tap.
  #nearest({ clientX, clientY }, laid) {
    const { left, top } = laid.button.parentElement.getBoundingClientRect();
    const [x, y] = [clientX - left, clientY - top];
    const beside = (at, from, to) => Math.max(0, from - at, at - to);
    const far = ({ box: { own } }) => Math.hypot(beside(x, own.left, own.right), beside(y, own.top, own.bottom));
    const here = this.#laid.filter(({ button, box }) => button.parentElement === laid.button.parentElement
      && x >= box.x && x <= box.x + box.width && y >= box.y && y <= box.y + box.height);
    return here.sort((a, b) => far(a) - far(b))[0] ?? laid;
  }
}

/// The pages on the stage, from below.
export const partsOn = (stage) => stage.sheets.flatMap((sheet) => sheet.parts.map((part, i) => ({ sheet, part, slot: sheet.layout.slots[i] })))
  .filter(({ part }) => part.chart && part.element instanceof HTMLCanvasElement);

const songOf = ({ chart, place }) => `${chart.id} ${place.item ?? ""}`;

/// The jumps that leave a page, as this browser knows them; those of marks are hidden with the marks.
function jumpsOf({ chart, position }) {
  const all = later("own-places")?.jumps(chart) ?? chart.jumps ?? [];
  return jumpsAt(settings.get("marks") ? all : all.filter(({ box }) => box), chart.order, position);
}

const placed = ({ parts, layout: { slots } }) => parts.map(({ size: { bands } }, i) => ({ bands, slot: slots[i] }));

/// A box on a page, or a point, in pixels of its sheet, large enough for a finger and within the sheet, and its `own` box. A page that is
/// turned upright turns around its middle.
export function boxOf({ box, x, y }, { lean = 0 }, { whole, ...slot }, layout) {
  const [left, top, right, bottom] = box ?? [x, y, x, y];
  const [across, down] = [((left + right) / 2 - 0.5) * whole.width, ((top + bottom) / 2 - 0.5) * whole.height];
  const [cos, sin] = [Math.cos(lean), Math.sin(lean)];
  const within = (value, least, most) => Math.max(least, Math.min(value, most));
  // An arrow in a margin that is cropped is at the edge of what is shown.
  const centre = {
    x: within(whole.x + whole.width / 2 + across * cos + down * sin, slot.x, slot.x + slot.width),
    y: within(whole.y + whole.height / 2 - across * sin + down * cos, slot.y, slot.y + slot.height),
  };
  const [wide, high] = [(right - left) * whole.width, (bottom - top) * whole.height];
  const own = { left: centre.x - wide / 2, right: centre.x + wide / 2, top: centre.y - high / 2, bottom: centre.y + high / 2 };
  const [width, height] = [Math.max(FINGER, wide), Math.max(FINGER, high)];
  return { x: within(centre.x - width / 2, 0, layout.width - width), y: within(centre.y - height / 2, 0, layout.height - height), width, height, own };
}

/// The place under a hand in shares of the page, whose sides are these pixels of the screen before it is turned upright.
export function shareAt({ clientX, clientY }, { left, top, width, height }, lean = 0) {
  const [x, y] = [clientX - left - width / 2, clientY - top - height / 2];
  const [cos, sin] = [Math.cos(lean), Math.sin(lean)];
  return [(x * cos - y * sin) / width + 0.5, (x * sin + y * cos) / height + 0.5];
}

/// Whether half a turn hides this box: below the sheet on top, or where that one ends.
function isCovered(sheets, sheet, { own }) {
  if (sheets.length < 2) return false;
  const { element, layout } = sheets[1];
  const cut = parseFloat(element.style.getPropertyValue("--cut")) / 100;
  const isAbove = element.classList.contains("upper") ? own.top < layout.height * (cut || 0.5) : own.left < layout.width / 2;
  return isAbove === (sheet === sheets[0]);
}

bring("places", (given) => new Desk(given));
