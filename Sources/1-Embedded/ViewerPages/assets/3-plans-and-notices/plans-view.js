// The upcoming plans: which is next, whether it is complete, and how it changed.
import { api, mayChange, needsToken } from "./api.js";
import { showStatus } from "./banner.js";
import { button, h, icon, redraw, say } from "./dom.js";
import { on } from "./events.js";
import { findButton, openFinder } from "./finder.js";
import { onKey } from "./keyboard.js";
import { usePanels } from "./later.js";
import { comeBack, itemAddress, planAddress } from "./routes.js";
import { firstChart } from "./running-order.js";
import { readPlan, readState } from "./books.js";
import { settings } from "./settings.js";
import { changesOf, readiness, sentences, sheetOfText } from "./plan-parts.js";
import { ago, beginOf, count, dayOf, daysUntil, since } from "./times.js";

/// How often (ms) durations are updated.
const MINUTE = 60_000;
const THEMES = { system: "System theme", light: "Light theme", dark: "Dark theme" };

/// A button to sign a tablet in. Only the agent's own computer has it, since a tablet cannot let in others.
function tabletButton() {
  if (needsToken) return null;
  return h("button", { type: "button", class: "button plain", onclick: () => usePanels(say, (panels) => panels.openPairing()) }, icon("tablet"), h("span", { text: "Bring in a tablet" }));
}

/// A button to make a set, hidden until the agent is known to have a folder for it.
const setButton = () =>
  h("button", { type: "button", class: "button plain", hidden: true, onclick: () => usePanels(say, (panels) => panels.openSet()) }, icon("draw"), h("span", { text: "New set" }));

/// The signed-in browsers of the network, each with a button to sign it out; a tablet's list has only itself.
function browsersOf(browsers, done) {
  if (!browsers) return null;
  const row = ({ id, name, since: came }) => {
    const trouble = h("span", { role: "alert", class: "trouble" });
    const end = button("Sign out", () => api.endBrowser(id).then(done, (error) => { trouble.textContent = error.message; }), "plain");
    return h("li", { "data-browser": id }, h("span", { text: `${needsToken ? "This browser" : name}, since ${since(came)}` }), end, trouble);
  };
  const summary = needsToken ? "Signed in" : `${count(browsers.length, "browser")} on the network signed in`;
  return h("details", { class: "changes", "data-name": "browsers" }, h("summary", { text: summary }), h("ul", {}, browsers.map(row)));
}

export class PlansView {
  element = h("div", { class: "wide" });
  #synced = h("p", { class: "quiet" });
  #list = h("div", { class: "plans" });
  #state = null;
  #isStopped = false;
  /// The day of the month when the cards were drawn.
  #day = 0;
  #make = setButton();
  #start = h("a", { class: "button strong", hidden: true }, icon("note"), "Start playing");

