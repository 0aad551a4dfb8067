// Offers beside the music; they change nothing until the musician accepts one.
import { button, h, iconButton, leaveFor, say } from "./dom.js";

export class Offers {
  element = h("div", { class: "offers", role: "region", "aria-label": "Updates" });
  /// Gets the focus after an offer is answered.
  #music;

  constructor(music) { this.#music = music; }

  /// The offer with this name, or undefined.
  named(name) { return [...this.element.children].find((offer) => offer.dataset.name === name); }

  /// Withdraws all offers whose names begin like this, except `kept`.
  withdrawOthers(beginning, kept) {
    for (const { dataset: { name } } of [...this.element.children]) if (name.startsWith(beginning) && name !== kept) this.withdraw(name);
  }

  withdraw(name) { this.#remove(this.named(name)); }

  /// With `second`, accepting takes two taps. The first tap calls `second.first`, and the offer then explains what happens without
  /// another tap. `other` is a second answer, `[words, act]`; `close` is called when the offer is closed without an answer.
  make(name, sentence, words, accept, { second = null, other = null, close = () => {} } = {}) {
    this.withdraw(name);
    const text = h("p", { text: sentence });
    let first = second;
    const act = () => {
      if (!first) return leave(accept)();
      first.first();
      text.textContent = first.waiting;
      strong.textContent = first.again;
      say(first.waiting);
      first = null;
      return null;
    };
    const strong = button(words, act, "strong");
    const leave = (then) => () => {
      this.#remove(offer);
      then();
    };
    const offer = h("div", { class: "offer", "data-name": name }, text,
      h("div", { class: "offer-acts" }, other && button(other[0], leave(other[1])), strong, iconButton("close", "Not now", null, leave(close))));
    this.element.append(offer);
    say(sentence);
  }

  #remove(offer) {
    if (!offer) return;
    leaveFor(this.#music, offer);
    offer.remove();
  }
}
