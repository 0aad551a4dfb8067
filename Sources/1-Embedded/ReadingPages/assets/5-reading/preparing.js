// Fetches images ahead of time: of the pages that come next, and a sharper one of a page that stays on the stage.
import { book } from "./books.js";
import { ahead, neighbourItem, pagesOf, requestsFor, sharperFor } from "./reader-pages.js";

/// `isLacking` returns whether something other than the right images is shown.
export function preparing({ stand, stage, store, isLacking }) {
  /// The requests for the pages after this place. When a missing chart's description arrives, `follow` requests its pages.
  function next(place, chart) {
    return ahead(place, chart, stand.context, (unknown) => book.load(unknown).then(follow, () => null));
  }

  /// Fetches the pages and descriptions around the shown sheet.
  function follow() {
    const { isThere, shown, images, context } = stand;
    if (!isThere || !shown.chart) return;
    const { place, chart } = shown;
    for (const direction of [1, -1]) {
      const item = neighbourItem(place, chart, direction, context);
      if (item) book.load(item).catch(() => null);
    }
    // If the right images are missing, want only those that are shown instead: the hint requests the missing ones again after a pause.
    const now = isLacking() ? images.filter(Boolean) : requestsFor(pagesOf(shown), stage, stage.zoom);
    const coming = next(place, chart);
    store.want([...now, ...coming]);
    for (const request of coming) store.settled(request).then((entry) => stage.prepare(entry?.canvas));
  }

  /// Has the page drawn larger if the screen has more pixels than the cached image, and shows it if the turn still `counts`.
  async function sharpen(counts, show) {
    const { isThere, shown } = stand;
    // If an image could not be drawn, a larger one cannot be drawn either.
    if (!isThere || shown.place.half || shown.positions.length === 0 || isLacking()) return;
    const { now, wanted } = sharperFor(pagesOf(shown), stage);
    if (!wanted) return;
    store.want([...now, ...wanted, ...next(shown.place, shown.chart)]);
    await Promise.all(wanted.map((request) => store.settled(request)));
    if (counts() && wanted.every((request) => store.ready(request))) show(wanted);
  }

  return { next, follow, sharpen };
}
