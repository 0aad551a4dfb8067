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

/// What changed since the musician last said "seen": a line to unfold, since people look for their songs.
export function changesOf(plan, done) {
  const { changes } = plan;
  if (changes.length === 0) return null;
  return h("details", { class: "changes" },
    h("summary", { text: `${count(changes.length, "change")} since you last looked` }),
    h("ul", {}, changes.map((text) => h("li", { text }))), seenButton(plan, done));
}

const seenButton = (plan, done) => h("button", {
  type: "button", class: "button",
  onclick: async () => {
    await api.seen(plan.id);
    done();
  },
}, icon("check"), "Seen");
