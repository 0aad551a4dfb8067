// `v`: how pages are shown, and the theme.
import { forgetMarginBox, openMarginBox } from "./margin-box.js";
import { h } from "./dom.js";
import { handBoxOf } from "./margins.js";
import { openPanel } from "./panel.js";
import { settings } from "./settings.js";

const choices = [
  ["Size", "fit", [["page", "Fit the page"], ["width", "Fit the width"]]],
  ["Margins", "margins", [["printed", "As printed"], ["page", "Off, page by page"], ["chart", "Off, whole chart alike"]]],
  ["Pages side by side", "spread", [["auto", "Automatic"], ["one", "One"], ["two", "Two"]]],
  ["Turn", "half", [[false, "Whole page"], [true, "Half a page at a time"]]],
  ["Paper", "night", [[false, "White"], [true, "Dark"]]],
  ["Marks", "marks", [[true, "Shown"], [false, "Hidden"]]],
  ["Theme", "theme", [["system", "System"], ["light", "Light"], ["dark", "Dark"]]],
];

export function openView(reader) {
  const inputs = [];
  // One choice may settle another that nobody has made.
  const check = () => inputs.forEach(({ input, name, value }) => {
    input.checked = settings.get(name) === value;
  });
  openPanel("View", { kind: "side" }, choices.map(([title, name, values]) => h("fieldset", { class: "choice" },
    h("legend", { text: title }),
    h("div", { class: "segments" }, values.map(([value, words]) => {
      const input = h("input", { type: "radio", name, value: String(value), checked: settings.get(name) === value });
      inputs.push({ input, name, value });
      input.addEventListener("change", () => {
        settings.set(name, value);
        check();
      });
      return h("label", {}, input, h("span", { text: words }));
    })),
    name === "margins" && marginsByHand(reader))));
}

/// Buttons for margins that are set by hand, where there is a page to set them on.
function marginsByHand({ shown }) {
  if (!shown?.chart || shown.positions.length === 0) return null;
  const forget = h("button", {
    type: "button", class: "button", text: "Forget it", hidden: !handBoxOf(shown.chart),
    onclick: () => {
      forgetMarginBox(shown.chart);
      forget.hidden = true;
      set.focus();
    },
  });
  const set = h("button", { type: "button", class: "button", text: "Set margins by hand…", onclick: () => openMarginBox({ shown }) });
  return h("div", { class: "row by-hand" }, set, forget);
}
