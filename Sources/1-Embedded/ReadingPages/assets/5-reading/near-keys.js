// The charts of songs that are drawn here, in the keys beside their plan's, as if somebody had chosen those. They are in this browser for
// when the agent is away. Nobody else knows of them, and the plan's own charts come first.
import { api } from "./api.js";
import { book, keyOf, near } from "./books.js";
import { bring } from "./later.js";

/// So many keys up and down from the plan's, nearest first; and its own, for those who play in another.
const STEPS = [0, 1, -1, 2, -2];

/// Changes with everything that also changes the chart in other keys.
const tagOf = ({ set, pages }) => [set, ...pages.map((page) => page.annotated.src)].join(" ");

/// The keys to fetch beside a chart's own; none if it is not drawn here, or cannot be transposed.
function keysBeside({ id, song }) {
  if (!song?.view || song.chart !== id) return [];
  const at = song.keys.findIndex(({ name }) => name === (song.wanted ?? song.written));
  if (at < 0) return [];
  return STEPS.map((step) => song.keys.at((at + step) % song.keys.length).name).filter((name) => name !== song.sounding);
}

function put({ chart: id, plan, item }, chart, of) {
  const place = { chart: id, plan, item };
  if (!near.has(keyOf(place))) near.set(keyOf(place), { place, charts: new Map() });
  near.get(keyOf(place)).charts.set(chart.song.sounding, { chart, of });
}

/// The charts of a place that are known; their images may be gone.
export const nearCharts = (place) => [...near.get(keyOf(place))?.charts.values() ?? []].map(({ chart }) => chart);

/// Fetches the charts that are missing at these places, one after the other, and forgets others. `fetch` brings a chart's images; it
/// returns whether they are here, or null to stop. Returns how many charts have `come`, and whether all `areHere`; null if it was stopped.
async function bringNear(places, fetch) {
  let [come, areHere] = [0, true];
  for (const place of places) {
    const chart = book.known(place);
    if (!chart) continue;
    const [of, keys] = [tagOf(chart), keysBeside(chart)];
    const charts = near.get(keyOf(place))?.charts ?? new Map();
    for (const key of charts.keys()) if (!keys.includes(key)) charts.delete(key);
    for (const key of keys) {
      const there = charts.get(key)?.of === of ? charts.get(key).chart : null;
      let isHere = there ? await fetch(there) : false;
      if (isHere === false) {
        // An agent draws only such images as it has described lately.
        const fresh = await api.chart({ ...place, key }).catch(() => null);
        isHere = fresh ? await fetch(fresh) : false;
        if (isHere) put(place, fresh, of);
        if (isHere) come += 1;
      }
      if (isHere === null) return null;
      areHere &&= isHere;
    }
  }
  return { come, areHere };
}

bring("near", bringNear);
