// The keys that musicians choose. While the agent does not answer, a choice holds in this window, if this browser has the song in
// that key; it is sent once the agent answers again.
//
//     shown ──chosen──► asked ──┬─ answered ──► shown, in the new key
//                               ├─ refused ───► shown as before; the choice is dropped
//                               └─ no answer at once ─► waits, if it is here in that key ──┬─ answered ──► shown
//                                                                                          └─ refused ───► shown; the agent's version is offered
import { api } from "./api.js";
import { sayAlso } from "./banner.js";
import { book } from "./books.js";
import { emit, on } from "./events.js";
import { nearCharts } from "./near-keys.js";
import { holder, imagesOf } from "./plan-holder.js";
import { Retry } from "./retry.js";
import { withSigns } from "./running-order.js";

/// The pauses (ms) before a choice is sent again: the first one, and the longest.
const [SOON, LATE] = [1000, 20_000];
/// How long (ms) the agent may take before a key that is here is shown without its answer.
const AT_ONCE = 60;

const retry = new Retry(SOON, LATE);
let isSending = false;

/// Whether the agent does not answer, or was restarted and does not recognise this browser.
const isAway = ({ status }) => [0, 401, 403].includes(status);

/// Requests a song's chart in the musician's view, or as the service has it if `view` is null. Resolves with the chart's description, in
/// which `song.waits` means that the agent has not received the choice. If a choice fails, the previous one stays.
export async function chooseKey(place, song, view, isEverywhere) {
  const near = chartHere(place, view);
  sayAlso("key", null);
  const former = book.wanted(place);
  // A choice that waits is not sent while a later one is under way: the agent would keep whichever arrives last.
  if (former) former.isOvertaken = true;
  // An agent that is known to be silent is asked again later.
  let sent = near && api.isSilent ? null : outcome(ask(place, song, view, isEverywhere));
  const { fresh, error } = await Promise.race([sent, near && new Promise((done) => { setTimeout(done, sent ? AT_ONCE : 0, {}); })].filter(Boolean));
  if (fresh) {
    book.want(place, null);
    return fresh;
  }
  if (error && !(near && isAway(error))) {
    if (former) former.isOvertaken = false;
    throw isAway(error) ? new Error(`${error.message}${keysHere(place, view)}`) : error;
  }
  if (error) sent = null;
  const scope = isEverywhere ? "everywhere" : "plan";
  const chart = { ...near, song: { ...near.song, scope: view ? scope : null, waits: true } };
  book.want(place, { place, chart, song, view, isEverywhere, sent });
  retry.reset();
  if (sent) sendWaiting();
  else retry.later(sendWaiting);
  return chart;
}

/// Asks the agent. A song outside the plan is read in the plan that its chart is taken from; the chart does not lead on into that plan.
async function ask(place, song, view, isEverywhere) {
  const plan = place.plan ?? book.peek(place)?.song?.plan;
  const fresh = await api.readSong({ ...place, plan }, song, view, isEverywhere);
  return place.plan ? fresh : { ...fresh, next: null, previous: null };
}

/// What became of a request: `{fresh}`, the chart's new description, or `{error}`.
const outcome = (request) => request.then((fresh) => ({ fresh }), (error) => ({ error }));

/// The charts of a place that can be shown without the agent.
function chartsHere(place) {
  const areHere = (chart) => imagesOf(chart).every(({ src }) => holder.imageAt(src));
  return [book.known(place), ...nearCharts(place)].filter((chart) => chart && areHere(chart));
}

/// The chart of a place in this view, if it can be shown without the agent; null if there is none.
function chartHere(place, view) {
  const isIt = ({ id, song }) => id === song.chart && song.sounding && song.sounding === (view?.key ?? song.wanted ?? song.written)
    && (song.view?.from ?? null) === (view?.from ?? null)
    && (view ? song.view.capo === view.capo && song.view.writing === (view.writing ?? song.view.writing) : song.scope === null);
  return chartsHere(place).find(isIt) ?? null;
}

/// A sentence with the keys in which the song can be read in the meantime, with the same capo and writing.
function keysHere(place, view) {
  const { song } = book.peek(place) ?? {};
  if (!view || view.capo !== song?.view?.capo || view.writing !== song.view.writing) return "";
  const here = [song, ...chartsHere(place).map((chart) => chart.song)].map((each) => each?.sounding);
  const names = song?.keys.map(({ name }) => name).filter((name) => here.includes(name)).map(withSigns) ?? [];
  return names.length > 1 ? ` Until it does, this song can be read in ${names.slice(0, -1).join(", ")} and ${names.at(-1)}.` : "";
}

/// Sends the waiting choices to the agent.
async function sendWaiting() {
  if (isSending) return;
  isSending = true;
  try {
    await sendEach();
  } finally {
    isSending = false;
    if (book.waiting.length > 0) retry.later(sendWaiting);
  }
}

async function sendEach() {
  for (const wanted of book.waiting) {
    const { place, chart, song, view, isEverywhere } = wanted;
    // Another choice may have been made while the ones before were sent.
    if (wanted.isOvertaken || book.wanted(place) !== wanted) continue;
    const answer = wanted.sent ?? outcome(ask(place, song, view, isEverywhere));
    wanted.sent = null;
    const { fresh, error: failure } = await answer;
    if (failure && isAway(failure)) break;
    if (failure && wanted.isOvertaken) continue;
    // Another key may have been chosen in the meantime.
    if (book.wanted(place) !== wanted) continue;
    book.want(place, null);
    // The chart on the stand stays. If the agent's chart differs from it, the musician decides.
    const shown = { ...chart, song: { ...chart.song, waits: false } };
    book.keep(place, fresh?.id === place.chart && !book.isOnStand(place) ? fresh : shown);
    if (failure) {
      const words = `“${chart.title}” does not stay in the key that you chose: ${failure.message}`;
      sayAlso("key", { words, brief: words, act: null });
    }
    // The agent may have sent this event before its answer, while the choice was still waiting, so emit it again.
    emit("chart", { chart: place.chart, set: null });
  }
}

on("open", () => { if (book.waiting.length > 0) sendWaiting(); });
