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

/// Calls back with the charts of the other plans, as they come; each says where it is from.
async function findOthers(entries, own, add) {
  const known = new Set(entries.map(({ chart }) => chart.id));
  let plans = [];
  await readState((state) => { ({ plans } = state); });
  for (const { id } of plans.filter((plan) => plan.id !== own)) {
    await readPlan(id, (data) => {
      const from = data.plan.firstTime ? dayOf(data.plan.firstTime) : data.plan.dates;
      const others = entriesOf(data).filter(({ chart }) => !known.has(chart.id) && known.add(chart.id));
      add(others.map((entry) => ({ ...entry, isFirst: false, from })));
    }).catch(() => null);
  }
}

/// The entries that each of the words is in.
const fitting = (entries, words) => entries.filter((entry) => plain(words).split(/\s+/).every((word) => entry.text.includes(word)));

function rowOf(entry, i, take) {
  const about = [entry.chart.name, entry.from].filter(Boolean).join(" · ");
  return h("li", {
    role: "option", id: `found-${i}`, class: entry.isFirst ? "first" : "", "aria-selected": "false", onclick: () => take(entry),
  }, h("span", { class: "found-title", text: entry.item.title }), h("span", { class: "quiet", text: about }),
  entry.item.key && h("span", { class: "key", text: entry.item.key }));
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
    shown = fitting(entries, input.value);
    at = input.value.trim() ? 0 : Math.max(0, shown.findIndex((entry) => entry.item.id === currentItem));
    list.replaceChildren(...shown.map((entry, i) => rowOf(entry, i, take)));
    if (shown.length === 0) list.append(h("li", { class: "quiet nothing", text: "No such song here" }));
    mark();
  }

  /// Adds what comes later below what is there, which stays as it is: somebody may be about to tap it.
  function add(others) {
    if (!dialog.open) return;
    entries.push(...others);
    const more = fitting(others, input.value);
    if (more.length === 0) return;
    const isFirst = shown.length === 0;
    if (isFirst) list.replaceChildren();
    list.append(...more.map((entry, i) => rowOf(entry, shown.length + i, take)));
    shown.push(...more);
    if (isFirst) mark();
  }

  function key(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step && !(event.key === "Enter" && shown[at])) return;
    event.preventDefault();
    if (!step) return take(shown[at]);
    at = Math.min(shown.length - 1, Math.max(0, at + step));
    mark();
  }

  filter();
  input.focus();
  findOthers(entries, data.plan.id, add).catch(() => null);
}
