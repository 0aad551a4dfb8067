// Changes a plan for one evening. Each change is kept at once: what the service changes meanwhile then still arrives, and nothing waits
// in a panel that a tap beside it closes.
import { api } from "./api.js";
import { busily, button, h, openPanel } from "./dom.js";
import { openFinder } from "./finder.js";
import { firstChart, partOf, withSigns } from "./running-order.js";
import { count } from "./times.js";

/// A plan's items in tonight's order, with those that are left out.
const rowsOf = ({ items, tonight }) => tonight?.rows ?? items;

class TonightPanel {
  #data;
  #done;
  /// The keys that songs can have, by a chart of theirs in its item: promises of their names, which the agent sends with the chart.
  #keys = new Map();
  #changes = Promise.resolve();
  #body = h("div", {});
  #said = h("p", { role: "status", class: "quiet" });
  #trouble = h("p", { role: "alert", class: "trouble" });

  constructor(data, done) {
    [this.#data, this.#done] = [data, done];
    openPanel("Tonight", "set", this.#body, this.#said, this.#trouble);
    this.#fill();
  }

  /// Shows tonight's set. The focus stays on its control, or at least at its item.
  #fill() {
    const active = this.#body.contains(document.activeElement) ? document.activeElement : null;
    // Somebody is typing. The panel is filled when that change is sent.
    if (active?.type === "text" && active.value !== active.defaultValue) return;
    const { row: at, does } = active?.dataset ?? {};
    const rows = rowsOf(this.#data);
    const { words, gone = [], unreadable = false } = this.#data.tonight ?? {};
    this.#body.replaceChildren(
      h("p", { class: "quiet", text: words ? `Tonight differs from the plan: ${words}.` : "Tonight is as the plan has it." }),
      ...(unreadable ? [h("p", { role: "note", text: "What was changed for tonight cannot be read. The first change that you make here replaces it." })] : []),
      ...gone.map((title) => h("p", { role: "note", text: `“${title}” is not in the plan any more.` })),
      h("ol", { class: "set-lines" }, rows.map((row, at) => this.#rowOf(row, at, rows))),
      ...(this.#data.offers ?? []).map((offer) => this.#offerOf(offer, words)),
      h("div", { class: "row by-hand" },
        button("Add a song…", () => this.#find({ act: "add", after: rows.at(-1)?.id ?? null })),
        words && button("As the plan has it", (event) => this.change({ act: "asPlanned" }, "Tonight is as the plan has it again", event.target), "plain"),
        this.#data.offers && words && this.#offering(this.#data.tonight)));
    if (!at) return;
    const controls = [...this.#body.querySelectorAll("[data-row]")].filter((each) => each.dataset.row === at);
    (controls.find((each) => each.dataset.does === does) ?? controls[0] ?? this.#body.querySelector("button")).focus();
  }

  /// Sends a change after those before it, and shows what comes of it. If another window changed the set meanwhile, shows that instead.
  change(wanted, words, element) {
    this.#changes = this.#changes.then(() => this.#change(wanted, words, element));
    return this.#changes;
  }

  async #change(wanted, words, element) {
    this.#trouble.textContent = "";
    await busily(element ?? this.#body, async () => { this.#data = await api.tonight({ plan: this.#data.plan.id, number: this.#data.tonight?.number ?? 0, ...wanted }); },
      async (error) => {
        this.#trouble.textContent = error.message;
        // What somebody offers is used in several steps, the first of which may have been taken.
        if (![409, 410].includes(error.status) && wanted.act !== "use") return;
        this.#data = await api.plan(this.#data.plan.id).catch(() => this.#data);
        this.#fill();
      });
    if (this.#trouble.textContent) return;
    this.#said.textContent = words;
    this.#fill();
    this.#done();
  }

  /// Looks for a chart in all plans, and then comes back here with the change.
  #find(wanted) {
    const chosen = ({ chart, page }, item) => Object.assign(wanted, { chart, ...(page && { page: page - 1, title: item.title }) });
    const finder = openFinder(null, null, { chosen });
    finder.addEventListener("close", async () => {
      const again = new TonightPanel(this.#data, this.#done);
      if (wanted.chart) await again.change(wanted, "It is in tonight’s set", null);
    });
  }

  /// Offers this set to the band, or no longer.
  #offering({ offered }) {
    return offered
      ? button("Do not offer it any more", ({ target }) => this.change({ act: "withdraw" }, "The band is not offered this order any more", target), "plain")
      : button("Offer it to the band", ({ target }) => this.change({ act: "offer" }, "The others are offered this order, with all that you still change", target), "plain");
  }

  /// What somebody in the band offers, and how it differs from the plan.
  #offerOf({ from, name, tag, state, changes, words, items, lacks }, own) {
    const use = () => this.change({ act: "use", from, tag }, `Tonight is as ${name} has it`, null);
    return h("details", { class: "changes", "data-name": `offer-${from}`, open: state !== "used" },
      h("summary", { text: `${name}’s order for tonight: ${count(changes, "change")}${state === "used" ? ", as it is here" : ""}` }),
      state === "changed" && h("p", { role: "note", text: `${name} has changed it since you used it.` }),
      h("p", { class: "quiet", text: `It differs from the plan: ${words}.` }),
      h("ul", {}, items.map((text) => h("li", { text }))),
      lacks.length > 0 && h("p", { role: "note", text: `Not here as ${name} has it: ${lacks.map((title) => `“${title}”`).join(", ")}.` }),
      state !== "used" && button(own ? "Use it in place of your changes" : "Use it", use));
  }

  #rowOf(row, at, rows) {
    const does = (words, sign, wanted, after, kind = "plain") => {
      const element = button(sign, () => this.change({ item: row.id, ...wanted }, after, element), kind);
      element.setAttribute("aria-label", words);
      Object.assign(element.dataset, { row: row.id, does: sign });
      return element;
    };
    const { title } = row;
    const about = [row.added && "added", row.new && "new in the plan", row.leftOut && "left out", row.moved && !row.added && "moved", row.other && "another chart"]
      .filter(Boolean).join(", ");
    return h("li", {},
      h("span", { class: "set-title" }, row.leftOut ? h("s", { text: title }) : title, about && h("span", { class: "quiet", text: ` ${about}` })),
      h("span", {},
        at > 0 && does(`Move ${title} up`, "↑", { act: "move", after: rows[at - 2]?.id ?? null }, `${title} is ${at} of ${rows.length}`),
        at < rows.length - 1 && does(`Move ${title} down`, "↓", { act: "move", after: rows[at + 1].id }, `${title} is ${at + 2} of ${rows.length}`),
        row.leftOut ? does(`Put ${title} back`, "+", { act: "putBack" }, `${title} is back`)
          : does(`Leave ${title} out`, "×", { act: "leaveOut" }, `${title} is left out`)),
      !row.leftOut && row.kind !== "header" && h("span", { class: "set-how" }, this.#partOfRow(row), this.#keyOfRow(row), this.#remarkOfRow(row)));
  }

  #itemOf({ id }) { return this.#data.items.find((item) => item.id === id); }

  #select(row, name, options, current, act) {
    return h("select", {
      "aria-label": `${name} of ${row.title}`, "data-row": row.id, "data-does": name, onchange: ({ target }) => act(target),
    }, options.map(([value, text]) => h("option", { value, text, selected: value === current })));
  }

  #partOfRow(row) {
    const item = this.#itemOf(row);
    if (!item) return null;
    const own = row.other ? [["own", "The plan’s chart"], ["", "Another chart"]]
      : [["", item.charts.length > 1 ? "All charts" : "The plan’s chart"], ...(item.charts.length > 1 ? item.charts.map((chart) => [chart.id, partOf(item, chart)]) : [])];
    return this.#select(row, "Chart", [...own, ["find", "Find another…"]], "", (target) => {
      if (target.value === "find") this.#find({ act: "show", item: row.id });
      else if (target.value) this.change({ act: "show", item: row.id, chart: target.value === "own" ? null : target.value }, `Another chart of ${row.title}`, target);
    });
  }

  #keyOfRow(row) {
    const item = this.#itemOf(row);
    if (!item?.song) return null;
    const current = row.otherKey ? item.view?.key ?? "" : "";
    const select = this.#select(row, "Key", [["", `${withSigns(item.key) ?? "Key"} (plan)`], ...(current ? [[current, withSigns(current)]] : [])], current,
      (target) => this.change({ act: "read", item: row.id, key: target.value || null }, `${row.title} in another key`, target));
    this.#keysOf(item).then((keys) => select.append(...keys.filter((key) => key !== current).map((key) => h("option", { value: key, text: withSigns(key) }))));
    return select;
  }

  #keysOf(item) {
    const chart = firstChart(item)?.id;
    const name = `${item.id} ${chart}`;
    if (chart && !this.#keys.has(name)) {
      const asked = api.chart({ chart, plan: this.#data.plan.id, item: item.id });
      this.#keys.set(name, asked.then(({ song }) => song?.keys.map((key) => key.name) ?? [], () => []));
    }
    return this.#keys.get(name) ?? Promise.resolve([]);
  }

  #remarkOfRow(row) {
    return h("input", {
      type: "text", class: "search", maxlength: 200, value: row.remark ?? "", placeholder: "Remark", "aria-label": `Remark on ${row.title}`, autocomplete: "off",
      "data-row": row.id, "data-does": "remark", onchange: ({ target }) => {
        target.defaultValue = target.value;
        this.change({ act: "remark", item: row.id, remark: target.value }, "The remark is kept", target);
      },
    });
  }
}

/// Opens the panel for a plan; `done` is called after each change.
export function openTonight(data, done) { return new TonightPanel(data, done); }
