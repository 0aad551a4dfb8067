// Wet ink: edits that the page's image does not show yet. They are painted over it until an image has come that has them.

/// Ink that cannot be seen on any image, because another mark covers it or its layer is hidden, is forgotten so long (ms) after the agent has
/// kept it, and not before another image has come.
const LONGEST = 4000;

export class WetInk {
  #layer;
  /// By id: `former`, the mark as the image shows it, and `mark`, as it is now, each null if there is none; since when it is
  /// kept, and which image the page had then.
  #entries = new Map();

  constructor(layer) { this.#layer = layer; }

  /// The page's wet ink.
  on(page) { return [...this.#entries.values()].filter((entry) => (entry.mark ?? entry.former)?.page === page); }

  get isEmpty() { return this.#entries.size === 0; }

  /// The version of this mark that the page's image shows, wet or dry.
  formerOf(id) { return this.#entries.has(id) ? this.#entries.get(id).former : this.#layer.mark(id); }

  /// Takes over what changed in the layer. Returns the marks that were shown of it before.
  note(ids) {
    const before = [];
    for (const id of ids) {
      const entry = this.#entries.get(id);
      if (entry?.mark) before.push(entry.mark);
      const mark = this.#layer.mark(id);
      if (this.#layer.isPending(id)) {
        this.#entries.set(id, { id, former: entry?.former ?? this.#layer.keptMark(id), mark, keptAt: 0, image: null });
      } else if (entry) {
        Object.assign(entry, { mark, keptAt: entry.keptAt || performance.now() });
      }
    }
    return before;
  }

  /// Forgets what an image of the page, named by its address, shows: `has` says whether a mark is on it. Returns whether there was any.
  dry(page, image, has) {
    let isChanged = false;
    for (const entry of this.on(page)) {
      const { former, mark, keptAt } = entry;
      if (!keptAt) continue;
      entry.image ??= image;
      const isThere = (!mark || has(mark)) && (!former || mark || !has(former));
      if (!isThere && (entry.image === image || performance.now() - keptAt < LONGEST)) continue;
      this.#entries.delete(entry.id);
      isChanged = true;
    }
    return isChanged;
  }
}
