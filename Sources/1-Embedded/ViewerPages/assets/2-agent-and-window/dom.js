// Makes elements and dialogs. Text reaches the page only as text: nothing here parses HTML.
import { commandBehindPanel } from "./keyboard.js";

const SVG = "http://www.w3.org/2000/svg";

/// A text by others, without characters that reverse the direction of the rest of a line: titles never need them.
export const plain = (text) => String(text).replace(/[\u202a-\u202e\u2066-\u2069]/g, "");

/// An element with attributes: `on…` adds a listener, `text` sets its text; null leaves an attribute out.
export function h(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "text") element.textContent = plain(value);
    else element.setAttribute(key, plain(value === true ? "" : value));
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => (child.nodeType ? child : plain(child))));
  return element;
}

/// A button with a text, of a class such as `strong` or `plain`.
export const button = (text, onclick, kind = "") => h("button", { type: "button", class: `button ${kind}`.trim(), text, onclick });

/// Runs an action unless it is already running. The element is marked busy, not disabled: a disabled element loses the keyboard focus.
export async function busily(element, act, failed) {
  if (element.getAttribute("aria-busy") === "true") return;
  element.setAttribute("aria-busy", "true");
  try {
    await act();
  } catch (error) {
    failed(error);
  } finally {
    element.setAttribute("aria-busy", "false");
  }
}

/// An SVG element with one shape in it; `attributes` are those of the element, and `shapeAttributes` those of the shape.
export function drawing(attributes, shape, shapeAttributes) {
  const [svg, inside] = ["svg", shape].map((name) => document.createElementNS(SVG, name));
  for (const [key, value] of Object.entries(attributes)) svg.setAttribute(key, value);
  for (const [key, value] of Object.entries(shapeAttributes)) inside.setAttribute(key, value);
  svg.append(inside);
  return svg;
}

/// One of the shell's icons, for decoration only: the button has the name. Copying an icon is cheaper than drawing it again.
const icons = new Map();
export function icon(name) {
  if (!icons.has(name)) icons.set(name, drawing({ class: "icon", "aria-hidden": "true" }, "use", { href: `#i-${name}` }));
  return icons.get(name).cloneNode(true);
}

/// A button with an icon, a name for screen readers, and the key that does the same.
export function iconButton(name, label, key, onclick) {
  const title = key ? `${label} (${key})` : null;
  return h("button", { type: "button", class: "tool", "aria-label": label, "aria-keyshortcuts": key, title, onclick }, icon(name));
}

/// Replaces an element's content. Details stay unfolded. The keyboard focus stays on its control if the new content has the same control,
/// even with another text; otherwise, the whole view gets the focus.
export function redraw(element, ...parts) {
  const focused = element.contains(document.activeElement) ? document.activeElement : null;
  const unfolded = new Set([...element.querySelectorAll("details[open]")].map(identityOf));
  element.replaceChildren(...parts);
  for (const each of element.querySelectorAll("details")) each.open = unfolded.has(identityOf(each));
  if (!focused) return;
  const same = [...element.querySelectorAll(focused.localName)].filter((each) => identityOf(each) === identityOf(focused));
  const stays = same.find((each) => each.textContent === focused.textContent) ?? same[0];
  (stays ?? document.getElementById("content")).focus({ preventScroll: true });
}

const identityOf = (each) =>
  [each.getAttribute("href"), each.className, each.closest("[data-card]")?.dataset.card, each.closest("details")?.dataset.name].join(" ");

/// Moves the focus to `next` if `element`, which has it, is about to disappear or be covered.
export function leaveFor(next, element) {
  if (element.contains(document.activeElement)) next.focus({ preventScroll: true });
}

/// Passes an element's height to the style sheets under this name, and its width if a second name is given.
export function publishSize(element, height, width = null) {
  new ResizeObserver(() => {
    const box = element.getBoundingClientRect();
    document.documentElement.style.setProperty(height, `${Math.ceil(box.height)}px`);
    if (width) document.documentElement.style.setProperty(width, `${Math.ceil(box.width)}px`);
  }).observe(element);
}

