// Songs that are drawn here, in the keys beside their plan's: their charts as they would be if somebody chose those. They are in this browser
// for when the agent is away. Nobody else knows of them, and the plan's own charts come first.
import { api } from "./api.js";

/// So many keys up and down from the plan's, nearest first; and its own, for those who play in another.
const STEPS = [0, 1, -1, 2, -2];

/// By place: `{place, charts}`, with `charts` by key: `{chart, of}`, the chart and what it was described for.
const known = new Map();

const nameOf = ({ chart, item }) => `${chart} ${item ?? ""}`;

/// Changes with anything that the chart would have in another key, too.
const tagOf = ({ set, pages }) => [set, ...pages.map((page) => page.annotated.src)].join(" ");

/// The keys that are to be here beside a chart; none if it is not drawn here, or cannot be moved.
function keysBeside({ id, song }) {
  if (!song?.view || song.chart !== id) return [];
  const at = song.keys.findIndex(({ name }) => name === (song.wanted ?? song.written));
  if (at < 0) return [];
  return STEPS.map((step) => song.keys.at((at + step) % song.keys.length).name).filter((name) => name !== song.sounding);
}

function put({ chart: id, plan, item }, chart, of) {
  const place = { chart: id, plan, item };
  if (!known.has(nameOf(place))) known.set(nameOf(place), { place, charts: new Map() });
  known.get(nameOf(place)).charts.set(chart.song.sounding, { chart, of });
}

/// The charts of a place that are known; their images may be gone.
export const nearCharts = (place) => [...known.get(nameOf(place))?.charts.values() ?? []].map(({ chart }) => chart);

/// Those of a whole plan.
export const allNear = (plan) => nearOf(plan).flatMap(({ charts }) => charts.map(({ chart }) => chart));

/// Has those come that are missing beside this chart, one after the other, and forgets others. `bring` has a chart's images come; it returns
/// whether they are here, or null to end this. Returns how many charts have `come`, and whether all `areHere`; null if it was ended.
export async function bringNear(place, chart, bring) {
  // Until the agent knows of a choice, everything stays.
  if (chart.instead) return { come: 0, areHere: true };
  const [of, keys] = [tagOf(chart), keysBeside(chart)];
  const charts = known.get(nameOf(place))?.charts ?? new Map();
  for (const key of charts.keys()) if (!keys.includes(key)) charts.delete(key);
  let [come, areHere] = [0, true];
  for (const key of keys) {
    const there = charts.get(key)?.of === of ? charts.get(key).chart : null;
    let isHere = there ? await bring(there) : false;
    if (isHere === false) {
      // An agent draws only such images as it has described lately.
      const fresh = await api.chart({ ...place, key }).catch(() => null);
      isHere = fresh ? await bring(fresh) : false;
      if (isHere) put(place, fresh, of);
      if (isHere) come += 1;
    }
    if (isHere === null) return null;
    areHere &&= isHere;
  }
  return { come, areHere };
}

/// Keeps what is at a place, which is about to be in another key.
export const keepNear = (place, chart) => put(place, chart, tagOf(chart));

/// What the browser's shelf keeps of this.
export const nearOf = (plan) =>
  [...known.values()].filter(({ place }) => place.plan === plan).map(({ place, charts }) => ({ place, charts: [...charts.values()] }));

/// Begins with what was on the shelf.
export function beginWithNear(found) { for (const { place, charts } of found) for (const { chart, of } of charts) put(place, chart, of); }
