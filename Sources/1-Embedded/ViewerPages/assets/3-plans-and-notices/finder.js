// `/`: finds a song by a few letters, first in this plan, then in all the others: somebody may ask for one more song.
import { api, mayChange } from "./api.js";
import { readPlan, readState } from "./books.js";
import { h, icon, openPanel } from "./dom.js";
import { commandBehindPanel } from "./keyboard.js";
import { chartAddress, go } from "./routes.js";
import { firstChart, withSigns } from "./running-order.js";
import { dayOf } from "./times.js";

// "Gloria" finds "Glória", and "bb" finds "B♭".
const SIGNS = { "ß": "ss", "♭": "b", "♯": "#" };
const plain = (text) => text.toLowerCase().replace(/[ß♭♯]/g, (sign) => SIGNS[sign]).normalize("NFD").replace(/\p{M}/gu, "");

const entryOf = (item, chart, place, isFirst) =>
  ({ item, chart, place, isFirst, text: plain(`${item.title} ${item.key ?? ""} ${chart.name}`) });

/// A song within a book, which is a chart that has many.
const entryOfSong = ({ chart, name, title, page }) => entryOf({ title }, { id: chart, name }, { chart, page: page + 1 }, false);

/// Every chart of the plan, the one usually chosen for each item first.
function entriesOf(data) {
  return data.items.flatMap((item) => {
    const first = firstChart(item);
    const place = { plan: data.plan.id, item: item.id, ...(item.start !== undefined && { page: item.start + 1 }) };
    return [first, ...item.charts.filter((chart) => chart !== first)].filter(Boolean)
      .map((chart, i) => entryOf(item, chart, { ...place, chart: chart.id }, i === 0));
  });
}

const dateOf = ({ firstTime, dates }) => (firstTime ? dayOf(firstTime) : dates);

/// Whether a chart is only a file in one of the musician's own folders, which nobody has opened yet. Guests cannot open one.
const isFile = (chart) => chart.startsWith("file/");

/// Calls back with the charts of the other plans as they arrive, nearest plan first, each with its plan's date. The places name no
/// other plan, so a musician who is in a plan stays in it. `hasSongs`: with the songs within books.
async function findOthers(entries, own, isWanted, add, hasSongs) {
  const known = new Set(entries.map(({ chart }) => chart.id));
  const addOthers = (others) => add(others.filter(({ chart }) => !known.has(chart.id) && known.add(chart.id))
    .map((entry) => ({ ...entry, isFirst: false, place: own ? { chart: entry.chart.id, page: entry.place.page } : entry.place })));
  let plans = [];
  await readState((state) => { ({ plans } = state); });
  for (const { id } of plans.filter((plan) => plan.id !== own)) {
    if (!isWanted()) return;
    await readPlan(id, (data) => addOthers(entriesOf(data).map((entry) => ({ ...entry, from: dateOf(data.plan) })))).catch(() => null);
  }
  if (!isWanted()) return;
  const { charts, songs = [] } = await api.otherCharts();
  const here = charts.filter(({ id }) => mayChange || !isFile(id));
  addOthers(here.map((chart) => ({ ...entryOf(chart, chart, { chart: chart.id }, false), from: dateOf(chart) })));
  if (hasSongs) add(songs.filter(({ chart }) => mayChange || !isFile(chart)).map(entryOfSong));
}

/// Nobody reads more rows; another letter leaves fewer.
const MOST = 100;

/// The entries that contain all of the words.
function fitting(entries, words) {
  const each = plain(words).split(/\s+/);
  return entries.filter(({ text }) => each.every((word) => text.includes(word)));
}

function rowOf(entry, i, choose) {
  const about = [entry.chart.name, entry.from].filter(Boolean).join(" · ");
  return h("li", {
    role: "option", id: `found-${i}`, class: entry.isFirst ? "first" : "", "aria-selected": "false", onclick: () => choose(entry),
  }, h("span", { class: "found-title", text: entry.item.title }), h("span", { class: "quiet", text: about }),
  entry.item.key && h("span", { class: "key", text: withSigns(entry.item.key) }));
}

