// The life of the reading view: what is on the stage, and what is to come.
import { sameChart, samePlace } from "./reader-pages.js";

/// Which state may follow which. A new wish overtakes any other, so `waiting` may follow every state.
///
///     opening ──► waiting ──► shown ──► retrying ──► shown
///                    └──────► card         └───────► card
///
/// - `opening`: nothing has been shown yet.
/// - `waiting`: what is needed for `goal` is being fetched. The former sheet stays; if there is none, thumbnails stand in for the first.
/// - `retrying`: the same, unnoticed, after images were not available.
/// - `shown`: the sheet for `goal` is on the stage, with cards or older images in place of those that are missing.
/// - `card`: a sentence is on the stage, since there are no pages for `goal`.
const AFTER = { opening: [], waiting: ["shown", "card"], retrying: ["shown", "card"], shown: ["retrying"], card: [] };

export class Life {
  /// `goal` is where the musician wants to be, `sheet` what was shown last: `{place, chart, positions, beside}`. `images` are the requests
  /// that are on the stage, with null for a card; `order` is the running order that is played; `turn` counts the wishes; `way` is 1 forward,
  /// −1 back; `stepsDue` turns follow once the chart is known; `isNew` if the chart changed since the last rest,
  /// and `played` is the last place of a running order that was shown.
  now = { name: "opening", goal: null, sheet: null, played: null, images: [], order: null, turn: 0, way: 1, stepsDue: 0, isNew: false };

  /// The only place where `now` changes. Returns a function that says whether the latest wish is still the same: after each await, and
  /// after each pause, an overtaken wish must not go on.
  change(changes) {
    const { name } = this.now;
    const next = changes.name ?? name;
    console.assert(next === name || next === "waiting" || AFTER[name].includes(next), `${next} follows ${name} in the reading view`);
    console.assert(next !== "shown" || !changes.sheet || changes.sheet.positions.length > 0, "a sheet without pages is shown");
    const isWish = changes.name === "waiting" || changes.name === "retrying";
    const turn = this.now.turn + (isWish ? 1 : 0);
    this.now = { ...this.now, ...changes, turn };
    return () => this.now.turn === turn;
  }
}

/// What is on the music stand, for all parts that may know it but not change it.
export class Stand {
  #life;
  #stage;

  constructor(life, stage) { [this.#life, this.#stage] = [life, stage]; }

  get goal() { return this.#life.now.goal; }
  get shown() { return this.#life.now.sheet; }
  get images() { return this.#life.now.images; }
  get order() { return this.#life.now.order; }
  get played() { return this.#life.now.played; }

  /// What decides which pages are neighbours.
  get context() { return { stage: this.#stage, order: this.order, way: this.#life.now.way }; }

  /// Whether a page is missing on the stage, and nothing else is awaited.
  get isIncomplete() { return !["opening", "waiting"].includes(this.#life.now.name) && !this.images.every(Boolean); }

  /// Whether this chart is wanted or shown.
  has(place) { return [this.shown?.place, this.shown?.beside?.place, this.goal].some((each) => each && sameChart(each, place)); }

  /// Whether this page is shown, or another one of its chart.
  shows(place) { return this.shown !== null && samePlace(this.shown.place, place); }
  showsChartOf(place) { return this.shown !== null && sameChart(this.shown.place, place); }

  /// Whether what is shown is what is wanted.
  get isThere() { return this.goal !== null && this.shows(this.goal); }
}
