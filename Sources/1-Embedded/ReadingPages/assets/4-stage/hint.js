// Shows a sentence while the stage lacks the right image, and decides when to try again to get that image.
import { h } from "./dom.js";
import { Retry } from "./retry.js";

/// How long (ms) a hint's sentence stays over the music; then a word or two stand in for it until the controls are shown.
const FRESH = 8000;
/// The pauses (ms) before an unavailable image is requested again: the first one, and the longest.
const [SOON, LATE] = [2000, 30_000];

const words = {
  older: ["Older", "This image is older: a new one"],
  "older marks": ["Latest marks missing", "The latest marks are missing here: the image with them"],
  unmarked: ["Without marks", "This page is shown without marks: the image with them"],
  awaited: ["Waiting", "The page that was turned to"],
  marked: ["With marks", "This page is shown with its marks: the image without them"],
};

export class Hint {
  element = h("div", { class: "hint", role: "status", hidden: true });
  #shown = "";
  #rest = 0;
  #retry = new Retry(SOON, LATE);

  get isShown() { return !this.element.hidden; }

  /// Explains what is shown instead of the right image, and calls `again` after a pause. After a final failure, only the musician can help,
  /// by accepting the new version or by signing in; both actions show the page again.
  explain({ isSame, isWhole, images, triesAgain }, failure, again) {
    if (isWhole || !images.every(Boolean)) this.hide();
    else this.show(images.find((request) => request.kind)?.kind ?? "older", failure?.reason, failure?.status === 0);
    if (isWhole || !isSame) this.#retry.reset();
    if (triesAgain) this.#retry.later(again);
  }

  /// Shows which kind of image stands in (`older`, `older marks`, `unmarked`, `marked`), or that another page is still `awaited`,
  /// and why. `isAway`: the agent did not answer.
  show(kind, reason, isAway) {
    const shown = `${kind} ${reason ?? ""} ${isAway}`;
    if (shown === this.#shown) return;
    this.#shown = shown;
    const [short, beginning] = words[kind];
    this.element.replaceChildren(
      h("p", { class: "hint-short", "aria-hidden": "true", text: short }),
      h("p", { text: `${beginning} ${isAway ? "is not in this browser" : "could not be made"}.` }),
      reason ? h("p", { class: "quiet", text: asSentence(reason) }) : "");
    this.element.dataset.kind = kind;
    this.element.hidden = false;
    this.element.classList.add("fresh");
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => this.element.classList.remove("fresh"), FRESH);
  }

  hide() {
    this.#shown = "";
    this.element.hidden = true;
    this.element.replaceChildren();
  }
}

export const asSentence = (text) => `${text[0].toUpperCase()}${text.slice(1)}${text.endsWith(".") ? "" : "."}`;
