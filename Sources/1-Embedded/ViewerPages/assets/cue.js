// A word on the stage, for a moment: which song begins, what comes next, what a key just changed. Whoever listens to the page hears it, too.
import { h, say } from "./dom.js";

/// How long (ms) it stays.
const MOMENT = 1500;

export class Cue {
  element = h("p", { class: "cue", "aria-hidden": "true", hidden: true });
  #end = 0;
  #told = null;

  /// Shows a few words, and says them, or what is better said aloud.
  show(words, spoken = words) {
    say(spoken);
    this.element.textContent = words;
    this.element.hidden = false;
    clearTimeout(this.#end);
    this.#end = setTimeout(() => this.hide(), MOMENT);
  }

  /// Says which page is shown; where a song begins or ends, the stage shows it for a moment, unless the controls show it already.
  tellPlace({ place, chart, positions, beside }, order, { isNew, isSeen }) {
    const count = chart.order.length;
    const page = (positions[0] ?? 0) + 1;
    const spoken = isNew ? `${chart.title}, page ${page} of ${count}` : `Page ${page} of ${count}`;
    const isLast = (positions.at(-1) ?? 0) === count - 1 && !place.half;
    // A song of one page begins and ends at once.
    const ending = isLast ? endingOf(beside?.place ?? place, order) : null;
    const words = [isNew && beginningOf(place, order), isNew && beside && beginningOf(beside.place, order), ending].filter(Boolean).join("\n") || null;
    const isNews = words && !isSeen && words !== this.#told;
    this.#told = words;
    if (isNews) this.show(words, isNew ? [spoken, beside && `beside it ${beside.chart.title}`, ending].filter(Boolean).join(". ") : `${spoken}. ${words}`);
    else say(spoken);
  }

  /// Says that there is no page further on.
  tellEdge(direction, item) {
    this.show(`${direction > 0 ? "End" : "Beginning"} of ${item ? "the plan" : "the chart"}`);
  }

  hide() {
    this.element.hidden = true;
  }
}

/// What begins with an item: "3 of 9 · Amazing Grace · G". Null where it belongs to no plan.
function beginningOf(place, order) {
  const number = order?.items.findIndex((item) => item.id === place.item) ?? -1;
  if (number < 0) return null;
  const item = order.items[number];
  return [`${number + 1} of ${order.items.length}`, item.title, item.key].filter(Boolean).join(" · ");
}

/// What follows an item's last page: "Next: Be Thou My Vision · D", or that nothing does. Null where it belongs to no plan.
function endingOf(place, order) {
  const number = order?.items.findIndex((item) => item.id === place.item) ?? -1;
  if (number < 0) return null;
  const next = order.items[number + 1];
  return next ? ["Next: " + next.title, next.key].filter(Boolean).join(" · ") : "Last page of the plan";
}
