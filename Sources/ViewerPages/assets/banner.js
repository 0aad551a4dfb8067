// One line on top, only while something is amiss: no network, no agent, or one that does not know this browser.
import { api } from "./api.js";
import { on } from "./events.js";
import { since } from "./times.js";

const element = document.getElementById("banner");
let status = { offlineSince: null, paused: false, lastPoll: null };
/// `broken`: the agent does not answer; `stranger`: it does not know this browser.
let trouble = null;
let patience = 0;
let rest = 0;
/// Sessions end with the agent, and it is let in again by what it was let in by before.
const wayIn = /^(127\.0\.0\.1|localhost|.*\.localhost)$/.test(location.hostname)
  ? "run “woodshed open” to sign this browser in again."
  : "enter the token in another tab to sign this browser in again.";
const troubles = {
  broken: "Woodshed’s agent does not answer. Loaded pages stay on screen.",
  stranger: `Woodshed was restarted: ${wayIn} Loaded pages stay on screen.`,
};
/// How long (ms) the sentence stands over the music; then it is a dot until the controls are shown.
const FRESH = 6000;

function show() {
  let sentence = "";
  if (trouble) {
    sentence = troubles[trouble];
  } else if (status.offlineSince) {
    sentence = `Offline since ${since(status.offlineSince)}. Everything shown is stored on this computer.`;
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

/// Says no more than is known: whether the agent answers turns out anew.
const calm = () => be(null);

on("status", showStatus);
on("open", () => {
  calm();
  // The stream tells what changes, not how things stand. The list of plans asks for that by itself.
  if (document.body.dataset.view !== "plans") api.state().then(showStatus, () => null);
});
on("rest", calm);
on("broken", () => {
  // An agent that is only started anew is back before anybody need know. Each try in vain says so again.
  if (patience === 0) patience = setTimeout(() => be("broken"), 1200);
});
on("stranger", () => be("stranger"));
