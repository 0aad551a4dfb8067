// The panel with the keys of a song that Woodshed draws: the sounding key, the capo, how chords are written, and where the choice applies.
import { button, busily, h } from "./dom.js";
import { chooseKey } from "./key-choices.js";
import { keyOfChart, withSigns } from "./running-order.js";

/// How chords can be written. Numbers in a minor key start in one of two ways: its own chord is 6-, as in the relative major, or 1-.
const writings = (isMinor, chosen) => [
  ["letters", "Letters"],
  ...(isMinor
    ? [["numbers", "Numbers", "from 6-"], ["minor-numbers", "Numbers", "from 1-"]]
    : [[chosen === "minor-numbers" ? chosen : "numbers", "Numbers"]]),
  ["german", "German"],
];
const WAITS = "This holds in this window until Woodshed’s agent answers again. Then it is kept.";
/// Where a choice can apply. For a song outside the plan, this is the plan that its chart is taken from; songs of a songbook have none.
const scopes = (place, { plan }) => [
  ["plan", place.plan ? "Only in this plan" : plan === "songbook" ? "Only outside plans" : "Only in its own plan"],
  ["everywhere", "Always for this song"],
];

/// A row of choices with one checked; `values` are `[value, text, text below]`.
function row(legend, name, values, current, choose) {
  return h("fieldset", { class: "choice" },
    h("legend", { text: legend }),
    h("div", { class: `segments ${name}` }, values.map(([value, words, below]) => {
      const input = h("input", { type: "radio", name, value: String(value), checked: value === current });
      input.addEventListener("change", () => choose(value));
      return h("label", {}, input, h("span", {}, words, below && h("small", { text: below })));
    })));
}

/// A sentence on what the band plays and the musician reads: "The band plays G. You see E, with a capo at fret 3."
function sentence({ view, ...song }, fingered, chartKey) {
  const [wanted, sounding, shapes] = [song.wanted, song.sounding, fingered].map(withSigns);
  const other = chartKey && wanted && chartKey !== wanted ? `The band plays ${wanted}, and this chart is in ${chartKey}. ` : "";
  if (!view) return `${other}This chart stays as it is. In a key that you choose, the song comes as words and chords, as another part.`;
  if (!sounding) return "It is drawn as it is written.";
  const band = wanted ? `The band plays ${wanted}. ` : "";
  const seen = view.writing.includes("numbers") ? "numbers" : shapes;
  if (view.capo > 0) return `${band}You see ${seen}, with a capo at fret ${view.capo}${wanted && sounding !== wanted ? `, which sounds in ${sounding}` : ""}.`;
  return sounding === wanted && seen === shapes ? `The band plays ${wanted}, and so do you.` : `${band}You see ${seen}.`;
}

/// Has a song's chart drawn by `draw`, which returns its description, and opens it at the page on the stand: every word has the
/// same place in every key.
export const redrawing = ({ stand, expect, review, open }) => async (chart, draw) => {
  const done = expect(chart);
  const { goal, order } = stand;
  const place = { chart, plan: goal.plan, item: goal.item };
  let fresh = null;
  try {
    fresh = await draw();
  } finally {
    // Without a view, the plan may have another chart of the song.
    done({ ...place, chart: fresh?.id ?? chart }, fresh?.id && !fresh.song?.waits && fresh);
  }
  review();
  const first = fresh.id ?? order?.item(goal.item)?.charts.find(({ id }) => id !== chart)?.id;
  if (first) open({ ...place, chart: first, page: stand.goal.chart === first ? stand.goal.position + 1 : 1 });
};

/// By chart, while choices are under way: what was asked for last, the choice to be drawn next, and what fills the open panel again.
const underWay = new Map();

/// Draws the choices. Of several in quick succession, only the last one is drawn. Whatever became of them, the panel then shows the chart
/// as it is, with the reason if the last one failed.
async function drawAll(chart, state) {
  underWay.set(chart, state);
  let trouble = "";
  while (state.due) {
    const act = state.due;
    state.due = null;
    trouble = await act().then(() => "", (error) => error.message);
  }
  underWay.delete(chart);
  state.refill(trouble);
}

/// For a song whose key nobody states: why it cannot be moved and, if its chords look like a key, the offer to take that one.
function offerLikely(place, song, redraw) {
  const trouble = h("p", { role: "alert", class: "trouble" });
  if (!song.likely) return [h("p", { text: song.reason })];
  const { key, reason } = song.likely;
  const take = button(`It is in ${withSigns(key)}`, () => busily(take, () => redraw(
    song.chart, () => chooseKey(place, song.id, { key: null, from: key, capo: 0 }, true)), (error) => { trouble.textContent = error.message; }));
  return [h("p", { text: `Nobody says which key it is written in, but ${reason}.` }), h("div", { class: "row" }, take), trouble];
}

