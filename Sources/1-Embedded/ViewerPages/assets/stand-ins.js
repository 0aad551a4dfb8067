// What is shown of a page whose image is not available: the page with its earlier marks, otherwise without marks; or with them, where it
// was to be shown without.
import { keyOf } from "./reader-pages.js";

/// How many earlier images are remembered for each page: even the last of them may never have been made.
const KNOWN = 3;

/// A chart's pages, each with the images that it had before as `former`, latest first.
export function withFormer(pages, known) {
  return pages.map((page) => {
    const old = known.find((each) => each.index === page.index);
    if (!old) return page;
    const former = [old.annotated, ...(old.former ?? [])].filter((image) => image.src !== page.annotated.src);
    return { ...page, former: former.slice(0, KNOWN) };
  });
}

/// What can be shown of these pages: each as wanted, otherwise what stands in for it; null if there is neither.
export async function bestOf(requests, store, isLatest) {
  const found = requests.map((request) => (store.ready(request) ? request : null));
  for (const [i, request] of requests.entries()) {
    for (const other of found[i] ? [] : standInsFor(request)) {
      store.need([other, ...found.filter(Boolean)]);
      await store.settled(other);
      if (!isLatest()) return found;
      if (store.ready(other)) {
        found[i] = other;
        break;
      }
    }
  }
  return found;
}

/// Requests for what may stand in for this one, best first; `kind` says what is different about it, null if nothing is.
function standInsFor(request) {
  const page = request.chart.pages[request.page];
  const isMarked = page.marked && request.src === page.annotated.src;
  const former = request.src === page.annotated.src ? page.former ?? [] : [];
  const seen = new Set([request.src]);
  const kindOf = (src) => {
    if (src === page.annotated.src) return page.marked ? "marked" : null;
    if (!isMarked) return src === page.plain.src ? null : "older";
    return src === page.plain.src || src === page.plain.older ? "unmarked" : "older marks";
  };
  return [...former.map((image) => image.src), page.plain.src, page.annotated.src, page.plain.older]
    .filter((src) => src && !seen.has(src) && seen.add(src))
    .map((src) => ({ ...request, src, kind: kindOf(src), key: keyOf({ ...request, src }) }));
}
