// What stands in a page's place while there is no image of it.
import { h } from "./dom.js";
import { pictureOf } from "./pictures.js";

/// A sentence and what to do.
export function cardFor({ size, label }, sentence, retry) {
  const element = h("div", {},
    h("div", { class: "card" },
      h("h2", { text: label }), h("p", { text: sentence }),
      h("button", { type: "button", class: "button", text: "Try again", onclick: retry })));
  return { element, label, size, isDark: false };
}

/// The thumbnail, stretched: only for the very first page, where there is no old one that could stay.
export function thumbnailFor(chart, request) {
  const image = chart.pages[request.page]?.thumbnail;
  const element = h("div", { role: "img", "aria-label": `${request.label}, being made` },
    h("p", { class: "making", text: "This page is being made …" }));
  const src = image && pictureOf(image);
  if (src) element.append(h("img", { class: "preview", src, alt: "" }));
  return { element, label: request.label, size: request.size, isDark: false };
}
