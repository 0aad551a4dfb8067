// Makes a set: a list of songs for a day, written to a file in one of the musician's own folders. Also edits such a list.
//
//     new, or read ──edited──► draft ──saved──┬─ written ──► a plan with the agent's next look
//                                             └─ changed by others ──► what is there now; one's own version can be put back
import { api } from "./api.js";
import { busily, button, h, openPanel } from "./dom.js";
import { openFinder } from "./finder.js";
import { withSigns } from "./running-order.js";
import { store, stored } from "./storage.js";

const MAJOR = ["C", "C#", "Db", "D", "Eb", "E", "F", "F#", "Gb", "G", "Ab", "A", "Bb", "B"];
const MINOR = ["Am", "A#m", "Bbm", "Bm", "Cm", "C#m", "Dm", "D#m", "Ebm", "Em", "Fm", "F#m", "Gm", "G#m"];
const CAPOS = [...Array(11).keys()].map((at) => at + 1);

/// By plan, what has not been saved yet: a tap beside the panel closes it, and an agent that dies may take the page with it. A new set is
/// under an empty name.
const KEPT = "woodshed-sets";
const drafts = new Map(readDrafts());

function readDrafts() {
  try {
    return JSON.parse(stored(KEPT) ?? "[]");
  } catch {
    return [];
  }
}

function keepDrafts() { store(KEPT, JSON.stringify([...drafts].filter(([, { isTouched }]) => isTouched))); }

function touch(draft) {
  draft.isTouched = true;
  keepDrafts();
}

function forget(draft) {
  draft.isTouched = false;
  drafts.delete(draft.plan);
  keepDrafts();
}

/// Opens the list that a plan is, or without a plan a new one.
export async function openSet(plan = "") {
  try {
    show(drafts.get(plan) ?? await begin(plan));
  } catch (error) {
    openPanel("Edit the set", "small", h("p", { role: "alert", text: error.message }));
  }
}

async function begin(plan) {
  if (plan) return { plan, ...await api.set(plan), isTouched: false };
  return { plan, day: "", time: "", title: "", lines: [], isTouched: false };
}

/// Shows a draft; `isBack` after a song was looked for.
function show(draft, isBack = false) {
  const trouble = h("p", { role: "alert", class: "trouble" });
  const said = h("p", { role: "status", class: "quiet", text: draft.isTouched && !isBack && !draft.former ? "This is not saved yet." : "" });
  const add = button("Add a song…", () => addSong(draft));
  /// A list may be longer than the screen, so what is wrong stands where somebody looks.
  const refuse = ({ message, status, isOfFields }) => {
    (isOfFields ? dialog.querySelector(".set-fields") : said).after(trouble);
    trouble.textContent = status === 0 ? `${message} This stays here until it can be saved.` : message;
    trouble.scrollIntoView({ block: "nearest" });
  };
  const save = button("Save", () => {
    trouble.textContent = "";
    return busily(save, () => keep(draft, dialog), refuse);
  }, "strong");
  const drop = button("Discard", () => {
    forget(draft);
    dialog.close();
  }, "plain");
  const list = h("ol", { class: "set-lines" }, draft.lines.map((line) => rowOf(line, draft, said, add)));
  const dialog = openPanel(draft.plan ? "Edit the set" : "New set", "set",
    h("p", { class: "quiet", text: draft.plan ? draft.name : "Songs for a day, as a text file in the first of your folders." }),
    !draft.plan && fieldsOf(draft), draft.former && formerOf(draft), list, said, trouble, h("div", { class: "row by-hand" }, add, save, drop));
  drafts.set(draft.plan, draft);
  keepDrafts();
  dialog.addEventListener("close", () => { if (!draft.isTouched && drafts.get(draft.plan) === draft) drafts.delete(draft.plan); });
  if (isBack) add.focus();
}

/// The day, the time and the title of a new set. Later, they are the name of its file, which is not changed here.
function fieldsOf(draft) {
  const field = (name, words, type, rest = {}) => h("label", {}, h("span", { class: "quiet", text: words }), h("input", {
    type, name, class: "search", value: draft[name], autocomplete: "off", ...rest,
    oninput: ({ target }) => {
      draft[name] = target.value;
      touch(draft);
    },
  }));
  return h("div", { class: "set-fields" },
    field("day", "Day", "date", { required: true }), field("time", "Time, if you like", "time"), field("title", "Title, if you like", "text", { maxlength: 100 }));
}

