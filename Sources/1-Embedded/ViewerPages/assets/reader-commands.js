// What the keys and buttons of the reading view do.
import { askPage } from "./page-prompt.js";
import { flipPaper, isDarkened } from "./night.js";
import { goUp, planAddress } from "./routes.js";
import { handBoxOf, knowsInk } from "./margins.js";
import { openFinder } from "./finder.js";
import { openKeys } from "./keys-help.js";
import { openLayers } from "./layers-panel.js";
import { openParts } from "./parts-panel.js";
import { pagesOf } from "./reader-pages.js";
import { openView } from "./view-panel.js";
import { remember } from "./running-order.js";
import { settings } from "./settings.js";
import { toggleFullScreen } from "./wake.js";

const ZOOM = 1.25;

export class Commands {
  #reader;

  constructor(reader) {
    this.#reader = reader;
  }

  /// `event` has the time of the key press, from which a turn is measured.
  run(command, event) {
    this[command]?.(event);
  }

  next(event) { this.#reader.step(1, event?.timeStamp); }
  previous(event) { this.#reader.step(-1, event?.timeStamp); }
  first(event) { this.#reader.toPosition(0, event?.timeStamp); }
  last(event) { this.#reader.toPosition("last", event?.timeStamp); }
  nextItem(event) { this.#reader.stepItem(1, event?.timeStamp); }
  previousItem(event) { this.#reader.stepItem(-1, event?.timeStamp); }

  find() {
    const { order, shown } = this.#reader;
    if (!order) return this.#say("This chart was opened without a plan");
    const { plan } = order;
    openFinder(order.data, shown?.place.item, (item, chart) => this.#reader.open({ chart: chart.id, plan, item: item.id }));
  }

  askPage() {
    const { shown } = this.#reader;
    if (!shown?.chart) return;
    askPage(shown.chart.order.length, (page) => this.#reader.toPosition(page - 1));
  }

  fit() { this.#choose("fit", ["page", "width"], { page: "Fits the page", width: "Fits the width" }); }
  spread() { this.#choose("spread", ["auto", "one", "two"], { auto: "One or two pages, whatever fits", one: "One page", two: "Two pages" }); }

  margins() {
    const { shown } = this.#reader;
    const isUnknown = shown?.chart && !handBoxOf(shown.chart) && !shown.positions.every((position) => knowsInk(shown.chart.pages[shown.chart.order[position]]));
    this.#choose("margins", ["printed", "page", "chart"], {
      printed: "Margins as printed",
      page: isUnknown ? "Margins off, but this page’s are not known" : "Margins off, page by page",
      chart: isUnknown ? "Margins off, but this page’s are not known" : "Margins off, the whole chart alike",
    });
  }

  half() {
    settings.set("half", !settings.get("half"));
    const isOn = settings.get("half");
    // There is no half of a page that is already seen in parts.
    this.#say(`Half-page turns: ${isOn ? "on" : "off"}${isOn && settings.get("fit") === "width" ? ", where the whole page is fitted (w)" : ""}`);
  }
  night() { this.#flip("night", "Night"); }
  marks() { this.#flip("marks", "Marks"); }
  strip() { this.#flip("strip", "Thumbnails"); }

  flipPaper() {
    const { shown, stage } = this.#reader;
    if (!shown?.chart || !settings.get("night")) return this.#say("This works only in night mode");
    const pages = stage.element.querySelectorAll(".sheet .page");
    pagesOf(shown).forEach(({ chart, position }, i) => {
      const page = chart.order[position];
      flipPaper(chart.id, page, pages[i]?.classList.contains("dark") ?? isDarkened(chart.id, page, false));
    });
    return null;
  }

  parts() {
    const { goal, order } = this.#reader;
    const item = order?.item(goal?.item);
    if (!item || item.charts.length < 2) return this.#say("This song has only one part");
    openParts(item, goal.chart, (chart) => {
      remember(item.id, chart.id);
      this.#reader.open({ chart: chart.id, plan: goal.plan, item: item.id });
    });
    return null;
  }

  layers() { openLayers(this.#reader); }
  view() { openView(this.#reader); }
  help() { openKeys(); }
  full() { toggleFullScreen(); }
  bar() { this.#reader.bar.toggle(); }

  back() {
    const plan = this.#reader.goal?.plan;
    goUp(plan ? planAddress(plan) : "/");
  }

  zoomIn() { this.zoomBy(ZOOM); }
  zoomOut() { this.zoomBy(1 / ZOOM); }
  zoomReset() { this.zoomBy(0); }

  zoomBy(factor, x, y) {
    const { stage } = this.#reader;
    const { width, height } = stage.box;
    stage.zoomTo(stage.zoom * factor, x ?? width / 2, y ?? height / 2);
    this.#reader.zoomed();
  }

  pan(event) {
    const { stage } = this.#reader;
    const { width, height } = stage.box;
    const far = { ArrowLeft: [-0.2, 0], ArrowRight: [0.2, 0], ArrowUp: [0, -0.2], ArrowDown: [0, 0.2] }[event.key];
    stage.pan(far[0] * width, far[1] * height);
  }

  #choose(name, values, sentences) {
    const value = values[(values.indexOf(settings.get(name)) + 1) % values.length];
    settings.set(name, value);
    this.#say(sentences[value]);
  }

  #flip(name, words) {
    settings.set(name, !settings.get(name));
    this.#say(`${words}: ${settings.get(name) ? "on" : "off"}`);
  }

  /// What a key did is heard and, for a moment, seen.
  #say(words) {
    this.#reader.cue.show(words);
  }
}
