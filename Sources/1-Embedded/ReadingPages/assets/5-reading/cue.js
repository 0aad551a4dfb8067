// Words that are over the music for a moment: which song begins, what comes next, what a key just changed.
import { h, plain, say } from "./dom.js";
import { keyAndTempo } from "./running-order.js";

const MOMENT = 1500;

export class Cue {
  /// Where on the screen (CSS pixels from its top) there is white of this height; null if there is none.
  #whiteFor;
  element = h("p", { class: "cue", "aria-hidden": "true", hidden: true });
  #end = 0;
  #place = null;
  #spokenPage = "";

  constructor(whiteFor) { this.#whiteFor = whiteFor; }

  /// Shows a few words, and has a screen reader speak them, or a better wording. Where the page has no white for them, they stand at the
  /// lower edge, and at the end of a song, which is played down there, at the upper one.
  show(words, spoken = words, isEnd = false) {
    say(spoken);
    const { element } = this;
    element.textContent = plain(words);
    element.hidden = false;
    const white = this.#whiteFor(element.offsetHeight);
    element.style.top = white === null ? (isEnd ? "0" : "") : `${white}px`;
    element.style.bottom = white === null && !isEnd ? "" : "auto";
    clearTimeout(this.#end);
    this.#end = setTimeout(() => { this.element.hidden = true; }, MOMENT);
  }

  /// Says which page is shown; where a song begins or ends, the stage shows it for a moment, unless the controls show it already.
  showPlace({ place, chart, positions, beside }, order, { isNew, isSeen }) {
    const count = chart.order.length;
    const page = (positions[0] ?? 0) + 1;
    const spoken = isNew ? `${chart.title}, page ${page} of ${count}` : `Page ${page} of ${count}`;
    const isLast = (positions.at(-1) ?? 0) === count - 1 && !place.half;
    // A song of one page begins and ends at once.
    const ending = isLast ? endingOf(beside?.place ?? place, order) : null;
    const beginnings = isNew ? [beginningOf(place, order), beside && beginningOf(beside.place, order)].filter(Boolean).join(" + ") : "";
    const words = [beginnings, ending].filter(Boolean).join("\n");
    const isNews = words && !isSeen && words !== this.#place;
    this.#place = words;
    // A page that is drawn again with new marks is not announced again, even if it began a song the first time.
    const spokenPage = `${chart.id} ${page}`;
    const isSaid = !isNew && spokenPage === this.#spokenPage;
    this.#spokenPage = spokenPage;
    if (!isNews) isSaid || say(spoken);
    else if (!isNew) this.show(words, `${spoken}. ${words}`, true);
    else this.show(words, [spoken, beside && `beside it ${beside.chart.title}`, ending].filter(Boolean).join(". "));
  }

  showEdge(direction, item) {
    this.show(`${direction > 0 ? "End" : "Beginning"} of ${item ? "the plan" : "the chart"}`);
  }
}

/// How an item is announced when it begins: "3 of 9 · Amazing Grace · G · 84 bpm". Null if it belongs to no plan.
function beginningOf(place, order) {
  const number = order?.numberOf(place.item) ?? 0;
  const item = order?.items[number - 1];
  return item ? [`${number} of ${order.items.length}`, item.title, keyAndTempo(item)].filter(Boolean).join(" · ") : null;
}

/// What follows an item's last page: "Next: Be Thou My Vision · D · 96 bpm", or that nothing does. Null if it belongs to no plan.
function endingOf(place, order) {
  const number = order?.numberOf(place.item) ?? 0;
  const next = order?.items[number];
  if (number === 0) return null;
  return next ? [`Next: ${next.title}`, keyAndTempo(next)].filter(Boolean).join(" · ") : "Last page of the plan";
}
