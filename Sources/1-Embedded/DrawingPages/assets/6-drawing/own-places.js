// The musician's own jumps and bookmarks in this browser, with the edits that the agent has not confirmed. The reading view uses them once
// the drawing tools have loaded; all other jumps and bookmarks come with the chart's description.
import { beginningOf, mayChange } from "./api.js";
import { newName } from "./ink-clock.js";
import { knownLayer, layerOf } from "./ink-layer.js";
import { isShownIn } from "./ink-page.js";
import { bring } from "./later.js";
import { placeAt } from "./mark-shape.js";

/// The entries of a chart's list, with this browser's own entries in place of the agent's: `valueOf` makes an entry of a mark.
function listOf(chart, all, kind, valueOf) {
  const layer = mayChange ? knownLayer(chart.id) : null;
  if (!layer) return all;
  // Until the layer has been read, only unconfirmed edits are newer than the description.
  const others = all.filter(({ id, own }) => !own || (!layer.isRead && !layer.isPending(id)));
  const marks = chart.pages.flatMap(({ index }) => layer.marksOn(index)).filter((mark) => mark.kind === kind && isShownIn(chart, mark));
  return [...others, ...marks.filter(({ id }) => !others.some((each) => each.id === id)).map((mark) => valueOf(mark, layer)).filter(Boolean)];
}

/// A jump; null if its landing is missing.
function jumpOf({ id, page, points: [[x, y]], leads, pass }, layer) {
  const landing = layer.mark(leads);
  return landing && { id, page, x, y, pass, own: true, to: { page: landing.page, x: landing.points[0][0], y: landing.points[0][1] } };
}

const bookmarkOf = ({ id, page, points, text }) => ({ id, title: text, level: 0, page, y: points[0][1], own: true });

bring("own-places", {
  jumps: (chart) => listOf(chart, chart.jumps ?? [], "jump", jumpOf),
  bookmarks: (chart) => listOf(chart, chart.bookmarks ?? [], "bookmark", bookmarkOf),
  add(chart, page, y, text) {
    const [on, now] = [beginningOf(chart), new Date().toISOString()];
    const mark = { id: newName(), page, kind: "bookmark", points: [placeAt(0, y)], text, on, created_at: now };
    layerOf(chart.id).edit([[mark.id, mark]]);
  },
  /// Deletes a mark, and returns whether it is deleted. An unread mark is read first, or its deletion would count as older than the mark.
  async remove(chart, id) {
    const layer = layerOf(chart.id);
    if (!layer.isRead && !layer.isPending(id)) await layer.read();
    if (!layer.mark(id)) return layer.isRead;
    layer.edit([[id, null]]);
    return true;
  },
});
