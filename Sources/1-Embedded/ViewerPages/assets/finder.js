// `/`: finds a song by a few letters: of this plan, and after those, when they ask for one more, of the others that are here.
import { readPlan, readState } from "./books.js";
import { h, openPanel } from "./dom.js";
import { chartAddress, go } from "./routes.js";
import { firstChart } from "./running-order.js";
import { dayOf } from "./times.js";

// "Gloria" finds "Glória", and "bb" finds "B♭".
const SIGNS = { "ß": "ss", "♭": "b", "♯": "#" };
const plain = (text) => text.toLowerCase().replace(/[ß♭♯]/g, (sign) => SIGNS[sign]).normalize("NFD").replace(/\p{M}/gu, "");

/// Every chart of the plan, the one usually chosen for each item first.
function entriesOf(data) {
  return data.items.flatMap((item) => {
    const first = firstChart(item);
    return [first, ...item.charts.filter((chart) => chart !== first)].filter(Boolean)
      .map((chart, i) => ({ item, chart, isFirst: i === 0, text: plain(`${item.title} ${item.key ?? ""} ${chart.name}`) }));
  });
}

/// Adds the charts of the other plans to a plan's entries, as they come; each says where it is from.
async function addOthers(entries, own, changed) {
  const known = new Set(entries.map(({ chart }) => chart.id));
  let plans = [];
  await readState((state) => { ({ plans } = state); });
  for (const { id } of plans.filter((plan) => plan.id !== own)) {
    await readPlan(id, (data) => {
      const from = data.plan.firstTime ? dayOf(data.plan.firstTime) : data.plan.dates;
      for (const entry of entriesOf(data)) {
        if (known.has(entry.chart.id)) continue;
        known.add(entry.chart.id);
        entries.push({ ...entry, isFirst: false, from });
      }
    }).catch(() => null);
    changed();
  }
}

/// Calls `chosen(place)` with what was picked; without it, the chart is opened. What is not of this plan has no item in it.
export function openFinder(data, currentItem, chosen = null) {
  const pick = chosen ?? ((place) => go(chartAddress(place)));
  const entries = entriesOf(data);
  let shown = [];
  let at = 0;
  const list = h("ul", { class: "found", role: "listbox", id: "found", "aria-label": "Songs" });
  const input = h("input", {
    type: "search", class: "search", placeholder: "Song or chart", "aria-label": "Song or chart", role: "combobox", "aria-expanded": "true",
    "aria-controls": "found", autocomplete: "off", spellcheck: "false", oninput: filter, onkeydown: key,
  });
  const dialog = openPanel("Find a song", "finder", input, list);

  function take({ item, chart, from }) {
    dialog.close();
    pick(from ? { chart: chart.id } : { chart: chart.id, plan: data.plan.id, item: item.id });
  }

  function mark() {
    [...list.children].forEach((row, i) => row.setAttribute("aria-selected", String(i === at)));
    const row = list.children[at];
    if (row?.id) input.setAttribute("aria-activedescendant", row.id);
    else input.removeAttribute("aria-activedescendant");
    row?.scrollIntoView({ block: "nearest" });
  }

  function filter() {
    const words = plain(input.value).split(/\s+/).filter(Boolean);
    shown = entries.filter((entry) => words.every((word) => entry.text.includes(word)));
    at = words.length > 0 ? 0 : Math.max(0, shown.findIndex((entry) => entry.item.id === currentItem));
    list.replaceChildren(...shown.map((entry, i) => h("li", {
      role: "option", id: `found-${i}`, class: entry.isFirst ? "first" : "", onclick: () => take(entry),
    }, h("span", { class: "found-title", text: entry.item.title }), h("span", { class: "quiet", text: [entry.chart.name, entry.from].filter(Boolean).join(" · ") }),
    entry.item.key && h("span", { class: "key", text: entry.item.key }))));
    if (shown.length === 0) list.append(h("li", { class: "quiet nothing", text: "No such song here" }));
    mark();
  }

  function key(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step && !(event.key === "Enter" && shown[at])) return;
    event.preventDefault();
    if (!step) {
      take(shown[at]);
      return;
    }
    at = Math.min(shown.length - 1, Math.max(0, at + step));
    mark();
  }

  filter();
  input.focus();
  // What is chosen stays chosen while others come.
  addOthers(entries, data.plan.id, () => { if (dialog.open) { const former = at; filter(); at = former; mark(); } }).catch(() => null);
}
