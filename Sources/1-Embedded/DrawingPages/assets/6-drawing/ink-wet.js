// Wet ink: edits that the page's image does not show yet. They are painted over it until an image has come that has them. Which states of
// the layer's parts an image shows is told by the agent: an edit may be there and not seen, under another mark, or in a hidden layer.
export class WetInk {
  #layer;
  /// By id: `former`, the mark as the image shows it, and `mark`, as it is now, each null if there is none; and the states of the layer's
  /// parts with this edit, null until the agent keeps it.
  #entries = new Map();

  constructor(layer) { this.#layer = layer; }

  /// The page's wet ink.
  on(page) { return [...this.#entries.values()].filter((entry) => (entry.mark ?? entry.former)?.page === page); }

  get isEmpty() { return this.#entries.size === 0; }

  /// The version of this mark that the page's image shows, wet or dry.
  formerOf(id) { return this.#entries.has(id) ? this.#entries.get(id).former : this.#layer.mark(id); }

  /// Takes over changes of the layer. Returns the marks that were shown in their place.
  note(ids) {
    const before = [];
    for (const id of ids) {
      const entry = this.#entries.get(id);
      if (entry?.mark) before.push(entry.mark);
      const mark = this.#layer.mark(id);
      if (this.#layer.isPending(id)) {
        this.#entries.set(id, { id, former: entry?.former ?? this.#layer.keptMark(id), mark, states: null });
      } else if (entry) {
        Object.assign(entry, { mark, states: this.#layer.states });
      }
    }
    return before;
  }

  /// Forgets what an image of the page that shows these states has. Returns whether there was any. No image shows a part whose file is gone.
  dry(page, shown) {
    const isShown = ([part, state]) => (shown[part] ?? 0) >= state || !(part in this.#layer.states);
    const dried = this.on(page).filter(({ states }) => states && Object.entries(states).every(isShown));
    for (const { id } of dried) this.#entries.delete(id);
    return dried.length > 0;
  }
}
