// A long press on a symbol shows its name beside it, and does nothing else: a mouse has tips for this, a finger or a pen has none.
import { h } from "./dom.js";

/// How long (ms) a press lasts before the name is shown, and how far (CSS pixels) the name is from its symbol.
const LONG = 500;
const APART = 10;

const label = h("p", { class: "symbol-name", "aria-hidden": "true" });
let timer = 0;
let isHeld = false;

function show(symbol) {
  isHeld = true;
  label.textContent = symbol.ariaLabel;
  // Whatever is outside an open panel is behind it.
  (symbol.closest("dialog") ?? document.body).append(label);
  const { left, right, top, bottom } = symbol.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = label;
  const [x, y] = [(left + right - width) / 2, (top + bottom - height) / 2];
  // On the side towards the middle of the screen, seen from the nearest edge.
  const [[, across, down]] = [
    [top, x, bottom + APART], [innerHeight - bottom, x, top - APART - height], [left, right + APART, y], [innerWidth - right, left - APART - width, y],
  ].sort(([a], [b]) => a - b);
  label.style.left = `${Math.max(0, Math.min(across, innerWidth - width))}px`;
  label.style.top = `${down}px`;
}

function end() {
  clearTimeout(timer);
  timer = 0;
  label.remove();
}

const listen = (name, act) => addEventListener(name, act, true);
listen("pointerdown", ({ target, pointerType }) => {
  end();
  isHeld = false;
  const symbol = target.closest?.(".tool[aria-label]");
  if (symbol && pointerType !== "mouse") timer = setTimeout(() => show(symbol), LONG);
});
listen("pointerup", end);
listen("pointercancel", end);
// A menu would end the press.
listen("contextmenu", (event) => { if (timer) event.preventDefault(); });
// Some browsers click after a long press. A key's click has no detail.
listen("click", (event) => {
  if (!isHeld || event.detail === 0) return;
  event.preventDefault();
  event.stopPropagation();
});
