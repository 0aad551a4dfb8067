// Makes elements. Text reaches the page only as text: nothing here parses HTML.

const SVG = "http://www.w3.org/2000/svg";

/// An element with attributes: `on…` adds a listener, `class` and `text` set what they say, null leaves an attribute out.
export function h(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "text") element.textContent = value;
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/// One of the shell's icons; only decoration, since its button has a name.
export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `#i-${name}`);
  svg.append(use);
  return svg;
}

/// A button with just an icon, a name for those who do not see it, and the key that does the same.
export function iconButton(name, label, key, onclick) {
  return h("button", {
    type: "button", class: "tool", "aria-label": label, "aria-keyshortcuts": key, title: key ? `${label} (${key})` : label, onclick,
  }, icon(name));
}

/// Redraws what is in an element; who stood on a link or a button there stands on the same one afterwards.
export function redraw(element, ...parts) {
  const focused = element.contains(document.activeElement) ? document.activeElement : null;
  const isSame = (each) => each.getAttribute("href") === focused.getAttribute("href") && each.textContent === focused.textContent
    && each.closest("[data-card]")?.dataset.card === focused.closest("[data-card]")?.dataset.card;
  element.replaceChildren(...parts);
  if (focused) [...element.querySelectorAll(focused.localName)].find(isSame)?.focus({ preventScroll: true });
}

/// Says something to a screen reader, without showing it.
export function say(sentence) {
  document.getElementById("spoken").textContent = sentence;
}
