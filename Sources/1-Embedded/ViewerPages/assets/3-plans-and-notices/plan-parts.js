// Shared by the list of plans and a plan's own page.
import { api, mayChange } from "./api.js";
import { busily, h, icon } from "./dom.js";
import { count } from "./times.js";

const icons = { ready: "check", partly: "partly", missing: "missing", unreadable: "missing" };

/// How much of a plan is here, as a sentence and a bar.
export function readiness(plan) {
  if (plan.charts === 0) return h("div", { class: "readiness", "data-ready": "none" }, h("p", { text: "No charts in this plan" }));
  // Charts that cannot be opened have no pages that could be missing.
  const isOfCharts = plan.pagesReady >= plan.pages;
  const [here, all] = isOfCharts ? [plan.chartsReady, plan.charts] : [plan.pagesReady, plan.pages];
  const things = isOfCharts ? `${count(all, "chart")} ready` : `${count(all, "page")} here`;
  const sentence = plan.ready === "ready" ? "Everything is here" : here >= all ? "Here, but not ready" : `${here} of ${things}`;
  const bar = here < all && h("progress", { max: all, value: here, "aria-label": isOfCharts ? "Charts ready" : "Pages here" });
  return h("div", { class: "readiness", "data-ready": plan.ready },
    h("p", {}, icon(icons[plan.ready] ?? "partly"), h("span", { text: sentence })),
    plan.ready !== "ready" && bar);
}

/// A chart's state as a small badge; a chart that is completely here needs none.
export function stateBadge({ state }) {
  if (state === "ready") return null;
  const words = { partly: "partly here", missing: "not here", unreadable: "cannot be read" };
  return h("span", { class: "badge", "data-ready": state }, icon(icons[state] ?? "partly"), words[state] ?? state);
}

/// Sentences under an icon's name. An entry may be `{words, advice}`: the advice, which may be a command, is folded away from musicians.
export function sentences(list, name) {
  if (!list || list.length === 0) return null;
  const how = (advice) => mayChange && advice
    && h("details", { class: "how" }, h("summary", { text: "For whoever looks after this laptop" }), h("p", { text: advice }));
  return h("ul", { class: `sentences ${name}` }, list.map((each) => h("li", {}, icon(name), h("div", {}, each.words ?? each, how(each.advice)))));
}

/// How ready each musician of the band is, if there is a band.
export function bandOf(band) {
  if (!band) return null;
  return h("p", { class: "band" }, band.flatMap(({ state, words }) => [h("span", { "data-band": state, text: words }), " "]));
}

/// The changes since the musician last pressed "Seen", folded into one line: people come here to look for their songs.
export function changesOf({ id, changes }, done) {
  if (changes.length === 0) return null;
  const seen = () => api.seen(id).then(done);
  return h("details", { class: "changes", "data-name": "changes" },
    h("summary", { text: `${count(changes.length, "change")} since you last looked` }),
    h("ul", {}, changes.map((text) => h("li", { text }))),
    mayChange && h("button", { type: "button", class: "button", onclick: seen }, icon("check"), "Seen"));
}

/// How the version of a plan that is held back differs: in the number of charts, or else in the charts themselves.
function differenceOf({ charts, chartsKept, gone, new: fresh }) {
  if (charts !== chartsKept) return `with ${count(charts, "chart")} instead of ${chartsKept}`;
  if (gone.length + fresh.length === 0) return "otherwise, with the same charts";
  return gone.length === 0 ? `with ${fresh.join(", ")} as well` : `${fresh.length > 0 ? `with ${fresh.join(", ")} instead of` : "without"} ${gone.join(", ")}`;
}

/// The new version of a plan, if the agent doubts it: what differs, and a button that accepts this version.
export function heldOf(id, held, done) {
  if (!held) return null;
  const { owner } = held;
  return h("details", { class: "changes", "data-name": "held" },
    h("summary", { text: `${owner[0].toUpperCase()}${owner.slice(1)} has this plan ${differenceOf(held)}` }),
    held.charts !== held.chartsKept && held.gone.length > 0 && h("p", { text: `Not in it any more: ${held.gone.join(", ")}` }),
    h("ul", {}, held.items.map(({ title, charts }) => h("li", { text: [title, charts.join(", ")].filter(Boolean).join(": ") }))),
    ...acceptor("Use it like that", () => api.accept(id, held.of), done));
}

/// The doubts about a plan or one of its charts, and a button that accepts it as it is.
export function doubtsOf(plan, chart, { of, sentences: list }, done) {
  return h("details", { class: "changes", "data-name": `doubts ${chart?.id ?? ""}` },
    h("summary", { text: `Is ${chart ? `“${chart.name}”` : "this plan"} right as it is?` }),
    h("ul", {}, list.map((text) => h("li", { text }))),
    ...acceptor("Accept it as it is", () => api.accept(plan, of, chart?.id), done));
}

/// A button that accepts something, and a line for its failure.
function acceptor(words, accept, done) {
  const trouble = h("p", { role: "alert", class: "trouble" });
  const use = () => busily(useButton, () => accept().then(done), async (error) => {
    trouble.textContent = error.message;
    if (error.status === 410) await done();
  });
  const useButton = h("button", { type: "button", class: "button", onclick: use }, icon("check"), words);
  return [mayChange && useButton, trouble];
}

/// A page with a few words, and a link that leads away from it.
export const sheetOfText = (...children) => h("div", { class: "sheet-of-text" }, ...children);
export const toPlans = () => h("p", {}, h("a", { class: "button", href: "/", text: "Go to the plans" }));