/// Marks the row that Enter chooses, and announces it to screen readers at the field.
function mark(list, at, input) {
  [...list.children].forEach((row, i) => row.id && row.setAttribute("aria-selected", String(i === at)));
  const row = list.children[at];
  if (row?.id) input.setAttribute("aria-activedescendant", row.id);
  else input.removeAttribute("aria-activedescendant");
  row?.scrollIntoView({ block: "nearest" });
}

export const findButton = (open) =>
  h("button", { type: "button", class: "button plain", title: "Find a song (/)", onclick: open }, icon("search"), h("span", { text: "Find" }));

/// Calls `chosen(place, item)` with the selected chart; without `chosen`, opens the chart. A place outside this plan has no item. `data`
/// is null without a plan. `songs` are bookmarks, `{title, name, place}`, that can be found, too. `isForTitle`: only the title is needed,
/// so the chart is not fetched. Returns the dialog.
export function openFinder(data, currentItem, { chosen = null, songs = [], isForTitle = false } = {}) {
  const pick = chosen ?? ((place) => go(chartAddress(place)));
  const entries = [...(data ? entriesOf(data) : []), ...songs.map((song) => entryOf(song, song, song.place, false))];
  let shown = [];
  let nothing = "Looking…";
  let at = 0;
  const list = h("ul", { class: "found", role: "listbox", id: "found", "aria-label": "Songs" });
  const input = h("input", {
    type: "search", class: "search", placeholder: "Song or chart", "aria-label": "Song or chart", role: "combobox", "aria-expanded": "true",
    "aria-controls": "found", autocomplete: "off", spellcheck: "false", oninput: filter, onkeydown: key,
  });
  const dialog = openPanel("Find a song", "finder", input, list);

  async function choose({ place, item }) {
    if (!isForTitle && isFile(place.chart)) {
      const { chart } = await api.openFile(place.chart).catch((error) => { refuse(error.message); return {}; });
      if (!chart || !dialog.open) return;
      place = { chart, page: place.page };
    }
    dialog.close();
    pick(place, item);
  }

  function refuse(words) {
    list.replaceChildren(h("li", { class: "quiet nothing", text: words }));
    shown = [];
  }

  function filter() {
    shown = fitting(entries, input.value).slice(0, MOST);
    at = input.value.trim() ? 0 : Math.max(0, shown.findIndex((entry) => entry.item.id === currentItem));
    list.replaceChildren(...shown.map((entry, i) => rowOf(entry, i, choose)));
    if (shown.length === 0) list.append(h("li", { class: "quiet nothing", text: nothing }));
    mark(list, at, input);
  }

  /// Adds later rows below the others, which do not move: somebody may be about to tap one.
  function add(others) {
    if (!dialog.open) return;
    entries.push(...others);
    const more = fitting(others, input.value).slice(0, MOST - shown.length);
    if (more.length === 0) return;
    const isFirst = shown.length === 0;
    if (isFirst) list.replaceChildren();
    list.append(...more.map((entry, i) => rowOf(entry, shown.length + i, choose)));
    shown.push(...more);
    if (isFirst) mark(list, at, input);
  }

  function key(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step && !(event.key === "Enter" && shown[at] && !commandBehindPanel(event))) return;
    event.preventDefault();
    if (!step) return choose(shown[at]);
    at = Math.min(shown.length - 1, Math.max(0, at + step));
    mark(list, at, input);
  }

  filter();
  input.focus();
  // A list of songs identifies charts by their titles, so no song within a book can be chosen for it.
  findOthers(entries, data?.plan.id, () => dialog.open, add, !isForTitle).then(() => "No such song here", (error) => error.message).then((words) => {
    nothing = words;
    if (shown.length === 0) filter();
  });
  return dialog;
}