/// Takes the focus from a clicked button: a pedal that sends a space must turn the page, not press the button again.
export const letGo = (event) => event.target.closest("button:not(:focus-visible)")?.blur();

/// Has a screen reader speak a sentence that is not shown. Screen readers repeat a sentence only if it differs from the last.
export function say(sentence) {
  const spoken = document.getElementById("spoken");
  spoken.textContent = spoken.textContent === sentence ? `${sentence}\u00a0` : sentence;
}

/// Sent to an open panel when another song comes on the stand.
export const ANOTHER_SONG = "woodshed:song";
export const announceSong = () => document.querySelector("dialog[open]")?.dispatchEvent(new Event(ANOTHER_SONG));

/// How long (ms) panels of a kind stay open over the music if nobody touches them: a musician with an instrument in hand does not
/// close them. A wide panel has more text.
const UNTOUCHED = { side: 20_000, finder: 20_000, "small passing": 20_000, "wide passing": 60_000 };

/// Opens a dialog in the middle, or a panel at the side, and closes any other. The browser keeps the focus inside; Escape or a
/// click outside closes the dialog. Returns the dialog, which is removed when it closes. `data-touched` means that somebody used
/// it, `data-reached` that its focused control was reached with the keyboard.
export function openPanel(title, kind, ...children) {
  document.querySelector("dialog[open]")?.close();
  const heading = h("h2", { text: title, tabindex: "-1" });
  const dialog = h("dialog", { class: `panel ${kind}`, "aria-label": title },
    h("header", {}, heading, iconButton("close", "Close", null, () => dialog.close())), ...children);
  const before = document.activeElement;
  const isPassing = document.body.dataset.view === "chart" && UNTOUCHED[kind];
  const ending = isPassing ? setTimeout(() => dialog.close(), UNTOUCHED[kind]) : 0;
  const touch = (event) => {
    // Turning pages with a pedal does not count as touching the panel.
    if (event.type === "keydown" && commandBehindPanel(event)) return;
    clearTimeout(ending);
    dialog.dataset.touched = "";
  };
  for (const kind of ["pointerdown", "pointermove", "wheel", "keydown", "input"]) dialog.addEventListener(kind, touch, { passive: true });
  // Find out now whether the control was reached with the keyboard: after any key press, it would match `:focus-visible`.
  dialog.addEventListener("focusin", ({ target }) => dialog.toggleAttribute("data-reached", target.matches(":focus-visible")));
  dialog.addEventListener("close", () => {
    clearTimeout(ending);
    dialog.remove();
    if (before?.isConnected) before.focus({ preventScroll: true });
  });
  // In a search field, some browsers use Escape for the field, so close the dialog here.
  dialog.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.isComposing || event.defaultPrevented) return;
    event.preventDefault();
    dialog.close();
  });
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  document.body.append(dialog);
  dialog.showModal();
  // A panel beside the music starts with no control focused: a pedal may send Space.
  (kind === "side" ? heading : dialog.querySelector("input:checked") ?? dialog.querySelector("input"))?.focus();
  return dialog;
}

/// Keeps the screen on until the returned function is called.
export function keepAwake() {
  let lock = null;
  let isWanted = true;
  const ask = async () => {
    if (!isWanted || document.visibilityState !== "visible") return;
    // The system may refuse, for example to save battery.
    lock = await navigator.wakeLock?.request("screen").catch(() => null) ?? null;
    if (!isWanted) lock?.release();
  };
  // The system takes the lock back whenever the page is hidden.
  document.addEventListener("visibilitychange", ask);
  ask();
  return () => {
    isWanted = false;
    document.removeEventListener("visibilitychange", ask);
    lock?.release().catch(() => null);
  };
}
