// Pedals that send other keys, with a second command for a long press, and remotes that turn a wheel: how they are taught, and what becomes
// of what they send. Loaded with the panels; plain presses that were taught are in keyboard.js, so they turn before.
import { button, h } from "./dom.js";
import { HELD, commandBehindPanel, commandOf, heldCommand, pedalCommand, pressed, shortPress } from "./keyboard.js";
import { settings } from "./settings.js";

/// The commands that a pedal can be taught.
const COMMANDS = [
  ["next", "Next page"], ["previous", "Previous page"], ["nextItem", "Next item"], ["previousItem", "Previous item"],
  ["jump", "Take the next jump"], ["jumpBack", "Back from a jump"], ["first", "First page of the song"],
  ["nextPage", "One page of two on"], ["previousPage", "One page of two back"],
  ["follow", "Follow whoever leads"], ["lead", "Lead the others"],
];
/// How long (ms) a long press is, longer than systems wait before a held key repeats, which is 660 at most where nobody has changed it; and
/// how long (ms) a wheel rests between two turns of it.
const [LONG, REST] = [800, 250];

const signs = {
  ArrowRight: "→", ArrowLeft: "←", ArrowDown: "↓", ArrowUp: "↑", PageDown: "Page ↓", PageUp: "Page ↑", " ": "Space", Escape: "Esc",
  WheelUp: "Wheel ↑", WheelDown: "Wheel ↓", AudioVolumeUp: "Volume ↑", AudioVolumeDown: "Volume ↓", AudioVolumeMute: "Mute",
  MediaTrackNext: "Next track", MediaTrackPrevious: "Previous track", MediaPlayPause: "Play",
};

export function nameOf(key) {
  if (key.startsWith(HELD)) return `${nameOf(key.slice(HELD.length))}, held`;
  return key === "+" ? key : key.split("+").map((part) => signs[part] ?? part).join(" ");
}

/// Whether a pedal is being taught, which then gets all keys.
let isLearning = false;

const isModifier = ({ key }) => ["Shift", "Control", "Alt", "Meta"].includes(key);
const wheelName = ({ deltaY }) => (deltaY > 0 ? "WheelDown" : "WheelUp");
const isTyping = ({ target }) => target.closest?.("input:not([type=radio], [type=checkbox]), textarea, select");

/// Runs the commands of keys whose long press was taught, and of a wheel. A press leads to one command: to the long one as soon as the press is
/// long, or else, when the key is released, to the key's own one, which the drawing tools may have.
export class HeldKeys {
  #run;
  /// The key that is down, as `{code, command, event, timer}`; null once it has led to its long command.
  #down = null;
  #wheeled = -Infinity;
  #end = new AbortController();

  constructor(run) { this.#run = run; }

  /// Listens before all others. Returns a function that ends this.
  start() {
    const { signal } = this.#end;
    addEventListener("keydown", (event) => this.#press(event), { capture: true, signal });
    addEventListener("keyup", (event) => this.#release(event), { capture: true, signal });
    addEventListener("wheel", (event) => this.#wheel(event), { capture: true, passive: false, signal });
    addEventListener("blur", () => this.#forget(), { signal });
    return () => {
      this.#forget();
      this.#end.abort();
    };
  }

  #press(event) {
    const long = heldCommand(event);
    if (!long || isLearning || event.defaultPrevented || event.isComposing || isModifier(event)) return;
    const isBehind = document.querySelector("dialog[open]") !== null;
    // What somebody types belongs to the field, unless the key was taught for itself, as everywhere.
    if (isTyping(event) && !pedalCommand(event)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (event.repeat) return;
    this.#forget();
    const command = isBehind ? commandBehindPanel(event) : commandOf(event);
    const timer = setTimeout(() => {
      this.#down = null;
      this.#run(long, event);
    }, LONG);
    this.#down = { code: event.code, command, event, timer };
  }

  #release(event) {
    const down = this.#down;
    if (!down || down.code !== event.code) return;
    this.#forget();
    event.stopImmediatePropagation();
    const press = shortPress(down.event);
    const { target } = down.event;
    (target.isConnected === false ? document.body : target).dispatchEvent(press);
    // A press that a script sends does nothing in controls with the focus. The time of the release counts, for measuring the turn.
    if (!press.defaultPrevented && down.command) this.#run(down.command, event);
  }

  #forget() {
    clearTimeout(this.#down?.timer);
    this.#down = null;
  }

  #wheel(event) {
    const command = settings.get("pedals")[wheelName(event)];
    if (!command || event.ctrlKey || event.deltaY === 0 || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    // A remote, like a hand at a wheel, sends many events for one movement.
    const isOne = event.timeStamp - this.#wheeled > REST;
    this.#wheeled = event.timeStamp;
    if (isOne) this.#run(command, event);
  }
}

/// The part of the shortcuts where pedals are taught, for the commands that are there.
export function pedals(isThere) {
  const rows = COMMANDS.filter(([command]) => isThere(command))
    .map(([command, words]) => pedalRow(command, words, () => rows.forEach((row) => row.show())));
  return h("section", { class: "pedals" },
    h("h3", { text: "Your pedal" }),
    h("p", { class: "quiet" },
      "If your pedal sends other keys than those below, teach it: choose what it is to do, then press it, or hold it for a second command. ",
      "A remote’s wheel and volume keys can be taught, too."),
    h("ul", {}, rows.map((row) => row.element)));
}

function pedalRow(command, words, changed) {
  const known = h("span", { class: "quiet" });
  const teach = button("Teach", () => {
    teach.textContent = "Press or hold…";
    teach.removeAttribute("aria-label");
    learn(teach, (name) => {
      if (name) settings.put("pedals", name, command);
      changed();
    });
  });
  const forget = button("Forget", () => {
    settings.set("pedals", Object.fromEntries(Object.entries(settings.get("pedals")).filter(([, each]) => each !== command)));
    changed();
    teach.focus();
  }, "plain");
  forget.setAttribute("aria-label", `Forget the pedal for “${words}”`);
  const show = () => {
    const names = Object.entries(settings.get("pedals")).filter(([, each]) => each === command).map(([name]) => nameOf(name));
    known.textContent = names.join("; ");
    forget.hidden = names.length === 0;
    teach.textContent = "Teach";
    teach.setAttribute("aria-label", `Teach a pedal “${words}”`);
  };
  show();
  return { element: h("li", {}, h("span", { text: words }), known, forget, teach), show };
}

/// Calls `done` with the name of the next key that is pressed or held, or of a turn of the wheel; with null after Escape, or when the button
/// loses the focus.
function learn(origin, done) {
  const listening = new AbortController();
  const { signal } = listening;
  let name = null;
  let timer = 0;
  isLearning = true;
  const end = (learned) => {
    isLearning = false;
    clearTimeout(timer);
    listening.abort();
    done(learned);
  };
  const take = (event) => {
    event.preventDefault();
    event.stopPropagation();
  };
  addEventListener("keydown", (event) => {
    if (isModifier(event)) return;
    take(event);
    if (event.repeat) return;
    if (event.key === "Escape") return end(null);
    name = pressed(event);
    clearTimeout(timer);
    timer = setTimeout(() => end(HELD + name), LONG);
  }, { capture: true, signal });
  addEventListener("keyup", (event) => {
    if (!name || isModifier(event)) return;
    take(event);
    end(name);
  }, { capture: true, signal });
  addEventListener("wheel", (event) => {
    take(event);
    if (event.deltaY !== 0) end(wheelName(event));
  }, { capture: true, passive: false, signal });
  origin.addEventListener("blur", () => end(null), { signal });
}
