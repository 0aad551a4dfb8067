// The life of the reading view: what is on the stage, and what is to come.

/// What may follow what. A wish from anywhere overtakes what was under way, so `waiting` may follow everything.
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
  /// `sheet` is what was shown last: `{place, chart, positions, beside}`. `images` are the requests that are on the stage, with null for a
  /// card; `turn` counts the wishes; `way` is 1 forward, −1 back; `stepsDue` turns follow once the chart is known; `isNew` if the chart
  /// changed since the last rest; `pause` (ms) before what is missing is tried again.
  now;

  constructor(pause) {
    this.now = { name: "opening", goal: null, sheet: null, images: [], turn: 0, way: 1, stepsDue: 0, isNew: false, pause };
  }

  /// The only place where it changes. Returns a function that says whether the latest wish is still the same: after each await, what has
  /// been overtaken must not go on.
  change(changes) {
    const { name } = this.now;
    const next = changes.name ?? name;
    console.assert(next === name || next === "waiting" || AFTER[name].includes(next), `${next} follows ${name} in the reading view`);
    console.assert(next !== "shown" || !changes.sheet || changes.sheet.positions.length > 0, "a sheet without pages is shown");
    const turn = this.now.turn + (isWish(changes) ? 1 : 0);
    this.now = { ...this.now, ...changes, turn };
    return () => this.now.turn === turn;
  }
}

export const isWish = ({ name }) => name === "waiting" || name === "retrying";
