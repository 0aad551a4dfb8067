// Marks made on another version of a chart may lie on other music: the musician who sees them decides whether they are right.
import { api, mayChange } from "./api.js";
import { busily, button, h } from "./dom.js";

export const OLDER = "These marks were made on another version.";

/// Whether marks that were made on another version are shown on one of these pages of a chart; without `pages`, on any page.
export const hasOlder = (chart, pages = null) =>
  chart?.layers.some((layer) => layer.visible && layer.older.some((page) => !pages || pages.includes(page))) ?? false;

/// A sentence about marks that were made on another version of a chart, with a button for each answer: they are right on version `of` of
/// the chart, or they are to be hidden. `done` is called with the agent's answer.
export function askOfOlder(place, of, sentence, done) {
  const trouble = h("p", { role: "alert", class: "trouble" });
  const answer = (isRight) => busily(element, async () => {
    trouble.textContent = "";
    await done(await api.settleOlder(place, of, isRight));
  }, (error) => { trouble.textContent = error.message; });
  const element = h("div", { class: "older" }, h("p", { text: sentence }),
    mayChange && h("div", { class: "row" }, button("Hide them", () => answer(false)), button("They are right", () => answer(true))), trouble);
  return element;
}
