// One plan: its items in order, and what the musician needs to know before playing.
import { api, mayChange } from "./api.js";
import { readPlan } from "./books.js";
import { h, icon, redraw, say } from "./dom.js";
import { holder } from "./plan-holder.js";
import { on } from "./events.js";
import { onKey } from "./keyboard.js";
import { usePanels } from "./later.js";
import { OLDER, answersTo, askOfOlder } from "./older-marks.js";
import { KEY, comeBack, itemAddress } from "./routes.js";
import { bandOf, changesOf, doubtsOf, heldOf, readiness, sentences, sheetOfText, stateBadge, toPlans } from "./plan-parts.js";
import { firstChart, partOf, withSigns } from "./running-order.js";
import { pdfSaver } from "./save-pdf.js";
import { beginOf, clockOf, count, dayOf, daysUntil, lengthOf } from "./times.js";
import { findButton, openFinder } from "./finder.js";

const joined = (...parts) => parts.filter(Boolean).join(" · ");

const SECOND = 1000;
/// The service's name for an arrangement that has no name.
const UNNAMED = "Default Arrangement";

export class PlanView {
  element = h("div", { class: "wide" });
  #id;
  #data = null;
  #isStopped = false;
  #held = h("p", { class: "held quiet" });
  #pdf;
  #clock = h("time", { class: "clock", "aria-label": "Time now" });

  constructor(route) {
    this.#id = route.plan;
    this.#pdf = pdfSaver({ plan: route.plan });
  }

