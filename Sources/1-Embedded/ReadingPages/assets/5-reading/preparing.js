// Fetches images ahead of time: of the pages that are turned to next, and a sharper one of a page that somebody stays on.
import { book } from "./books.js";
import { ahead, neighbourItem, pagesOf, requestsFor, sharperFor } from "./reader-pages.js";

/// `isLacking` says whether something other than the right images is shown.
export function preparing({ stand, stage, store, isLacking }) {
  /// The requests for the pages that come after this place; once a missing chart is described, `follow` requests its pages.
  function next(place, chart) {
    return ahead(place, chart, stand.context, (unknown) => book.load(unknown).then(follow, () => null));
  }

  /// Fetches everything around the sheet that is shown.
  function follow() {
    const { isThere, shown, images, context } = stand;
    if (!isThere || !shown.chart) return;
    const { place, chart } = shown;
    for (const direction of [1, -1]) {
      const item = neighbourItem(place, chart, direction, context);
      if (item) book.load(item).catch(() => null);
    }
    // Images that were not available are tried again when their pause is over.
    const now = isLacking() ? images.filter(Boolean) : requestsFor(pagesOf(shown), stage, stage.zoom);
    const coming = next(place, chart);
    store.want([...now, ...coming]);
    for (const request of coming) store.settled(request).then((entry) => stage.prepare(entry?.canvas));
  }

  /// If the screen has more pixels than the image in the cache, has the page drawn at that size, and shows it if the turn still `counts`.
  async function sharpen(counts, show) {
    const { isThere, shown } = stand;
    // A larger image would be drawn from the same chart and marks that could not be drawn just now.
    if (!isThere || shown.place.half || shown.positions.length === 0 || isLacking()) return;
    const { now, wanted } = sharperFor(pagesOf(shown), stage);
    if (!wanted) return;
    store.want([...now, ...wanted, ...next(shown.place, shown.chart)]);
    await Promise.all(wanted.map((request) => store.settled(request)));
    if (counts() && wanted.every((request) => store.ready(request))) show(wanted);
  }

  return { next, follow, sharpen };
}
