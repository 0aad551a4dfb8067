// The drawing tools of a reading view: which layers and pages are in use, the changes to undo, and when the tools are shown.
import { mayChange } from "./api.js";
import { sayAlso } from "./banner.js";
import { say } from "./dom.js";
import { DrawKeys, teachKeys } from "./draw-keys.js";
import { DrawPanel } from "./draw-panel.js";
import { Pointers } from "./draw-pointers.js";
import { Erasers } from "./erasers.js";
import { on } from "./events.js";
import { layerOf } from "./ink-layer.js";
import { InkPage } from "./ink-page.js";
import { waitingCharts } from "./ink-store.js";
import { reportWaiting } from "./ink-waiting.js";
import { WetInk } from "./ink-wet.js";
import { JumpTool, partnersOf } from "./jump-tool.js";
import { bring } from "./later.js";
import "./own-places.js";
import { SelectTool } from "./select-tool.js";
import { settings } from "./settings.js";
import { Stamper } from "./stamps.js";
import { Shaper, StrokeTool } from "./stroke-tools.js";
import { TextTool } from "./text-tool.js";

const TWO = "A mark was changed in two places at once. Choose it (v) to see the other version.";

class Drawing {
  stage;
  #given;
  isOpen = false;
  /// Whether new marks are shown only in their page's key; reset when another chart or key comes on the stage.
  isOnly = false;
  #charts = "";
  /// The tools, by the names that the panel and the keys use.
  tools;
  #tool = null;
  /// Ink by chart: `{layer, wet}`.
  #inks = new Map();
  /// The pages on the stage, by chart, item, position and page number.
  #pages = new Map();
  #done = [];
  #undone = [];
  #parts;
  #follower = () => this.#follow();
  #end = new AbortController();

