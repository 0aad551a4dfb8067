// Text over the music for a moment: which song begins, what comes next, what a key just changed.
import { h, plain, say } from "./dom.js";
import { firstChart, keyAndTempo } from "./running-order.js";

const MOMENT = 1500;

export class Cue {
  /// Finds white of this width and height, as `{top, aside}` in CSS pixels from the top and the middle of the screen; null if there is none.
  #whiteFor;
  element = h("p", { class: "cue", "aria-hidden": "true", hidden: true });
  #end = 0;
  #place = null;
  #spokenPage = "";

  constructor(whiteFor) { this.#whiteFor = whiteFor; }

  /// Shows a few words, and has a screen reader speak them, or the wording `spoken`. If the page has no white for them, not
  /// even small, they stand at the lower edge; if they are about a song (`isOfSong`), at the upper edge: over its title, or far from its
  /// last notes.
  show(words, spoken = words, isOfSong = false, moment = MOMENT) {
    say(spoken);
    const { element } = this;
    element.textContent = plain(words);
    element.hidden = false;
    // What follows a song's title is shortened rather than wrapped: a third line would be cut.
    element.style.whiteSpace = words.includes("\n") ? "pre" : "";
    let white = null;
    for (const size of ["", "0.8rem"]) {
      if (white) break;
      element.style.fontSize = size;
      white = this.#whiteFor(element.offsetWidth, element.offsetHeight);
    }
    element.style.translate = `${white?.aside ?? 0}px`;
    element.style.top = white ? `${white.top}px` : isOfSong ? "0" : "";
    element.style.bottom = white || isOfSong ? "auto" : "";
    clearTimeout(this.#end);
    this.#end = setTimeout(() => { this.element.hidden = true; }, moment);
  }

  /// Shows a whole sentence, for long enough to read it.
  say(words) { this.show(words, words, false, 4 * MOMENT); }

  /// On another part of the page, the words would lie over music.
  hide() { this.element.hidden = true; }

  /// Announces the page. Where a song begins or ends, the stage shows this for a moment, unless the controls show it already.
  showPlace({ place, chart, positions, beside }, order, { isNew, isSeen }) {
    const count = chart.order.length;
    const page = (positions[0] ?? 0) + 1;
    const spoken = isNew ? `${chart.title}, page ${page} of ${count}` : `Page ${page} of ${count}`;
    const isLast = (positions.at(-1) ?? 0) === count - 1 && !place.half;
    // A song of one page has its beginning and its end on that page.
    const ending = isLast ? endingOf(beside?.place ?? place, order) : null;
    const beginnings = isNew ? [beginningOf(place, chart, order), beside && beginningOf(beside.place, beside.chart, order)].filter(Boolean).join(" + ") : "";
    // A remark for tonight stays for long enough to be read, in place of what comes next, which the controls do not show.
    const remark = isNew ? order?.item(place.item)?.remark : null;
    const words = [beginnings, remark ?? ending].filter(Boolean).join("\n");
    const isNews = words && (!isSeen || remark) && words !== this.#place;
    this.#place = words;
    // A page redrawn with new marks is not announced again, even if the first time it was announced as the start of a song.
    const spokenPage = `${chart.id} ${page}`;
    const isSaid = !isNew && spokenPage === this.#spokenPage;
    this.#spokenPage = spokenPage;
    if (!isNews) isSaid || say(spoken);
    else if (!isNew) this.show(words, `${spoken}. ${words}`, true);
    else this.show(words, [spoken, beside && `beside it ${beside.chart.title}`, remark, ending].filter(Boolean).join(". "), true, remark ? 4 * MOMENT : MOMENT);
  }

  showEdge(direction, item) {
    this.show(`${direction > 0 ? "End" : "Beginning"} of ${item ? "the plan" : "the chart"}`);
  }
}

/// What is said of a song outside the plan that is being played; otherwise null.
export const guestWords = ({ item }, order) => (order && !item ? "Not in this plan · ] leads back" : null);

/// The announcement of an item: "3 of 9 · Amazing Grace · G · 84 bpm". Null without a plan.
function beginningOf(place, chart, order) {
  const number = order?.numberOf(place.item) ?? 0;
  const item = order?.items[number - 1];
  return item ? [`${number} of ${order.items.length}`, item.title, keyAndTempo(item, chart)].filter(Boolean).join(" · ") : guestWords(place, order);
}

/// The announcement on an item's last page: "Next: Be Thou My Vision · D · 96 bpm", or that it is the last. Null outside a plan.
function endingOf(place, order) {
  const number = order?.numberOf(place.item) ?? 0;
  const next = order?.items[number];
  if (number === 0) return null;
  return next ? [`Next: ${next.title}`, keyAndTempo(next, firstChart(next))].filter(Boolean).join(" · ") : "Last page of the plan";
}
