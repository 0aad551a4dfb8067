// Marks made on another version of a chart may lie on other music: the musician who sees them decides whether they are right. Marks whose
// music was found in this version are shown where it is now, and can be shown where they were.
import { api, mayChange } from "./api.js";
import { busily, button, h } from "./dom.js";
import { count } from "./times.js";

export const OLDER = "These marks were made on another version.";

/// Whether marks that were made on another version are shown on one of these pages of a chart; without `pages`, on any page.
export const hasOlder = (chart, pages = null) =>
  chart?.layers.some((layer) => layer.visible && layer.older.some((page) => !pages || pages.includes(page))) ?? false;

/// Which marks of a chart are shown where their music is now; null if none are.
const followedOn = ({ followed }) => (followed?.state === "moved" ? followed : null);

/// Whether something is asked on a page: it has marks of another version, or marks that moved, or a place for one that is not placed.
export function isAsked(chart, page) {
  const followed = followedOn(chart);
  const isOpen = followed && !followed.settled;
  return hasOlder(chart, [page]) || (isOpen && (followed.unplaced.some(({ to }) => to?.page === page)
    || chart.layers.some(({ visible, pages }) => visible && pages.includes(page))));
}

/// "12 marks moved with the music; 2 are not placed."
export function olderWords(chart) {
  const followed = followedOn(chart);
  if (!followed) return OLDER;
  const { moved, unplaced: { length: left } } = followed;
  const rest = left > 0 && `${moved > 0 ? left : count(left, "mark")} ${left === 1 ? "is" : "are"} not placed`;
  return `${[moved > 0 && `${count(moved, "mark")} moved with the music`, rest].filter(Boolean).join("; ")}.`;
}

/// The answers about all of a chart's older marks, the likeliest last, as `[words, act]`: `act` resolves with the agent's answer.
/// `placeMarks` opens the list of marks that are not placed.
export function answersTo({ place, chart }, placeMarks = null) {
  const { hash: of, followed } = chart;
  const [hide, right] = [["Hide them", false], ["They are right", true]].map(([words, isRight]) => [words, () => api.settleOlder(place, of, isRight)]);
  if (!followed) return [hide, right];
  const [isMoved, isOpen] = [followed.state === "moved", !followed.settled || hasOlder(chart)];
  const other = [isMoved ? "Where they were" : "With the music", () => api.showFollowed(place, of, isMoved ? "were" : "moved")];
  const all = !isMoved ? [isOpen && hide, other, isOpen && right]
    : followed.unplaced.length > 0 ? [isOpen && right, other, ["Place them", placeMarks]] : [other, isOpen && right];
  return all.filter(Boolean);
}

/// A sentence about older marks, with a button for each of these answers. `done` is called with the agent's answer.
export function askOfOlder(sentence, answers, done) {
  const trouble = h("p", { role: "alert", class: "trouble" });
  const buttons = answers.map(([words, act]) => button(words, () => busily(element, async () => {
    trouble.textContent = "";
    const answer = await act();
    if (answer) await done(answer);
  }, (error) => { trouble.textContent = error.message; })));
  const element = h("div", { class: "older" }, h("p", { text: sentence }), mayChange && h("div", { class: "row" }, buttons), trouble);
  return element;
}
