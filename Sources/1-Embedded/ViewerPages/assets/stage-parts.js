// What goes on the stage: pages that are ready, and cards in place of those that are not.
import { FORMER, failedCardFor } from "./page-cards.js";
import { isDarkened } from "./night.js";
import { settings } from "./settings.js";

/// The parts of a sheet: of what was found for the requests `wanted`, with null where nothing was. `acts` are what a card may offer.
export function partsOf(wanted, found, store, failure, acts) {
  return found.map((request, i) => {
    const entry = request && store.ready(request);
    if (!entry) return failedCardFor(wanted[i], failure, acts);
    const isDark = isDarkened(request.chart.id, request.page, entry.isPicture);
    return { element: entry.canvas, label: request.label, size: request.size, isDark, isColoured: entry.isColoured, isDimmed: settings.get("night") && !isDark };
  });
}

/// Names in the document what is shown, for styles and for whoever looks from outside.
export function nameShown({ place, chart, positions }, state) {
  const { dataset } = document.body;
  dataset.chart = chart?.id ?? place.chart;
  dataset.page = chart?.order[positions[0]] ?? "";
  dataset.position = positions[0] ?? "";
  dataset.half = place.half ?? "";
  dataset.state = state;
}

/// The window's title.
export function titleOf({ chart, positions, beside }) {
  if (!chart) return "Woodshed";
  const where = beside ? ` + ${beside.chart.title}` : ` · ${(positions[0] ?? 0) + 1}/${chart.order.length}`;
  return `${chart.title}${where} – Woodshed`;
}

/// Why pages were not available, if so: the agent's status, its reason, and whether trying again is pointless.
export function failureOf(outcomes, isReplaced) {
  const failed = outcomes.find((entry) => entry?.state === "failed");
  if (!failed) return null;
  if (failed.status === 410 && isReplaced) return { status: 410, reason: FORMER, isFinal: true };
  return { status: failed.status, reason: failed.reason, isFinal: [401, 403].includes(failed.status) };
}