  start() {
    document.body.dataset.state = "loading";
    document.title = "Woodshed";
    // A restarted agent does not know which plan is on screen.
    const begin = () => {
      api.openPlan(this.#id);
      this.#load();
    };
    let today = new Date().getDate();
    const tick = () => {
      const now = new Date();
      this.#clock.textContent = clockOf(now);
      if (now.getDate() === today) return;
      // A new day has begun, so the dates in words have changed.
      today = now.getDate();
      if (this.#data) this.#show(this.#data);
    };
    tick();
    const ticking = setInterval(tick, SECOND);
    begin();
    return [
      () => clearInterval(ticking), () => { this.#isStopped = true; },
      on("plans", () => this.#load()), on("open", ({ again }) => again && begin()), holder.listen(() => this.#showHeld()),
      onKey("?", () => usePanels(say, (panels) => panels.openKeys())), onKey("/", () => this.#data && openFinder(this.#data, null)),
    ];
  }

  async #load() {
    try {
      await readPlan(this.#id, (data) => !this.#isStopped && this.#show(data));
    } catch (error) {
      if (this.#data || this.#isStopped) return;
      const [title, sentence] = error.status === 404 ? ["No such plan", "This plan is not here, or no longer here."]
        : ["The plan cannot be shown now", error.message];
      this.element.replaceChildren(sheetOfText(h("h1", { text: title }), h("p", { role: "alert", text: sentence }), toPlans()));
      document.body.dataset.state = "failed";
    }
  }

  #show(data) {
    const isFirst = this.#data === null;
    this.#data = data;
    holder.bring(this.#id, data);
    this.#showHeld();
    const [save] = this.#pdf;
    const isAtSave = document.activeElement === save;
    redraw(this.element, ...this.#parts(data));
    // The save button stays the same element, but loses the focus when it moves into the new view.
    if (isAtSave && save.isConnected) save.focus({ preventScroll: true });
    if (isFirst) comeBack(location.pathname);
    document.body.dataset.state = "ready";
  }

  /// Shows how much of the plan could be played without the agent.
  #showHeld() {
    const held = holder.progress;
    if (held?.plan !== this.#id || held.all === 0) return this.#held.replaceChildren();
    const { here, all, missing, isWhole } = held;
    this.#held.dataset.whole = isWhole;
    return this.#held.replaceChildren(
      "In this browser: ", isWhole ? icon("check") : "", `${here} of ${count(all, "page")}`, missing > 0 && here > 0 ? ", some charts missing" : "");
  }

  #parts({ plan, items, held, band, list, tonight, offers }) {
    const when = plan.firstTime ? dayOf(plan.firstTime) : plan.dates;
    document.title = `${when} – Woodshed`;
    const title = plan.title !== plan.serviceType ? plan.title : null;
    const first = items.map(firstChart).findIndex(Boolean);
    let number = 0;
    return [
      h("nav", { class: "trail", "aria-label": "Where you are" },
        h("a", { href: "/" }, icon("back"), "All plans"), this.#clock,
        h("div", {},
          list && mayChange && h("button", { type: "button", class: "button plain", onclick: () => usePanels(say, (panels) => panels.openSet(this.#id)) }, icon("draw"), h("span", { text: "Edit" })),
          mayChange && h("button", { type: "button", class: "button plain", onclick: () => usePanels(say, (panels) => panels.openTonight(this.#data, () => this.#load())) }, icon("note"), h("span", { text: "Tonight" })),
          findButton(() => openFinder(this.#data, null)))),
      h("header", { class: "plan-head" },
        h("div", {},
          h("p", { class: "eyebrow", text: joined(plan.firstTime ? daysUntil(plan.firstTime) : null, plan.serviceType) }),
          h("h1", { text: when }),
          h("p", { class: "plan-title", text: joined(title, beginOf(plan)) })),
        h("div", { class: "plan-how" }, readiness(plan), this.#held,
          first >= 0 && h("div", { class: "plan-go" },
            h("a", { class: "button strong", href: this.#address(items[first], firstChart(items[first])) }, icon("note"), "Start playing"),
            this.#pdf))),
      bandOf(band),
      sentences(tonight?.words && [`Tonight: ${tonight.words}`, ...tonight.gone.map((title) => `“${title}” is not in the plan any more`)], "note"),
      sentences((offers ?? []).filter(({ state }) => state !== "used").map(({ name, state, changes }) =>
        `${state === "changed" ? `${name} has changed the order for tonight that you use` : `${name} offers an order for tonight: ${count(changes, "change")}`}. It is under “Tonight”.`), "note"),
      sentences(plan.flags, "flag"),
      heldOf(plan.id, held, () => this.#load()),
      plan.doubts && doubtsOf(plan.id, null, plan.doubts, () => this.#load()),
      changesOf(plan, () => this.#load()),
      h("ol", { class: "items" }, items.map((item) => this.#item(item, item.charts.length > 0 ? ++number : null))),
    ].filter(Boolean);
  }

  #address(item, chart) { return itemAddress(this.#id, item, chart); }

  /// The plan's key, with a link to other keys if Woodshed draws the song, and the key and capo that the musician chose instead.
  #key(item, chart) {
    const own = item.view && [item.view.key !== item.key && withSigns(item.view.key), item.view.capo > 0 && `capo ${item.view.capo}`].filter(Boolean).join(", ");
    const seen = own && h("span", { class: "quiet", text: `you see ${own}` });
    const key = withSigns(item.key);
    if (!item.song || !chart || !mayChange) return [key && h("span", { class: "key", "aria-label": `in ${key}`, text: key }), seen];
    const words = key ?? "Key";
    return [h("a", { class: "key", href: `${this.#address(item, chart)}${KEY}`, "aria-label": `${words}: choose another key`, text: words }), seen];
  }

  #older(item, chart) {
    const where = item.charts.length > 1 ? `${partOf(item, chart)}: ` : "";
    const answers = answersTo({ place: { chart: chart.id, plan: this.#id, item: item.id }, chart: { hash: chart.older.of } });
    return askOfOlder(`${where}${OLDER}`, answers, () => this.#load());
  }

  #item(item, number) {
    if (item.kind === "header") return h("li", { class: "item header" }, h("h2", { text: item.title }));
    const chart = firstChart(item);
    const arrangement = item.arrangement === UNNAMED ? null : item.arrangement;
    const about = joined(arrangement, item.length ? lengthOf(item.length) : null);
    return h("li", { class: chart ? "item song" : "item" },
      h("span", { class: "number", "aria-hidden": "true", text: number ?? "" }),
      h("div", { class: "item-head" },
        h(chart ? "h2" : "h3", {}, chart ? h("a", { href: this.#address(item, chart), text: item.title }) : item.title),
        ...this.#key(item, chart),
        item.tempo && h("span", { class: "quiet tempo", text: `${item.tempo} bpm` }),
        about && h("span", { class: "quiet", text: about })),
      item.charts.length > 0 && h("ul", { class: "charts" }, item.charts.map((each) => h("li", {},
        h("a", { class: "chart", href: this.#address(item, each), title: each.name }, partOf(item, each), stateBadge(each))))),
      sentences([item.new && "New in the plan", item.added && "Added for tonight", item.remark, ...item.notes].filter(Boolean), "note"),
      item.charts.filter((each) => each.older).map((each) => this.#older(item, each)),
      item.charts.flatMap((each) => [each.reason && [{ words: `${partOf(item, each)}: ${each.reason}`, advice: each.advice }], each.flags]).map((list) => sentences(list, "flag")),
      item.charts.filter((each) => each.doubts).map((each) => doubtsOf(this.#id, each, each.doubts, () => this.#load())));
  }
}
