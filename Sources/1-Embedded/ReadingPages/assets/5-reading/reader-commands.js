// The commands of the reading view's keys and buttons.
import { announceSong } from "./dom.js";
import { door } from "./drawing-door.js";
import { openFinder } from "./finder.js";
import { fetchLater, later, usePanels } from "./later.js";
import { handBoxOf, knowsInk } from "./margins.js";
import { pagesOf } from "./reader-pages.js";
import { goUp, planAddress } from "./routes.js";
import { remember } from "./running-order.js";
import { settings } from "./settings.js";
import { flipPaper, isDarkened } from "./stage-parts.js";

const ZOOM = 1.25;

export class Commands {
  #given;
  /// The song on the stand, and the plan of the last song that had one.
  #song = "";
  #plan = null;
  #desk = null;

  /// `show` shows words for a moment, `open` opens a place, `zoomed` fetches sharper images once the fingers rest, `toggleBar`
  /// shows or hides the controls, `adopt` takes over a chart with other layers, `expect` announces a chart that changes on
  /// request, and `review` reads the running order again after it. `goTo` shows a place, and `hideBar` hides the controls.
  constructor({ stand, stage, turns, show, open, zoomed, toggleBar, adopt, expect, review, goTo, hideBar }) {
    this.#given = { stand, stage, turns, show, open, zoomed, toggleBar, adopt, expect, review, goTo, hideBar };
  }

