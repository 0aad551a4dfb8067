// What is shown in a page's place while there is no image of it.
import { asSentence } from "./reader-hint.js";
import { h } from "./dom.js";
import { pictureOf } from "./pictures.js";

/// A sentence, and a button if there is anything to do here.
export function cardFor({ size: { width, height }, label }, sentence, act, words = "Try again") {
  const element = h("div", {},
    h("div", { class: "card" },
      h("h2", { text: label }), h("p", { text: sentence }),
      act && h("button", { type: "button", class: "button", text: words, onclick: act })));
  // A card fills its place, however little of the page would be shown there.
  return { element, label, size: { width, height }, isDark: false };
}

export const FORMER = "This page belongs to an older version that is no longer kept.";

const AWAY = "This page is not in this browser, and Woodshed’s agent does not answer.";

/// Shown in place of a page that could not be fetched.
export function failedCardFor(request, failure, { retry, takeNew }) {
  switch (failure?.status) {
    case 410:
      if (failure.isFinal) return cardFor(request, FORMER, takeNew, "Show the new one");
      break;
    // The banner says how to sign in again; then the page comes by itself.
    case 401:
    case 403:
      return cardFor(request, "This page cannot be shown: the browser must sign in again.", null);
  }
  if (failure?.status === 0) return cardFor(request, AWAY, retry);
  const reason = failure?.reason && asSentence(failure.reason);
  return cardFor(request, ["This page cannot be shown now.", reason].filter(Boolean).join(" "), retry);
}

/// The thumbnail, enlarged: only for the very first page, when there is no earlier page that could stay.
export function thumbnailFor(request) {
  const image = request.chart.pages[request.page]?.thumbnail;
  const element = h("div", { role: "img", "aria-label": `${request.label}, being drawn` },
    h("p", { class: "making", text: "This page is being drawn …" }));
  const src = image && pictureOf(image);
  if (src) element.append(h("img", { class: "preview", src, alt: "" }));
  return { element, label: request.label, size: request.size, isDark: false };
}
