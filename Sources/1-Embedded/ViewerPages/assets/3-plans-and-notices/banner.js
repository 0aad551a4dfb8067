// One line at the lower edge, shown only while something is wrong: no network, no agent, an agent that does not recognise this browser, or
// marks that the agent does not keep. Over the music, the line is a mark in the margin; a tap shows the sentence.
import { api, needsToken } from "./api.js";
import { readState } from "./books.js";
import { button, h, publishSize } from "./dom.js";
import { emit, on } from "./events.js";
import { holder } from "./plan-holder.js";
import { parse } from "./routes.js";
import { isOnShelf } from "./shelf.js";
import { openSignIn } from "./sign-in.js";
import { since } from "./times.js";

/// How long (ms) an agent may be away before the line reports it: a restarting agent is back by then.
const RESTART = 1200;
/// How long (ms) the sentence stays after a tap on the dot.
const READ = 10_000;

const element = document.getElementById("banner");
const text = h("span");
const signIn = button("Sign in", () => askForToken(true), "plain");
const there = button("", () => [...also.values()].find(({ act }) => act)?.act(), "plain");
element.append(text, there, signIn);
const computer = needsToken ? "the computer that runs Woodshed" : "this computer";
/// Sessions end with the agent. After its restart, the browser signs in the same way as before.
const wayIn = needsToken ? "sign in" : "run “woodshed open” to sign this browser in";
let status = { offlineSince: null, failingPolls: null, paused: false, lastPoll: null };
/// `broken` if there is no agent, `silent` if the agent does not answer, `stranger` if it does not recognise this browser.
let trouble = null;
/// Whether the agent has recognised this browser so far and, below, whether to ask for the token at the end of the song.
let isKnown = true;
let isDue = false;
let patience = 0;
let rest = 0;
/// Other messages in the same line, by name: `{words, brief, act, label}`. The shorter `brief` is shown together with other
/// trouble; the button with this `label` calls `act`.
const also = new Map();

/// A sentence about the pages that can still be played.
function heldHere() {
  const held = holder.progress;
  if (!held || held.here === 0 || parse(location).plan !== held.plan) return `Loaded pages stay on screen.`;
  if (held.missing === 0 && held.here >= held.all) return `All pages of this plan are in this browser and can be turned.`;
  return `${held.here} of ${held.all} pages of this plan are in this browser${held.missing > 0 ? "; some charts are missing" : ""}.`;
}

function sentence() {
  const { offlineSince, failingPolls, paused } = status;
  if (trouble === "stranger") return `Woodshed was restarted: ${wayIn} again. ${heldHere()}`;
  // Reloading a page without the agent loses the page, unless the browser has it on its shelf.
  if (trouble) {
    const { view, plan } = parse(location);
    return `Woodshed’s agent does not answer. ${heldHere()}${isOnShelf(view, plan) ? "" : " Do not reload this page."}`;
  }
  if (offlineSince) return `Offline since ${since(offlineSince)}. Everything shown is stored on ${computer}.`;
  if (failingPolls) return `Not updated since ${since(failingPolls.since)}, so there may be newer charts: ${failingPolls.message}.`;
  return paused ? "Woodshed is paused: nothing new is fetched." : "";
}

function show() {
  const more = [...also.values()];
  const words = [sentence(), ...more.map((each) => (trouble ? each.brief : each.words))].filter(Boolean).join(" ");
  element.hidden = words === "";
  const first = more.find(({ act }) => act);
  there.hidden = !first;
  there.textContent = first?.label ?? "Show them";
  signIn.hidden = trouble !== "stranger" || !needsToken;
  // Set the text only when it changes, so a screen reader speaks it once.
  if (text.textContent !== words) text.textContent = words;
  element.dataset.kind = trouble ?? (also.size > (also.has("order") ? 1 : 0) ? "waiting" : "offline");
}

/// Adds a message to the same line; null removes it.
export function sayAlso(name, news) {
  if (news) also.set(name, news);
  else if (!also.delete(name)) return;
  show();
}

export function showStatus(news) {
  status = { ...status, ...news };
  show();
}

function be(kind) {
  clearTimeout(patience);
  patience = 0;
  trouble = kind;
  show();
}

/// Asks once: a musician who closes the panel may want to see the loaded pages.
function askForToken(isAsked) {
  isDue = false;
  openSignIn(isAsked);
}

const isMusic = () => document.body.dataset.view === "chart";

element.addEventListener("click", ({ target }) => {
  // The first tap opens the line, which is a narrow mark until then.
  if (!signIn.hidden && element.clientWidth > 50 && !target.closest("button")) askForToken(true);
  element.classList.add("open");
  clearTimeout(rest);
  rest = setTimeout(() => element.classList.remove("open"), READ);
});
publishSize(element, "--banner-height");

// The pages that the sentence counts depend on the view, and so does the shelf. The next view is there after this event.
addEventListener("woodshed:route", () => {
  if (!element.hidden) show();
  setTimeout(() => isDue && !isMusic() && askForToken());
});
on("song", () => isDue && askForToken());

on("status", showStatus);
on("open", () => {
  be(null);
  [isKnown, isDue] = [true, false];
  // The stream reports changes, not the current state. The list of plans requests the state itself.
  if (document.body.dataset.view !== "plans") readState(showStatus).catch(() => null);
});
on("rest", () => be(null));
// The event comes again with each failed try to connect, so only the first one starts the timer.
on("broken", () => { if (patience === 0) patience = setTimeout(() => be("broken"), RESTART); });
on("stranger", () => {
  be("stranger");
  if (!isKnown || !needsToken) return;
  isKnown = false;
  isDue = isMusic() && !api.isUnsigned;
  if (isDue) emit("words", "Woodshed was restarted: sign in again at the end of the song");
  else askForToken(true);
});
on("silent", () => be("silent"));
