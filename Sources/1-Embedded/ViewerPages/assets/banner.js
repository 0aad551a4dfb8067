// One line at the top, only while something is wrong: no network, no agent, or an agent that does not know this browser.
import { api, onSilence } from "./api.js";
import { holder } from "./plan-holder.js";
import { on } from "./events.js";
import { parse } from "./routes.js";
import { since } from "./times.js";

const element = document.getElementById("banner");
let status = { offlineSince: null, failingPolls: null, paused: false, lastPoll: null };
/// `broken`: there is no agent; `silent`: it does not answer; `stranger`: it does not know this browser.
let trouble = null;
let asking = 0;
let patience = 0;
let rest = 0;
const isOnAgentsComputer = /^(127\.0\.0\.1|localhost|.*\.localhost)$/.test(location.hostname);
/// Sessions end with the agent; the browser signs in again the same way as before.
const wayIn = isOnAgentsComputer
  ? "run “woodshed open” to sign this browser in again."
  : "enter the token in another tab to sign this browser in again.";
const troubles = {
  broken: () => `Woodshed’s agent does not answer. ${heldHere()}`,
  silent: () => `Woodshed’s agent does not answer. ${heldHere()}`,
  stranger: () => `Woodshed was restarted: ${wayIn} ${heldHere()}`,
};

/// What can be played all the same.
function heldHere() {
  const held = holder.progress;
  if (!held || held.here === 0 || parse(location).plan !== held.plan) return "Loaded pages stay on screen.";
  if (held.isWhole) return "All pages of this plan are in this browser and can be turned.";
  return `${held.here} of ${held.all} pages of this plan are in this browser${held.missing > 0 ? "; some charts are missing" : ""}.`;
}

/// How long (ms) between two questions to an agent that does not answer.
const RHYTHM = 1000;
/// How long (ms) the sentence stays over the music; after that it is a dot until the controls are shown.
const FRESH = 6000;

function show() {
  let sentence = "";
  if (trouble) {
    sentence = troubles[trouble]();
  } else if (status.offlineSince) {
    sentence = `Offline since ${since(status.offlineSince)}. Everything shown is stored on ${isOnAgentsComputer ? "this computer" : "the computer that runs Woodshed"}.`;
  } else if (status.failingPolls) {
    sentence = `Polls since ${since(status.failingPolls.since)} failed, so there may be newer charts: ${status.failingPolls.message.split(/[;.] /)[0]}.`;
  } else if (status.paused) {
    sentence = "Woodshed is paused: nothing new is fetched.";
  }
  element.hidden = sentence === "";
  // Only set when it changes, so that a screen reader says it once.
  if (element.textContent !== sentence) {
    element.textContent = sentence;
    element.classList.add("fresh");
    clearTimeout(rest);
    rest = setTimeout(() => element.classList.remove("fresh"), FRESH);
  }
  element.dataset.kind = trouble ?? "offline";
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

/// Clears the trouble, since it is about to show again whether the agent answers.
const calm = () => be(null);

on("status", showStatus);
on("open", () => {
  calm();
  // The stream reports changes, not the current state. The list of plans asks for that by itself.
  if (document.body.dataset.view !== "plans") api.state().then(showStatus, () => null);
});
on("rest", calm);
on("broken", () => {
  // An agent that just restarts is back before anybody needs to know. Each failed try reports this again.
  if (patience === 0) patience = setTimeout(() => be("broken"), 1200);
});
on("stranger", () => be("stranger"));

// A stream that is open says nothing about an agent that hangs; an answer that does not come does.
onSilence((isSilent) => {
  if (isSilent && !trouble) be("silent");
  if (trouble !== "silent") return;
  if (!isSilent) calm();
  else if (asking === 0) asking = setTimeout(askAgain, RHYTHM);
});

async function askAgain() {
  await api.isThere();
  asking = 0;
  if (trouble === "silent") asking = setTimeout(askAgain, RHYTHM);
}
