// Wet ink: edits that the page's image lacks, painted over the image until an image with them has arrived. The agent reports which states
// of the layer's parts an image shows. Comparing pixels would not suffice, since a mark may lie under another mark or in a hidden layer.
export class WetInk {
  #layer;
  /// Wet marks, by id. `former` is the mark in the page's image, or null; `mark` is its present version, or null. `states` are the states
  /// of the layer's parts with this edit, null until the agent keeps the edit.
  #entries = new Map();

  constructor(layer) { this.#layer = layer; }

  /// The page's wet ink.
  on(page) { return [...this.#entries.values()].filter((entry) => (entry.mark ?? entry.former)?.page === page); }

  get isEmpty() { return this.#entries.size === 0; }

  /// The version of this mark that the page's image shows.
  formerOf(id) { return this.#entries.has(id) ? this.#entries.get(id).former : this.#layer.mark(id); }

  /// Takes over changes of the layer. Returns the wet marks that were shown before.
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

  /// Forgets the edits of a page that an image with these states shows. Parts whose files are gone are ignored. Returns whether
  /// any edits were forgotten.
  dry(page, shown) {
    const isShown = ([part, state]) => (shown[part] ?? 0) >= state || !(part in this.#layer.states);
    const dried = this.on(page).filter(({ states }) => states && Object.entries(states).every(isShown));
    for (const { id } of dried) this.#entries.delete(id);
    return dried.length > 0;
  }
}