  start() {
    document.title = "Woodshed";
    document.body.dataset.state = "loading";
    this.element.append(
      h("header", { class: "masthead" },
        h("img", { src: document.querySelector("link[rel=icon]").href, alt: "", class: "logo", width: 44, height: 44 }),
        h("div", {}, h("h1", { text: "Woodshed" }), this.#synced),
        h("div", { class: "tools" }, findButton(() => openFinder(null, null)), this.#make, this.#themeButton(), tabletButton(), this.#syncButton())),
      this.#list);
    const ageing = setInterval(() => this.#age(), MINUTE);
    this.#load();
    return [
      on("plans", () => this.#load()), on("status", () => this.#load()), on("open", ({ again }) => again && this.#load()),
      settings.listen((name) => name === "theme" && this.#nameTheme()), () => clearInterval(ageing),
      onKey("/", () => openFinder(null, null)), () => { this.#isStopped = true; },
    ];
  }

  async #load() {
    try {
      await readState((state) => !this.#isStopped && this.#show(state));
    } catch (error) {
      if (this.#isStopped) return;
      // Keep the list on screen, since the failure has not made it any older.
      if (!this.#state) this.#list.replaceChildren(h("p", { class: "notice", role: "alert", text: error.message }));
      document.body.dataset.state = this.#state ? "ready" : "failed";
    }
  }

  #show(state) {
    const isFirst = this.#state === null;
    this.#state = state;
    showStatus(state);
    this.#make.hidden = !state.sets || !mayChange;
    this.#day = this.#now.getDate();
    this.#age();
    redraw(this.#list, ...this.#cards(state), browsersOf(state.browsers, () => this.#load()) ?? "");
    this.#offerToStart(state.plans[0]);
    if (isFirst) comeBack("/");
    document.body.dataset.state = "ready";
  }

  /// The time by the agent's clock, which is read only with the list of plans.
  get #now() { return new Date(Date.now() + this.#state.ahead); }

  #age() {
    if (!this.#state) return;
    const { lastPoll, ownSets } = this.#state;
    const [read, unread] = ownSets ? ["Your folders were read", "Your folders have not been read yet"] : ["Last synced", "Not synced yet"];
    if (this.#now.getDate() !== this.#day) this.#load();
    this.#synced.textContent = lastPoll ? `${read} ${ago(lastPoll, this.#now)}` : unread;
  }

  /// Gives the first card a button that leads to the music in one tap.
  async #offerToStart(next) {
    let data = null;
    if (next) await readPlan(next.id, (plan) => { data = plan; }).catch(() => null);
    const item = data?.items.find((each) => firstChart(each));
    this.#start.hidden = !item;
    if (item) this.#start.href = itemAddress(next.id, item, firstChart(item));
  }

  #cards(state) {
    const [next, ...later] = state.plans;
    if (!next) {
      return [sheetOfText(
        h("h2", { text: "No upcoming plans" }),
        h("p", { text: state.ownSets
          ? "A folder or a text file in your folders that is named after a date, as in 2026-11-29, appears here automatically."
          : "As soon as you are scheduled, the plan and its charts appear here automatically." }))];
    }
    return [
      this.#card(next, "Next"),
      later.length > 0 && h("h2", { class: "rule", text: "Later" }),
      later.length > 0 && h("div", { class: "later" }, later.map((plan) => this.#card(plan, null))),
    ].filter(Boolean);
  }

  #card(plan, eyebrow) {
    const when = plan.firstTime ? dayOf(plan.firstTime) : plan.dates;
    const soon = plan.firstTime ? daysUntil(plan.firstTime, this.#now) : "";
    const titles = [...new Set([plan.title, plan.serviceType, beginOf(plan)])].filter(Boolean);
    return h("article", { class: eyebrow ? "plan-card next" : "plan-card", "data-card": plan.id },
      h("div", { class: "plan-what" },
        h("p", { class: "eyebrow", text: [eyebrow, soon].filter(Boolean).join(" · ") }),
        h(eyebrow ? "h2" : "h3", {}, h("a", { href: planAddress(plan.id), "data-plan": plan.id, text: when })),
        h("p", { class: "plan-title", text: titles.join(" · ") })),
      h("div", { class: "plan-how" },
        readiness(plan),
        plan.pinned && h("p", { class: "quiet pinned" }, icon("pin"), "pinned"),
        eyebrow && this.#start),
      sentences(plan.flags, "flag"),
      changesOf(plan, () => this.#load()));
  }

  #syncButton() {
    if (!mayChange) return null;
    const check = async () => {
      // Do not disable the button: it would lose the keyboard focus.
      if (button.getAttribute("aria-disabled") === "true") return;
      button.setAttribute("aria-disabled", "true");
      try {
        await api.sync();
        say(`Checking ${this.#state?.ownSets ? "your folders" : "the service"} for changes.`);
        await this.#load();
      } catch (error) {
        this.#synced.textContent = error.message;
      }
      button.setAttribute("aria-disabled", "false");
    };
    const button = h("button", { type: "button", class: "button plain", onclick: check }, icon("sync"), h("span", { text: "Check for changes" }));
    return button;
  }

  #themeName = h("span");

  #themeButton() {
    const order = Object.keys(THEMES);
    this.#nameTheme();
    return h("button", {
      type: "button", class: "button plain",
      onclick: () => settings.set("theme", order[(order.indexOf(settings.get("theme")) + 1) % order.length]),
    }, icon("night"), this.#themeName);
  }

  #nameTheme() { this.#themeName.textContent = THEMES[settings.get("theme")] ?? THEMES.system; }
}
