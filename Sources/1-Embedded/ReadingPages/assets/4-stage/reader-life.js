// The states of the reading view: what is on the stage, and what is coming.
import { sameChart, samePlace } from "./reader-pages.js";

/// Which states may follow each state. A new wish replaces any other, so `waiting` may follow every state.
///
///     opening ──► waiting ──► shown ──► retrying ──► shown
///                    └──────► card         └───────► card
///
/// - `opening`: nothing has been shown.
/// - `waiting`: the images for `goal` are being fetched. The previous sheet stays; before the first one, thumbnails stand in.
/// - `retrying`: images that were unavailable are being fetched again, without the musician noticing.
/// - `shown`: the sheet for `goal` is on the stage, with cards or older images in place of missing ones.
/// - `card`: a sentence is on the stage, since `goal` has no pages.
const AFTER = { opening: [], waiting: ["shown", "card"], retrying: ["shown", "card"], shown: ["retrying"], card: [] };

export class Life {
  /// `goal` is where the musician wants to be, `sheet` is the last sheet shown: `{place, chart, positions, beside}`. `images` are
  /// the requests on the stage, with null for a card; `order` is the running order in use; `turn` counts the wishes; `way` is 1
  /// forward, −1 back; `stepsDue` is the number of turns to make once the chart is known; `isNew`: the chart has changed since the
  /// last pause between turns; `played` is the last place of a running order that was shown, and `playedAt` how far down it was left.
  now = { name: "opening", goal: null, sheet: null, played: null, images: [], order: null, turn: 0, way: 1, stepsDue: 0, isNew: false, playedAt: 0 };

  /// The only place where `now` changes. Returns a function that is true until a new wish comes: call it after each await and each pause,
  /// since a replaced wish must not continue.
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

/// The state of the music stand, for the parts that may read but not change it.
export class Stand {
  #life;
  #stage;

  constructor(life, stage) { [this.#life, this.#stage] = [life, stage]; }

  get goal() { return this.#life.now.goal; }
  get shown() { return this.#life.now.sheet; }
  get images() { return this.#life.now.images; }
  get order() { return this.#life.now.order; }
  get played() { return this.#life.now.played; }
  get playedAt() { return this.#life.now.playedAt; }

  /// What decides which pages follow and precede a page: the stage, the running order, and the direction of the last turn.
  get context() { return { stage: this.#stage, order: this.order, way: this.#life.now.way }; }

  /// Whether a page is missing on the stage, and the reading view is not waiting for the images of another place.
  get isIncomplete() { return !["opening", "waiting"].includes(this.#life.now.name) && !this.images.every(Boolean); }

  /// Whether this chart is wanted or shown.
  has(place) { return [this.shown?.place, this.shown?.beside?.place, this.goal].some((each) => each && sameChart(each, place)); }

  /// `shows`: whether this very page is shown. `showsChartOf`: whether any page of its chart is.
  shows(place) { return this.shown !== null && samePlace(this.shown.place, place); }
  showsChartOf(place) { return this.shown !== null && sameChart(this.shown.place, place); }

  /// Whether the goal is shown.
  get isThere() { return this.goal !== null && this.shows(this.goal); }
}
