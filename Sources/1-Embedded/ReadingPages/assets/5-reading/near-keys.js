// The charts of songs that Woodshed draws, in keys next to their plan's key, as if somebody had chosen them. This browser keeps
// them for when the agent is away. No other part uses them, and the plan's own charts are fetched first.
import { api } from "./api.js";
import { book, keyOf, near } from "./books.js";
import { bring } from "./later.js";

/// How many keys up and down from the plan's key are fetched, nearest first. 0 is the plan's own, for musicians who play in another key.
const STEPS = [0, 1, -1, 2, -2];

/// A tag of a place's chart. If it has changed, the charts in other keys that were fetched for the place may be out of date.
const tagOf = ({ set, pages }) => [set, ...pages.map((page) => page.annotated.src)].join(" ");

/// The keys to fetch besides a chart's own; none if Woodshed does not draw the chart, or it cannot be transposed.
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

/// The charts of a place in other keys that have been fetched, as the agent described them. Their images may have been dropped since.
export const nearCharts = (place) => [...near.get(keyOf(place))?.charts.values() ?? []].map(({ chart }) => chart);

/// Fetches the missing charts of these places in turn, and forgets charts in keys that are no longer near. `fetch` fetches a chart's images
/// and returns whether all arrived, or null to stop. Returns how many charts have `come`, and whether all `areHere`; null if stopped.
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
        // Request the description again before the images: an agent draws only images that it has described recently.
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
