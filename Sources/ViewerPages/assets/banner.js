// One line on top, only while something is amiss: no network, or no agent.
import { api } from "./api.js";
import { on } from "./events.js";
import { since } from "./times.js";

const element = document.getElementById("banner");
let status = { offlineSince: null, paused: false, lastPoll: null };
let isBroken = false;
let patience = 0;
let rest = 0;
/// How long (ms) the sentence stands over the music; then it is a dot until the controls are shown.
const FRESH = 6000;

function show() {
  let sentence = "";
  if (isBroken) {
    sentence = "Woodshed’s agent does not answer. What is loaded stays on screen.";
  } else if (status.offlineSince) {
    sentence = `Offline since ${since(status.offlineSince)}. Everything shown is kept on this computer.`;
  } else if (status.paused) {
    sentence = "Woodshed is paused: nothing new is fetched.";
  }
  element.hidden = sentence === "";
  // Set only when it differs, so that a screen reader says it once.
  if (element.textContent !== sentence) {
    element.textContent = sentence;
    element.classList.add("fresh");
    clearTimeout(rest);
    rest = setTimeout(() => element.classList.remove("fresh"), FRESH);
  }
  element.dataset.kind = isBroken ? "broken" : "offline";
}

export function showStatus(news) {
  status = { ...status, ...news };
  show();
}

/// Says no more than is known: whether the agent answers turns out anew.
function calm() {
  clearTimeout(patience);
  isBroken = false;
  show();
}

on("status", showStatus);
on("open", () => {
  calm();
  // The stream tells what changes, not how things stand. The list of plans asks for that by itself.
  if (document.body.dataset.view !== "plans") api.state().then(showStatus, () => null);
});
on("rest", calm);
on("broken", () => {
  clearTimeout(patience);
  // An agent that is only started anew is back before anybody need know.
  patience = setTimeout(() => {
    isBroken = true;
    show();
  }, 1200);
});
