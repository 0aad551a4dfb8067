// `g`: go to a page by its number.
import { h } from "./dom.js";
import { openPanel } from "./panel.js";

export function askPage(pages, go) {
  const input = h("input", {
    type: "text", inputmode: "numeric", class: "search number", "aria-label": `Page, 1 to ${pages}`, placeholder: `1 – ${pages}`,
    autocomplete: "off",
  });
  const take = () => {
    const page = Number.parseInt(input.value, 10);
    if (!(page >= 1)) return;
    dialog.close();
    go(Math.min(page, pages));
  };
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    take();
  });
  const dialog = openPanel("Go to a page", { kind: "small" },
    h("div", { class: "row" }, input, h("button", { type: "button", class: "button strong", text: "Go", onclick: take })));
  input.focus();
}