/// The panel's content for the chart on the stand; `redraw` has the chart drawn in another way, and `refill` fills the panel again, with the
/// `words` of what went wrong.
export function keyParts({ place, chart }, redraw, refill, words = "") {
  // Another chart of the song stays in its own key, whatever key the song is drawn in.
  const isDrawn = chart.song.view && chart.song.chart === chart.id;
  const song = isDrawn ? chart.song : { ...chart.song, view: null, sounding: null };
  if (song.keys.length === 0) return offerLikely(place, song, redraw);
  const view = {
    key: song.sounding ?? song.wanted ?? song.written, from: chart.song.view?.from, capo: song.view?.capo ?? 0, writing: song.view?.writing,
  };
  const keyNamed = (key) => song.keys.find(({ name }) => name === key);
  const trouble = h("p", { role: "alert", class: "trouble", text: words });
  // A panel that is filled while choices are under way goes on from the last of them, and shows it as checked: a tap on a choice that is
  // checked already does nothing.
  const isUnderWay = underWay.has(song.chart);
  const body = h("div", { class: "song-key", "aria-busy": String(isUnderWay) });
  const state = underWay.get(song.chart) ?? { asked: view, scope: song.scope ?? "plan", due: null };
  const checked = isUnderWay ? state.asked : song.view ? view : {};
  state.refill = refill;
  const draw = (next, isEverywhere) => {
    trouble.textContent = "";
    body.setAttribute("aria-busy", "true");
    state.due = () => redraw(song.chart, () => chooseKey(place, song.id, next, isEverywhere));
    if (!underWay.has(song.chart)) drawAll(song.chart, state);
  };
  // Send the plan's own key as null: it follows the plan's changes.
  const send = () => {
    const { key, ...rest } = state.asked;
    draw({ ...rest, key: key === song.wanted ? null : key }, state.scope === "everywhere");
  };
  // Whoever goes back to the plan's own key, and has chosen nothing else, is back at the plan's chart, unless Woodshed draws that, too.
  const isBack = ({ key, from, capo, writing = song.usualWriting }) => (isDrawn || underWay.has(song.chart)) && song.usualWriting
    && key === (song.wanted ?? song.written) && !from && capo === 0 && writing === song.usualWriting;
  const choose = (change) => {
    state.asked = { ...state.asked, ...change };
    if (isBack(state.asked)) draw(null, state.scope === "everywhere");
    else send();
  };
  const below = (name) => (name === song.wanted ? "plan" : name === song.written && "written");
  body.append(
    h("p", { class: "quiet", text: sentence(song, keyNamed(view.key).shapes[view.capo], withSigns(keyOfChart(chart.title, chart))) }),
    row("Key", "song-keys", song.keys.map(({ name }) => [name, withSigns(name), below(name)]), checked.key, (key) => choose({ key })),
    row("Capo", "song-capos", keyNamed((isUnderWay ? state.asked : view).key).shapes.map((shapes, fret) => [fret, String(fret), fret > 0 && withSigns(shapes)]), checked.capo, (capo) => choose({ capo })),
    row("Chords", "song-writing", writings(song.written?.endsWith("m"), view.writing), checked.writing, (writing) => choose({ writing })),
    row("Keep this", "song-scope", scopes(place, song), state.scope, (next) => {
      state.scope = next;
      if (isDrawn && song.scope) send();
    }));
  if (song.waits) body.append(h("p", { text: WAITS }));
  if (song.reason) body.append(h("p", { class: "quiet", text: song.reason }));
  if (song.scope) body.append(h("div", { class: "row by-hand" }, button("As the plan has it", () => {
    state.asked = { ...view, key: song.wanted ?? song.written, from: null, capo: 0, writing: song.usualWriting ?? view.writing };
    draw(null, song.scope === "everywhere");
  })));
  else if (!isDrawn) body.append(h("div", { class: "row by-hand" }, button("Also as words and chords", send)));
  if (song.remarks.length > 0) body.append(h("ul", { class: "quiet" }, song.remarks.map((text) => h("li", { text }))));
  body.append(trouble);
  return [body];
}

/// Selects the next key up or down.
export function stepKey(panel, { wanted, written }, step) {
  const keys = [...panel.querySelectorAll(".song-keys input")];
  if (keys.length === 0) return;
  const chosen = keys.findIndex((input) => input.checked);
  const from = chosen >= 0 ? chosen : keys.findIndex((input) => input.value === (wanted ?? written));
  keys[(from + step + keys.length) % keys.length].click();
}