/// After others changed the file, the way back to one's own version.
function formerOf(draft) {
  return h("div", { role: "alert" },
    h("p", { text: "Somebody has changed this list in the meantime. This is what it says now; nothing was written over." }),
    h("div", { class: "row by-hand" }, button("Put my version back", () => show({ ...draft, lines: draft.former, former: null, isTouched: true }))));
}

function addSong(draft) {
  const chosen = (_, { title, key }) => {
    draft.lines.push({ kind: "song", title, key: key ?? null, capo: null });
    touch(draft);
  };
  const finder = openFinder(null, null, { chosen, isForTitle: true });
  finder.addEventListener("close", () => show(draft, true));
}

/// One line, with its key and capo, and buttons to move it.
function rowOf(line, draft, said, add) {
  const change = (act) => () => {
    act();
    touch(draft);
  };
  const tool = (sign, words, act) => {
    const element = button(sign, change(act), "plain");
    element.setAttribute("aria-label", words);
    return element;
  };
  const choice = (words, values, current, textOf, set) => h("select", {
    "aria-label": `${words} of ${line.title}`, onchange: ({ target }) => change(() => set(target.value))(),
  }, ["", ...values, ...(current && !values.includes(current) ? [current] : [])]
    .map((value) => h("option", { value: String(value), selected: value === (current ?? ""), text: textOf(value) })));
  const move = (step) => {
    const { lines } = draft;
    const at = lines.indexOf(line);
    const beside = step < 0 ? row.previousElementSibling : row.nextElementSibling;
    if (beside) {
      lines.splice(at + step, 0, ...lines.splice(at, 1));
      // Move the neighbour: an element that moves loses the focus.
      if (step < 0) row.after(beside);
      else row.before(beside);
    }
    said.textContent = `${line.title} is ${lines.indexOf(line) + 1} of ${lines.length}`;
  };
  const remove = () => {
    draft.lines.splice(draft.lines.indexOf(line), 1);
    said.textContent = `${line.title} is removed`;
    (row.nextElementSibling ?? row.previousElementSibling)?.querySelector("button:last-child").focus();
    if (draft.lines.length === 0) add.focus();
    row.remove();
  };
  const row = h("li", {},
    h("span", { class: line.kind === "song" ? "set-title" : "set-title quiet", text: line.title }),
    h("span", {},
      tool("↑", `Move ${line.title} up`, () => move(-1)), tool("↓", `Move ${line.title} down`, () => move(1)), tool("×", `Remove ${line.title}`, remove)),
    line.kind === "song" && h("span", { class: "set-how" },
      choice("Key", [...MAJOR, ...MINOR], line.key, (key) => withSigns(key) || "As written", (key) => { line.key = key || null; }),
      choice("Capo", CAPOS, line.capo, (fret) => (fret === "" ? "No capo" : `Capo ${fret}`), (fret) => { line.capo = fret ? Number(fret) : null; })));
  return row;
}

/// Sends the draft, and closes the panel once it is in its file.
async function keep(draft, dialog) {
  const { plan, day, time, title, lines, of } = draft;
  if (!plan && !day) {
    dialog.querySelector("input").focus();
    throw Object.assign(new Error("Choose a day."), { isOfFields: true });
  }
  const answer = await api.keepSet(plan ? { plan, of, lines } : { day, time: time || null, title, lines });
  // If the answer to the same list was lost, the file has it already.
  const isThere = answer.changed && JSON.stringify(answer.changed.lines) === JSON.stringify(lines);
  if (answer.changed && !isThere) return show({ plan, ...answer.changed, former: lines, isTouched: true });
  forget(draft);
  if (answer.listed || isThere) return dialog.close();
  return openPanel("The set is saved", "small", h("p", { text: `It is in the file “${answer.name}.txt”. It appears here some days before its day, until it is over.` }));
}
