// Offers beside the music, which change nothing until the musician accepts them.
import { button, h, iconButton, leaveFor, say } from "./dom.js";

export class Offers {
  element = h("div", { class: "offers", role: "region", "aria-label": "Updates" });
  /// Where the focus goes once an offer is answered.
  #music;

  constructor(music) { this.#music = music; }

  /// The offer with this name; nothing if there is none.
  named(name) { return [...this.element.children].find((offer) => offer.dataset.name === name); }

  /// Withdraws all offers whose names begin like this, except one.
  withdrawOthers(beginning, kept) {
    for (const { dataset: { name } } of [...this.element.children]) if (name.startsWith(beginning) && name !== kept) this.withdraw(name);
  }

  withdraw(name) { this.#remove(this.named(name)); }

  /// With `second`, it takes another tap to accept; the first one says what happens without it. `other` is another answer, in words, and
  /// `close` is called when the offer is closed without an answer.
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
