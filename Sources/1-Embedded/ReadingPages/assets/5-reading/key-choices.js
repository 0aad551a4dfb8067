// The keys that musicians choose. While the agent gives no answer, a choice holds in this window, if the song is here in that key; it is
// sent to the agent once that answers again.
import { api } from "./api.js";
import { sayAlso } from "./banner.js";
import { book, keyOf } from "./books.js";
import { emit, on } from "./events.js";
import { keepNear, nearCharts } from "./near-keys.js";
import { holder, imagesOf } from "./plan-holder.js";
import { Retry } from "./retry.js";

/// The pauses (ms) between tries to send a choice: the first one, and the longest.
const [SOON, LATE] = [1000, 20_000];

/// The choices that are still to be sent, by place, the latest of each: `{place, song, view, isEverywhere}`.
const waiting = new Map();
const retry = new Retry(SOON, LATE);
let isTelling = false;

/// Whether the agent gives no answer, or does not know this browser yet, since it was restarted.
const isAway = ({ status }) => [0, 401, 403].includes(status);

/// Has a song's chart drawn as the musician reads it, with null as it comes; resolves with its description. Until the agent knows of the
/// choice, `instead` is the description that the agent has.
export async function chooseKey(place, song, view, isEverywhere) {
  const near = chartHere(place, view);
  sayAlso("key", null);
  waiting.delete(keyOf(place));
  // Nobody waits for an agent that is known to give no answers.
  if (!near || !api.isSilent) {
    try {
      return await api.readSong(place, song, view, isEverywhere);
    } catch (error) {
      if (!isAway(error)) throw error;
      if (!near) throw new Error(`${error.message}${keysHere(place, view)}`);
    }
  }
  const known = book.peek(place);
  if (!known.instead) keepNear(place, known);
  waiting.set(keyOf(place), { place, song, view, isEverywhere });
  retry.reset();
  retry.later(tell);
  const scope = isEverywhere ? "everywhere" : "plan";
  return { ...near, song: { ...near.song, scope: view ? scope : null }, instead: known.instead ?? known };
}

/// The charts of a place that can be shown without the agent.
const chartsHere = (place) => nearCharts(place).filter((chart) => imagesOf(chart).every(({ src }) => holder.imageAt(src)));

/// The chart among them that is read like this; null if it is not here.
function chartHere(place, view) {
  const isIt = ({ song }) => song.sounding === (view?.key ?? song.wanted ?? song.written)
    && (view ? song.view.capo === view.capo && song.view.writing === (view.writing ?? song.view.writing) : song.scope === null);
  return chartsHere(place).find(isIt) ?? null;
}

/// A sentence with the keys in which the song can be read meanwhile, with the same capo and writing.
function keysHere(place, view) {
  const { song } = book.peek(place) ?? {};
  if (!view || view.capo !== song?.view?.capo || view.writing !== song.view.writing) return "";
  const here = [song, ...chartsHere(place).map((chart) => chart.song)].map((each) => each?.sounding);
  const names = song?.keys.map(({ name }) => name).filter((name) => here.includes(name)) ?? [];
  return names.length > 1 ? ` Until it does, this song can be read in ${names.slice(0, -1).join(", ")} and ${names.at(-1)}.` : "";
}

/// Sends the waiting choices to the agent, in the order in which they were made.
async function tell() {
  if (isTelling) return;
  isTelling = true;
  for (const [name, choice] of [...waiting]) {
    const { place, song, view, isEverywhere } = choice;
    const known = book.peek(place);
    let fresh = null;
    try {
      fresh = await api.readSong(place, song, view, isEverywhere);
    } catch (error) {
      if (isAway(error)) break;
      if (waiting.get(name) === choice) {
        const words = `“${known?.title}” does not stay in the key that you chose: ${error.message}`;
        sayAlso("key", { words, brief: words, act: null });
      }
    }
    // Meanwhile another key may have been chosen.
    if (waiting.get(name) !== choice) continue;
    waiting.delete(name);
    if (known) known.instead = null;
    if (fresh?.id && !book.isOnStand(place)) book.keep(place, fresh);
    // The agent may have sent this event before its answer, while the choice was still waiting.
    emit("chart", { chart: place.chart, set: null });
  }
  isTelling = false;
  if (waiting.size > 0) retry.later(tell);
}

on("open", () => { if (waiting.size > 0) tell(); });
