// Pedals that send keys of their own: four functions, learned by pressing.
import { h } from "./dom.js";
import { nameOf, pressed } from "./keys.js";
import { settings } from "./settings.js";

const functions = [["next", "Next page"], ["previous", "Previous page"], ["nextItem", "Next item"], ["previousItem", "Previous item"]];

/// Keys that only a pedal would send while a panel is open: learned ones, and those that panels have no use for.
const ofPedals = { PageDown: "next", PageUp: "previous" };

/// The command of a pedal's key; null if it is none.
export const pedalCommand = (event) => settings.get("pedals")[pressed(event)] ?? null;

/// What a field of a panel needs besides what is typed.
const ofFields = new Set(["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End", "Enter", "Backspace", "Delete"]);

/// What a pedal does while a panel is open; null if the key is meant for the panel.
export function commandBehindPanel(event) {
  const isForField = event.target.closest?.("input, textarea, select") && (event.key.length === 1 || ofFields.has(event.key));
  return isForField ? null : pedalCommand(event) ?? ofPedals[pressed(event)] ?? null;
}

/// The part of the keys' panel where pedals are taught.
export function pedalsPart() {
  const rows = functions.map(([command, words]) => rowOf(command, words, () => rows.forEach((row) => row.show())));
  return h("section", { class: "pedals" },
    h("h3", { text: "Your pedal" }),
    h("p", { class: "quiet", text: "If your pedal sends other keys than those above, teach it: choose what it is to do, then press it." }),
    h("ul", {}, rows.map((row) => row.element)));
}

function rowOf(command, words, changed) {
  const known = h("span", { class: "quiet" });
  const teach = h("button", { type: "button", class: "button" });
  const forget = h("button", { type: "button", class: "button plain", text: "Forget", "aria-label": `Forget the pedal for “${words}”` });
  const show = () => {
    const names = Object.entries(settings.get("pedals")).filter(([, each]) => each === command).map(([name]) => nameOf(name));
    known.textContent = names.join(", ");
    forget.hidden = names.length === 0;
    teach.textContent = "Teach";
    teach.setAttribute("aria-label", `Teach a pedal “${words}”`);
  };
  teach.addEventListener("click", () => {
    teach.textContent = "Press the pedal…";
    teach.removeAttribute("aria-label");
    learn(teach, (name) => {
      if (name) settings.set("pedals", { ...settings.get("pedals"), [name]: command });
      changed();
    });
  });
  forget.addEventListener("click", () => {
    settings.set("pedals", Object.fromEntries(Object.entries(settings.get("pedals")).filter(([, each]) => each !== command)));
    changed();
    teach.focus();
  });
  show();
  return { element: h("li", {}, h("span", { text: words }), known, forget, teach), show };
}

/// Takes the next key for a pedal's; Escape, or leaving the button, takes none.
function learn(button, done) {
  const end = (name) => {
    removeEventListener("keydown", take, true);
    button.removeEventListener("blur", leave);
    done(name);
  };
  const leave = () => end(null);
  const take = (event) => {
    if (["Shift", "Control", "Alt", "Meta"].includes(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    end(event.key === "Escape" ? null : pressed(event));
  };
  addEventListener("keydown", take, true);
  button.addEventListener("blur", leave);
}