  /// The commands of jumps, bookmarks and pedals (places.js); null until they have loaded.
  get desk() { return this.#desk ??= later("places")?.({ ...this.#given, run: (command, event) => this.run(command, event) }) ?? null; }

  /// Lets the browser's own "Print" print the chart, once the panels have loaded. Returns a function that ends this arrangement.
  start() {
    const layOut = () => later("panels")?.layOut(this.#given.stand.shown?.chart);
    addEventListener("beforeprint", layOut);
    return () => {
      removeEventListener("beforeprint", layOut);
      this.#desk?.stop();
    };
  }

  /// Notes the sheet that came on the stage, and notifies an open panel if the song has changed.
  arrived({ place, chart }) {
    const song = JSON.stringify([place.item, place.chart, chart?.hash, chart?.song?.waits, chart?.song?.scope]);
    if (song !== this.#song) announceSong();
    this.#song = song;
    this.#plan = place.plan ?? this.#plan;
    // Outside a plan, what few charts need is loaded for those alone.
    if (chart?.jumps || chart?.bookmarks || Object.keys(settings.get("pedals")).length > 0) fetchLater().then(() => this.desk?.lay(), () => null);
    else this.desk?.lay();
  }

  /// `event` has the time of the key press, for measuring the turn.
  run(command, event) {
    const isMeantForPen = command === "back" && event?.type === "keydown" && door.isOwed;
    if (command !== "draw") door.isOwed = false;
    // A musician may press p to choose the pen before the tools have loaded. Do not leave the music because of this key.
    if (isMeantForPen) this.#given.show("The drawing tools are not here. Press p again to go back to the plan");
    else if (command in this) this[command](event);
    else this.#use(() => this.desk[command]?.(event));
  }

  next(event) { this.#given.turns.step(1, event?.timeStamp); }
  previous(event) { this.#given.turns.step(-1, event?.timeStamp); }
  first(event) {
    this.desk?.restart();
    this.#given.turns.toPosition(0, event?.timeStamp);
  }
  last(event) { this.#given.turns.toPosition("last", event?.timeStamp); }
  nextItem(event) { this.#given.turns.stepItem(1, event?.timeStamp); }
  previousItem(event) { this.#given.turns.stepItem(-1, event?.timeStamp); }
  nextPage(event) { this.#given.turns.stepPage(1, event?.timeStamp); }
  previousPage(event) { this.#given.turns.stepPage(-1, event?.timeStamp); }

  find() {
    const { order, shown } = this.#given.stand;
    openFinder(order?.data ?? null, shown?.place.item, { chosen: this.#given.open, songs: this.desk?.found() });
  }

  askPage() {
    const { shown } = this.#given.stand;
    if (!shown?.chart) return;
    this.#use((panels) => panels.askPage(shown.chart.order.length, (page) => this.#given.turns.toPosition(page - 1)));
  }

  fit() { this.#choose("fit", ["page", "width"], { page: "Fits the page", width: "Fits the width" }); }
  spread() { this.#choose("spread", ["auto", "one", "two"], { auto: "One or two pages, whatever fits", one: "One page", two: "Two pages" }); }

  margins() {
    const { chart, positions } = this.#given.stand.shown ?? {};
    const isUnknown = chart && !handBoxOf(chart) && !positions.every((position) => knowsInk(chart.pages[chart.order[position]]));
    const cropped = (words) => `Margins cropped, ${isUnknown ? "but this page’s are not known" : words}`;
    this.#choose("margins", ["printed", "page", "chart"], {
      printed: "Margins as printed", page: cropped("page by page"), chart: cropped("the whole chart alike"),
    });
  }

  half() { this.#flip("half", "Half-page turns"); }
  night() { this.#flip("night", "Night"); }
  marks() { this.#flip("marks", "Marks"); }
  strip() { this.#flip("strip", "Thumbnails"); }

  flipPaper() {
    const { shown } = this.#given.stand;
    if (!shown?.chart || !settings.get("night")) return this.#given.show("This works only in night mode");
    const pages = this.#given.stage.element.querySelectorAll(".sheet .page");
    pagesOf(shown).forEach(({ chart, position }, i) => {
      const page = chart.order[position];
      flipPaper(chart.id, page, pages[i]?.classList.contains("dark") ?? isDarkened(chart.id, page, false));
    });
    return null;
  }

  parts() {
    const { goal, order } = this.#given.stand;
    const item = order?.item(goal?.item);
    if (!item || item.charts.length < 2) return this.#given.show("This song has only one part");
    this.#use((panels) => panels.openParts(item, goal.chart, (chart) => {
      remember(item.id, chart.id);
      this.#given.open({ chart: chart.id, plan: goal.plan, item: item.id });
    }));
    return null;
  }

  songKey() { this.#use((panels) => panels.openSongKey(this.#given)); }
  draw() { door.open(); }
  together() { this.#use(() => later("together").openPanel()); }
  lead() { this.#use(() => later("together").lead()); }
  follow() { this.#use(() => later("together").follow()); }
  guest() { this.#given.show("You are signed in as a guest: guests only look"); }
  layers() { this.#use((panels) => panels.openLayers(this.#given.stand, this.#given.adopt, () => this.run("placeMarks"))); }
  placeMarks() { this.#use((panels) => panels.openUnplaced(this.#given)); }
  view() { this.#use((panels) => panels.openView(this.#given.stand, { isMended: () => this.#given.stage.isMended, print: () => this.run("print"), parts: () => this.run("parts"), places: () => this.run("places") })); }
  help() { this.#use((panels) => panels.openKeys((command) => command in this || command in (this.desk ?? {}))); }
  /// Full screen for the music; if the browser refuses, nothing changes.
  full() { (document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen?.())?.catch(() => null); }
  bar() { this.#given.toggleBar(); }

  print() { this.#use((panels) => panels.print(this.#given.stand.shown?.chart, this.#given.show)); }

  back() {
    const plan = this.#given.stand.goal?.plan ?? this.#plan;
    const from = history.state?.from?.startsWith("/plan/") ? history.state.from : "/";
    goUp(plan ? planAddress(plan) : from);
  }

  zoomIn() { this.zoomBy(ZOOM); }
  zoomOut() { this.zoomBy(1 / ZOOM); }
  zoomReset() { this.zoomBy(0); }

  /// Stretches the pages immediately; sharper images follow.
  zoomBy(factor, x, y) {
    const { width, height } = this.#given.stage.box;
    this.#given.stage.zoomTo(this.#given.stage.zoom * factor, x ?? width / 2, y ?? height / 2);
    this.#given.zoomed();
  }

  pan(event) {
    const { width, height } = this.#given.stage.box;
    const far = { ArrowLeft: [-0.2, 0], ArrowRight: [0.2, 0], ArrowUp: [0, -0.2], ArrowDown: [0, 0.2] }[event.key];
    this.#given.stage.pan(far[0] * width, far[1] * height);
  }

  #choose(name, values, sentences) {
    const value = values[(values.indexOf(settings.get(name)) + 1) % values.length];
    settings.set(name, value);
    this.#given.show(sentences[value]);
  }

  #flip(name, words) {
    settings.set(name, !settings.get(name));
    this.#given.show(`${words}: ${settings.get(name) ? "on" : "off"}`);
  }

  #use(act) { usePanels(this.#given.show, act); }
}
