// A discreet line on the page while something other than the right image is shown: the music stays, and the musician knows.
import { h } from "./dom.js";

/// How long (ms) the sentence stays over the music; after that it is a word or two until the controls are shown.
const FRESH = 8000;

const words = {
  older: ["Older", "This image is older: a new one"],
  "older marks": ["Latest marks missing", "The latest marks are missing here: the image with them"],
  unmarked: ["Without marks", "This page is shown without marks: the image with them"],
  marked: ["With marks", "This page is shown with its marks: the image without them"],
};

export class Hint {
  element = h("div", { class: "hint", role: "status", hidden: true });
  #shown = "";
  #rest = 0;

  /// Says what is shown (`older`, `older marks`, `unmarked`, `marked`), and why; `isAway` if nobody could be asked for the right image.
  show(kind, reason, isAway) {
    const said = `${kind} ${reason ?? ""} ${isAway}`;
    if (said === this.#shown) return;
    this.#shown = said;
    const [short, beginning] = words[kind];
    const sentence = `${beginning} ${isAway ? "is not in this browser" : "could not be made"}.`;
    this.element.replaceChildren(h("p", { class: "hint-short", "aria-hidden": "true", text: short }), h("p", { text: sentence }));
    if (reason) this.element.append(h("p", { class: "quiet", text: asSentence(reason) }));
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

/// With a capital and a full stop.
export const asSentence = (text) => `${text[0].toUpperCase()}${text.slice(1)}${text.endsWith(".") ? "" : "."}`;
