// The parts of a sheet: pages that are ready, and cards in place of those that are not.
import { needsToken } from "./api.js";
import { button, h, plain } from "./dom.js";
import { asSentence } from "./hint.js";
import { pictureOf } from "./margins.js";
import { showPicture } from "./pictures.js";
import { settings } from "./settings.js";
import { openSignIn } from "./sign-in.js";

const FORMER = "This page belongs to an older version that is no longer kept.";
const AWAY = "This page is not in this browser, and Woodshed’s agent does not answer.";

/// The parts of a sheet: the image found for each request of `wanted`, or a card. `acts` are the commands that a card may offer.
export function partsOf(wanted, found, store, failure, acts) {
  return found.map((request, i) => {
    const entry = request && store.ready(request);
    if (!entry) return failedCardFor(wanted[i], failure, acts);
    const isDark = isDarkened(request.chart.id, request.page, entry.isPicture);
    return { ...request, element: entry.canvas, isGrey: entry.isGrey, isDark, isColoured: entry.isColoured, isDimmed: settings.get("night") && !isDark };
  });
}

/// A card with a sentence, and a button if the musician can do something.
export function cardFor({ size: { width, height }, label }, sentence, act, words = "Try again") {
  const card = h("div", { class: "card" }, h("h2", { text: label }), h("p", { text: sentence }), act && button(words, act));
  // A card fills the place of the page, even if margins are cropped so that only a small part of the page would be shown there.
  return { element: h("div", {}, card), label, size: { width, height }, isDark: false };
}

/// The card in place of a page that could not be fetched: the reason, and what the musician can do.
function failedCardFor(request, failure, { retry, showNew }) {
  const { status, isFinal } = failure ?? {};
  if (status === 410 && isFinal) return cardFor(request, FORMER, showNew, "Show the new one");
  // After signing in, the page appears by itself. On the agent's computer, the banner explains how to sign in.
  if (status === 401 || status === 403) {
    return cardFor(request, "This page cannot be shown: the browser must sign in again.", needsToken ? openSignIn : null, "Sign in");
  }
  if (status === 0) return cardFor(request, AWAY, retry);
  const reason = failure?.reason && asSentence(failure.reason);
  return cardFor(request, ["This page cannot be shown now.", reason].filter(Boolean).join(" "), retry);
}

/// The enlarged thumbnail, only for the very first page, when there is no earlier page to keep.
export function thumbnailFor(request) {
  const image = request.chart.pages[request.page]?.thumbnail;
  const src = image && pictureOf(image);
  const preview = src && h("img", { class: "preview", alt: "" });
  if (preview) showPicture(preview, src).catch(() => preview.remove());
  const element = h("div", { role: "img", "aria-label": `${request.label}, being drawn` },
    h("p", { class: "making", text: "This page is being drawn …" }), preview);
  return { element, label: request.label, size: request.size, isDark: false };
}

/// Why pages were unavailable: the agent's status, its reason, and whether retrying is pointless. Null if none were.
export function failureOf(outcomes, isReplaced) {
  const failed = outcomes.find((entry) => entry?.state === "failed");
  if (!failed) return null;
  if (failed.status === 410 && isReplaced) return { status: 410, reason: FORMER, isFinal: true };
  return { status: failed.status, reason: failed.reason, isFinal: [401, 403].includes(failed.status) };
}

/// Whether a page is shown dark. Night mode turns paper dark, while pictures keep their colours and are only dimmed. The musician's
/// choice for a page comes first.
export function isDarkened(chart, page, isPicture) {
  if (!settings.get("night")) return false;
  const choice = settings.get("paper")[chart]?.[page];
  return choice ? choice === "dark" : !isPicture;
}

/// Switches one page between dark and light paper.
export function flipPaper(chart, page, isDarkNow) {
  settings.put("paper", chart, { ...settings.get("paper")[chart], [page]: isDarkNow ? "keep" : "dark" });
}

/// Describes in the document what is shown, for styles and tests.
export function nameShown({ place, chart, positions }, state) {
  Object.assign(document.body.dataset, {
    chart: chart?.id ?? place.chart, page: chart?.order[positions[0]] ?? "", position: positions[0] ?? "", half: place.half ?? "", state,
  });
}

export function titleOf({ chart, positions, beside }) {
  if (!chart) return "Woodshed";
  const where = beside ? ` + ${beside.chart.title}` : ` · ${(positions[0] ?? 0) + 1}/${chart.order.length}`;
  return plain(`${chart.title}${where} – Woodshed`);
}
