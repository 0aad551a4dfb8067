// What the list of plans and a plan's own page have in common.
import { api } from "./api.js";
import { h, icon } from "./dom.js";
import { count } from "./times.js";

const names = { ready: "Everything is here", partly: "Partly here", missing: "Not here yet" };
const icons = { ready: "check", partly: "partly", missing: "missing", unreadable: "missing" };

/// How much of a plan is here, as a sentence and a bar.
export function readiness(plan) {
  if (plan.charts === 0) {
    return h("div", { class: "readiness", "data-ready": "none" }, h("p", { text: "No charts in this plan" }));
  }
  // Charts that cannot be opened have no pages that could be missing.
  const isOfCharts = plan.pagesReady >= plan.pages;
  const [here, all] = isOfCharts ? [plan.chartsReady, plan.charts] : [plan.pagesReady, plan.pages];
  const things = isOfCharts ? `${count(all, "chart")} ready` : `${count(all, "page")} here`;
  const sentence = plan.ready === "ready" ? names.ready : here >= all ? "Here, but not ready" : `${here} of ${things}`;
  const bar = here < all && h("progress", { max: all, value: here, "aria-label": isOfCharts ? "Charts ready" : "Pages here" });
  return h("div", { class: "readiness", "data-ready": plan.ready },
    h("p", {}, icon(icons[plan.ready] ?? "partly"), h("span", { text: sentence })),
    plan.ready !== "ready" && bar);
}

/// A chart's state as a small badge; a chart that is completely here needs none.
export function stateBadge(chart) {
  if (chart.state === "ready") return null;
  const words = { partly: "partly here", missing: "not here", unreadable: "cannot be read" };
  return h("span", { class: "badge", "data-ready": chart.state }, icon(icons[chart.state] ?? "partly"), words[chart.state] ?? chart.state);
}

/// Sentences with an icon each; null if there are none.
export function sentences(list, name) {
  if (!list || list.length === 0) return null;
  return h("ul", { class: `sentences ${name}` }, list.map((text) => h("li", {}, icon(name), h("span", { text }))));
}

/// How many changes are shown at first: a new plan comes with all of its marks, but its songs are what people look for.
const FEW = 4;

/// What changed since the musician last said "seen"; a single line to unfold where people look for something else.
export function changesOf(plan, done, { isFolded = false } = {}) {
  const { changes } = plan;
  if (changes.length === 0) return null;
  if (isFolded) {
    return h("details", { class: "changes" },
      h("summary", { text: `${count(changes.length, "change")} since you last looked` }), listOf(changes), seenButton(plan, done));
  }
  // A line that says "1 more" would take as much room as that change.
  const shown = changes.length > FEW + 1 ? FEW : changes.length;
  return h("section", { class: "changes", "aria-label": "Changed since you last looked" },
    h("h3", { text: "Changed since you last looked" }),
    listOf(changes.slice(0, shown)),
    shown < changes.length && h("details", {},
      h("summary", { text: `${changes.length - shown} more` }), listOf(changes.slice(shown))),
    seenButton(plan, done));
}

const seenButton = (plan, done) => h("button", {
  type: "button", class: "button small",
  onclick: async () => {
    await api.seen(plan.id);
    done();
  },
}, icon("check"), "Seen");

const listOf = (sentences) => h("ul", {}, sentences.map((text) => h("li", { text })));
