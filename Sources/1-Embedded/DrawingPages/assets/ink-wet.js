// Wet ink: edits that the page's image does not show yet. They are painted over it until an image has come that has them.

/// How long (ms) after the agent has kept an edit an image may take to show it, for ink that cannot be seen on any: another mark covers it, or
/// its layer is hidden.
const LONGEST = 4000;

export class WetInk {
  #layer;
  /// By id: `former`, the mark as the image shows it, and `mark`, as it is now, each null if there is none; and since when it is kept.
  #entries = new Map();

  constructor(layer) { this.#layer = layer; }

  /// The page's wet ink.
  on(page) { return [...this.#entries.values()].filter((entry) => (entry.mark ?? entry.former)?.page === page); }

  get isEmpty() { return this.#entries.size === 0; }

  /// What this is of a mark, whether it is wet or not: what the image shows of it.
  formerOf(id) { return this.#entries.has(id) ? this.#entries.get(id).former : this.#layer.mark(id); }

  /// Takes over what changed in the layer.
  note(ids) {
    for (const id of ids) {
      const entry = this.#entries.get(id);
      const mark = this.#layer.mark(id);
      if (this.#layer.isPending(id)) {
        this.#entries.set(id, { id, former: entry?.former ?? this.#layer.keptMark(id), mark, keptAt: 0 });
      } else if (entry) {
        Object.assign(entry, { mark, keptAt: entry.keptAt || performance.now() });
      }
    }
  }

  /// Forgets what an image of the page shows: `has` says whether a mark is on it. Returns whether there was any.
  dry(page, has) {
    let isChanged = false;
    for (const { id, former, mark, keptAt } of this.on(page)) {
      if (!keptAt) continue;
      const isThere = (!mark || has(mark)) && (!former || mark || !has(former));
      if (!isThere && performance.now() - keptAt < LONGEST) continue;
      this.#entries.delete(id);
      isChanged = true;
    }
    return isChanged;
  }
}