  /// `view` is the stage's parent element, `stand` the state of the music stand, and `cue` shows text over the music. `run` runs a
  /// key's command, `zoomBy` zooms, `goTo` opens a place, and `lay` takes note of jumps that have changed.
  constructor({ view, stage, stand, cue, run, zoomBy, goTo, lay }) {
    [this.stage, this.#given] = [stage, { stand, cue, run, goTo, lay }];
    const stroke = (kind) => new StrokeTool(this, kind);
    this.tools = {
      pen: stroke("pen"), highlighter: stroke("highlighter"), cover: stroke("eraser"), erase: new Erasers(this, false), cut: new Erasers(this, true),
      line: new Shaper(this, "line"), box: new Shaper(this, "rectangle"), ellipse: new Shaper(this, "ellipse"), arrow: new Shaper(this, "arrow"),
      stamp: new Stamper(this), text: new TextTool(this), select: new SelectTool(this), jump: new JumpTool(this),
    };
    this.#tool = this.tools.pen;
    this.panel = new DrawPanel(this);
    this.#parts = [new Pointers(this, zoomBy), new DrawKeys(this)];
    view.append(this.panel.element);
    stage.followers.add(this.#follower);
    this.#end.signal.addEventListener("abort", on("ink", ({ chart }) => this.#dry(chart)));
    addEventListener("pagehide", () => this.#leave(), { signal: this.#end.signal });
    document.addEventListener("visibilitychange", () => document.hidden && this.#leave(), { signal: this.#end.signal });
    for (const chart of waitingCharts()) this.inkOf(chart);
    this.#follow();
  }

  stop() {
    this.#leave();
    this.#end.abort();
    for (const part of this.#parts) part.stop();
    for (const { layer } of this.#inks.values()) layer.onChange = () => {};
    for (const page of this.#pages.values()) page.remove();
    this.panel.show(false);
    this.panel.element.remove();
    sayAlso("two", null);
    this.stage.followers.delete(this.#follower);
  }

  toggle() {
    this.isOpen = !this.isOpen;
    if (!this.isOpen) this.tool.rest?.();
    if (this.isOpen && !settings.get("marks")) this.#given.run("marks");
    this.panel.show(this.isOpen);
    this.#follow();
    for (const page of this.isOpen ? this.pages : []) this.inkOf(page.chart).layer.read();
    say(this.isOpen ? `Drawing: ${this.nameOfTool}` : "Drawing tools put away");
    this.#given.lay();
  }

  /// Turns the page while the tools stay out.
  turn(command) { this.#given.run(command); }
  tell(words) { this.#given.cue.tell(words); }

  get tool() { return this.#tool; }
  get nameOfTool() { return Object.keys(this.tools).find((name) => this.tools[name] === this.#tool); }

  choose(name) {
    if (this.#tool !== this.tools[name]) this.#tool.rest?.();
    this.#tool = this.tools[name];
    this.#tool.start?.();
    this.panel.update();
  }

  /// The colour and width for new marks.
  get style() { return this.panel.style; }

  get pages() { return [...this.#pages.values()]; }

  /// The keys of the chords on the stage, as printed.
  get chords() { return [...new Set(this.pages.map((page) => page.chords).filter(Boolean))].join("/"); }

  /// The page under an event: the one whose canvas received it, or the one at its position in the window.
  pageAt({ target, clientX, clientY }) {
    return this.pages.find((page) => page.canvas === target) ?? this.pages.find((page) => page.canvas === document.elementFromPoint(clientX, clientY)) ?? null;
  }

  inkOf(chart) {
    if (!this.#inks.has(chart)) {
      const layer = layerOf(chart);
      const ink = { layer, wet: new WetInk(layer), marks: (page) => layer.marksOn(page), isOnly: () => this.isOnly };
      this.#inks.set(chart, ink);
      layer.onChange = (ids) => this.#changed(chart, ids);
      ink.wet.note(layer.waitingIds);
    }
    return this.#inks.get(chart);
  }

  /// Changes marks of a page's chart: `[id, mark]`, with null to delete a mark. Changes during a gesture (`isOpen`) cannot be undone one by
  /// one. The last change of the gesture passes the marks as they were when the gesture began (`before`); undoing it restores them.
  /// `shown` is the version of the chart on which the gesture began.
  edit(at, changes, { isOpen = false, before = null, shown = at.madeOn } = {}) {
    if (changes.length === 0) return;
    const { chart } = at;
    const { layer } = this.inkOf(chart);
    const lone = isOpen ? [] : partnersOf(changes, layer);
    const former = [...before ?? changes.map(([id]) => [id, layer.mark(id)]), ...lone.map((mark) => [mark.id, mark])];
    const all = [...changes, ...lone.map(({ id }) => [id, null])];
    layer.edit(all, { isOpen, shown });
    if (isOpen) return;
    const page = (changes[0][1] ?? former.find(([, mark]) => mark)?.[1])?.page;
    this.#done.push({ chart, page, where: this.#pageOf(chart, page)?.where, before: former, after: all.map(([id]) => [id, layer.mark(id)]) });
    this.#undone = [];
    this.panel.update();
  }

  /// Deletes a mark whose gesture was cancelled.
  forget(chart, id) { this.inkOf(chart).layer.edit([[id, null]]); }

  /// Takes back the last change for good: it was ink of a hand that rested on the page, so nobody wants to redo it.
  retract() {
    const last = this.#done.pop();
    if (last) this.inkOf(last.chart).layer.edit(last.before);
    this.panel.update();
  }

  /// The number of changes that can be undone.
  get count() { return this.#done.length; }
  get canUndo() { return this.#done.length > 0; }
  get canRedo() { return this.#undone.length > 0; }

  undo() { this.#step(this.#done, this.#undone, "before", "Undone"); }
  redo() { this.#step(this.#undone, this.#done, "after", "Done again"); }

  #step(from, to, state, words) {
    const change = from.pop();
    if (!change) return say("Nothing more");
    to.push(change);
    const { chart, page, where } = change;
    this.inkOf(chart).layer.edit(change[state]);
    this.panel.update();
    const seen = this.#pageOf(chart, page);
    if (!where || seen && [...change.before, ...change.after].some(([, mark]) => mark && seen.shows(mark))) return say(words);
    // Go to the page of a change that is out of sight.
    const song = this.#given.stand.order?.item(where.item)?.title;
    this.#given.cue.show(`${words} on page ${page + 1}${song ? ` of “${song}”` : ""}`);
    return this.#given.goTo(where);
  }

  #pageOf(chart, index) { return this.pages.find((page) => page.chart === chart && page.index === index) ?? null; }

  #changed(chart, ids) {
    const { wet } = this.inkOf(chart);
    const before = wet.note(ids);
    const isNeeded = this.pages.length > 0;
    this.#follow();
    for (const page of isNeeded ? this.pages.filter((each) => each.chart === chart) : []) {
      page.dry();
      page.refreshChanged(ids, before);
    }
    this.tool.changed?.();
    this.panel.update();
    this.#reportTwo();
    this.#given.lay();
  }

  #dry(chart) { for (const page of this.pages) if (page.chart === chart) page.dry(); }

  /// The versions of a mark that others made simultaneously with the shown version.
  othersOf(chart, id) { return this.inkOf(chart).layer.others(id); }

  /// Puts canvases over the pages on the stage: over all while the tools are open, otherwise only over pages with wet ink.
  #follow() {
    const before = this.#pages;
    this.#pages = new Map();
    for (const sheet of this.stage.sheets) {
      for (const part of sheet.parts) {
        if (!(part.element instanceof HTMLCanvasElement) || !part.chart) continue;
        const { chart: { id: chart }, page: index } = part;
        if (!this.isOpen && !this.#inks.get(chart)?.wet.on(index).length) continue;
        const key = `${chart} ${part.place.item} ${part.position} ${index}`;
        const page = before.get(key) ?? this.#newPage(chart, index);
        this.#pages.set(key, page);
        page.put(part);
      }
    }
    const isOther = [...before.keys()].join() !== [...this.#pages.keys()].join();
    for (const [key, page] of before) if (!this.#pages.has(key)) page.remove();
    if (this.isOpen && isOther) {
      for (const chart of new Set(this.pages.map((page) => page.chart))) if (!this.#inks.get(chart).layer.isRead) this.inkOf(chart).layer.read();
    }
    const charts = this.isOpen ? [...new Set(this.pages.map((page) => `${page.chart} ${page.chords}`))].sort().join() : "";
    if (charts !== this.#charts) {
      [this.#charts, this.isOnly] = [charts, false];
      this.panel.update();
    }
    this.tool.changed?.();
    for (const part of this.#parts) part.follow?.();
  }

  #newPage(chart, index) {
    const page = new InkPage(chart, index, this.inkOf(chart), isLowLatency);
    // While the tools are put away, a page needs its canvas only until its ink is dry.
    page.onDry = () => queueMicrotask(() => this.isOpen || this.#follow());
    return page;
  }

  /// Ends gestures, and sends unsent edits: the page may be closed in a moment.
  #leave() {
    for (const part of this.#parts) part.leave?.();
    for (const { layer } of this.#inks.values()) layer.sendLast();
  }

  /// Shows a message while a mark on the stage has two versions to choose from.
  #reportTwo() {
    const areTwo = this.isOpen && this.pages.some((page) => page.marks.some((mark) => this.othersOf(page.chart, mark.id).length > 0));
    sayAlso("two", areTwo ? { words: TWO, brief: TWO } : null);
  }
}

/// Whether canvases bypass the compositor. This is faster, but on Linux (except Android) the canvas tears or stays empty.
const isLowLatency = !navigator.userAgent.includes("Linux") || navigator.userAgent.includes("Android");

if (mayChange) teachKeys();
for (const chart of waitingCharts()) {
  if (mayChange) layerOf(chart).read();
  else reportWaiting(chart, "Marks wait in this browser until it is signed in as the musician’s: a guest’s sign-in keeps none.");
}
bring("drawing", (room) => new Drawing(room));
