// Thumbnails of the open chart, along the lower edge.
import { h } from "./dom.js";
import { pictureOf } from "./pictures.js";

const addressOf = (image) => (image ? pictureOf(image) ?? image.src : "");

export class Strip {
  element = h("nav", { class: "strip", "aria-label": "Pages" });
  #reader;
  #made = "";
  #isShown = false;

  constructor(reader) {
    this.#reader = reader;
  }

  setShown(isShown) {
    this.element.inert = !isShown;
    this.element.classList.toggle("away", !isShown);
    this.#isShown = isShown;
    this.#fill();
    if (isShown) this.#scrollToCurrent();
  }

  show(chart, positions, place) {
    const sources = chart?.order.map((page) => addressOf(chart.pages[page]?.thumbnail)) ?? [];
    const made = JSON.stringify([place.item, chart?.id, sources]);
    if (made !== this.#made) {
      this.#made = made;
      this.element.replaceChildren(...sources.map((src, position) => this.#button(src, position)));
    }
    [...this.element.children].forEach((button, position) => {
      if (positions.includes(position)) button.setAttribute("aria-current", "page");
      else button.removeAttribute("aria-current");
    });
    this.#fill();
    if (this.#isShown) this.#scrollToCurrent();
  }

  #button(src, position) {
    return h("button", {
      type: "button", "aria-label": `Page ${position + 1}`, onclick: (event) => this.#reader.toPosition(position, event.timeStamp),
    },
    src ? h("img", { "data-src": src, alt: "", width: 74, height: 104 }) : h("span", { class: "blank" }),
    h("span", { "aria-hidden": "true", text: position + 1 }));
  }

  /// Fetches thumbnails only once somebody looks at them; the pages being played go first.
  #fill() {
    if (!this.#isShown) return;
    for (const image of this.element.querySelectorAll("img[data-src]")) {
      image.src = image.dataset.src;
      delete image.dataset.src;
    }
  }

  #scrollToCurrent() {
    const current = this.element.querySelector("[aria-current]");
    if (current) this.element.scrollLeft = current.offsetLeft - (this.element.clientWidth - current.offsetWidth) / 2;
  }
}
