// Thumbnails of the open chart, along the lower edge.
import { h } from "./dom.js";
import { pictureOf } from "./pictures.js";

const addressOf = (image) => (image ? pictureOf(image) ?? image.src : "");

export class Strip {
  element = h("nav", { class: "strip", "aria-label": "Pages" });
  #reader;
  #made = "";
  #isShown = false;
  /// Fetches a thumbnail once it is about to be seen; the pages being played go first.
  #seen = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) if (isIntersecting) this.#fetch(target);
  }, { root: this.element, rootMargin: "0px 200px" });

  constructor(reader) {
    this.#reader = reader;
  }

  setShown(isShown) {
    this.element.inert = !isShown;
    this.element.classList.toggle("away", !isShown);
    this.#isShown = isShown;
    if (isShown) this.#open();
    else this.#seen.disconnect();
  }

  show(chart, positions, place) {
    const images = chart?.order.map((page) => chart.pages[page]?.thumbnail) ?? [];
    const made = JSON.stringify([place.item, chart?.id, images.map(addressOf)]);
    if (made !== this.#made) {
      this.#made = made;
      this.#seen.disconnect();
      this.element.replaceChildren(...images.map((image, position) => this.#button(image, position)));
    }
    [...this.element.children].forEach((button, position) => {
      if (positions.includes(position)) button.setAttribute("aria-current", "page");
      else button.removeAttribute("aria-current");
    });
    if (this.#isShown) this.#open();
  }

  #button(image, position) {
    const src = addressOf(image);
    const picture = src ? h("img", { "data-src": src, alt: "" }) : h("span", { class: "blank" });
    // Its own proportions from the start, so that nothing moves when it comes.
    if (src) picture.style.aspectRatio = image.width / image.height;
    return h("button", {
      type: "button", "aria-label": `Page ${position + 1}`, onclick: (event) => this.#reader.toPosition(position, event.timeStamp),
    }, picture, h("span", { "aria-hidden": "true", text: position + 1 }));
  }

  #open() {
    this.#scrollToCurrent();
    for (const image of this.element.querySelectorAll("img[data-src]")) this.#seen.observe(image);
  }

  #fetch(image) {
    this.#seen.unobserve(image);
    image.src = image.dataset.src;
    delete image.dataset.src;
  }

  #scrollToCurrent() {
    const current = this.element.querySelector("[aria-current]");
    if (current) this.element.scrollLeft = current.offsetLeft - (this.element.clientWidth - current.offsetWidth) / 2;
  }
}
