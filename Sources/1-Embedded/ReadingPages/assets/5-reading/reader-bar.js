// The controls over the music, and thumbnails along the lower edge. Both are shown on request; the next turn hides the controls again.
import { mayChange } from "./api.js";
import { guestWords } from "./cue.js";
import { h, iconButton, leaveFor, letGo, plain, publishSize } from "./dom.js";
import { pictureOf } from "./margins.js";
import { showPicture } from "./pictures.js";
import { keyOfChart, otherKey, partOf, withSigns } from "./running-order.js";
import { decode } from "./page-store.js";
import { settings } from "./settings.js";
import { isDarkened } from "./stage-parts.js";

export class Bar {
  /// Gets the focus of a control that disappears.
  #music;
  /// The page's heading for screen readers, which exists even while the controls are hidden.
  heading = h("h1", { class: "unseen", text: "Music" });
  #title = h("p", { class: "bar-title" });
  #where = h("p", { class: "bar-where" });
  #switches = {};
  #part;
  #key;
  element;
  strip;
  isShown = true;

  constructor({ music, run, toPosition }) {
    this.#music = music;
    this.#part = h("button", { type: "button", class: "button bar-part", hidden: true, onclick: () => run("parts") });
    this.#key = h("button", { type: "button", class: "button bar-part bar-key", hidden: true, onclick: () => run("songKey") });
    this.strip = new Strip(music, toPosition);
    const tool = (name, label, key, command) => iconButton(name, label, key, (event) => run(command, event));
    this.#switches = {
      marks: tool("marks", "Marks", "m", "marks"), night: tool("night", "Night", "n", "night"), strip: tool("pages", "Thumbnails", "t", "strip"),
    };
    this.element = h("header", { class: "bar" },
      tool("back", "Back to the plan", "p", "back"),
      h("div", { class: "bar-what" }, this.#title, this.#where),
      this.#part, this.#key, mayChange && tool("draw", "Draw", "a", "draw"),
      h("div", { class: "bar-tools", role: "toolbar", "aria-label": "Reading" },
        tool("search", "Find a song", "/", "find"), this.#switches.marks, tool("layers", "Layers of marks", "l", "layers"),
        this.#switches.night, this.#switches.strip, tool("view", "View", "v", "view"),
        tool("full", "Full screen", "f", "full"), tool("keys", "Shortcuts", "?", "help")));
    for (const part of [this.element, this.strip.element]) part.addEventListener("click", letGo);
    publishSize(this.element, "--bar-height");
    publishSize(this.strip.element, "--strip-height");
    this.nameSettings();
  }

  show({ place, chart, positions, beside }, order) {
    const item = order?.item(place.item);
    this.#title.textContent = plain([chart?.title ?? item?.title ?? "", beside?.chart.title].filter(Boolean).join(" + "));
    this.heading.textContent = this.#title.textContent || "Music";
    // If the musician can choose the key, do not name it here: the button beside this text shows it.
    const drawnKey = chart?.song?.chart === chart?.id ? chart?.song?.sounding : null;
    const key = drawnKey && mayChange && !beside ? null : [chart?.key ?? item?.key, beside?.chart.key].filter(Boolean).map(withSigns).join(" + ");
    const pages = positions.map((position) => position + 1).join("–");
    const number = order?.numberOf(place.item) ?? 0;
    const hasParts = item?.charts.length > 1 && !beside;
    this.#where.textContent = [
      number > 0 ? `${beside ? `Songs ${number}–${number + 1}` : `Song ${number}`} of ${order.items.length}` : guestWords(place, order), key,
      chart && !beside && !drawnKey ? otherKey(chart, chart) : null,
      item?.tempo && !beside ? `${item.tempo} bpm` : null,
      hasParts || beside ? null : chart?.name,
      chart?.order.length > 1 && pages ? `page ${pages} of ${chart.order.length}` : null,
    ].filter(Boolean).join(" · ");
    this.#part.hidden = !hasParts || !chart;
    if (this.#part.hidden) leaveFor(this.#music, this.#part);
    this.#part.textContent = hasParts && chart ? plain(partOf(item, chart)) : "";
    this.#part.setAttribute("aria-label", `${this.#part.textContent}: choose another part`);
    this.#showKey(beside ? null : chart);
    this.strip.show(chart, positions, place);
  }

  /// Shows the key on a button, if the musician can choose another.
  #showKey(chart) {
    const song = chart?.song;
    this.#key.hidden = !song || !mayChange;
    if (this.#key.hidden) return leaveFor(this.#music, this.#key);
    // Another chart of the song stays in its own key, whatever key the song is drawn in.
    const isDrawn = song.view && song.chart === chart.id;
    const key = isDrawn ? song.sounding : keyOfChart(chart.title, chart) ?? song.wanted;
    this.#key.textContent = [key && `Key ${withSigns(key)}`, isDrawn && song.view.capo > 0 && `capo ${song.view.capo}`].filter(Boolean).join(", ") || "Key";
    this.#key.setAttribute("aria-label", `${this.#key.textContent}: choose another key`);
    return null;
  }

  nameSettings() {
    for (const [name, button] of Object.entries(this.#switches)) button.setAttribute("aria-pressed", String(settings.get(name)));
    this.strip.setShown(this.isShown && settings.get("strip"));
    this.strip.darken();
    document.body.dataset.night = settings.get("night") ? "on" : "off";
  }

  toggle() { this.#set(!this.isShown); }
  reveal() { this.#set(true); }
  hide() { this.#set(false); }

  #set(isShown) {
    if (isShown === this.isShown) return;
    this.isShown = isShown;
    setAway(this.element, !isShown, this.#music);
    document.body.dataset.bar = isShown ? "shown" : "away";
    this.strip.setShown(isShown && settings.get("strip"));
  }
}

function setAway(element, isAway, music) {
  if (isAway) leaveFor(music, element);
  element.inert = isAway;
  element.classList.toggle("away", isAway);
}

const addressOf = (image) => (image ? pictureOf(image) ?? image.src : "");

class Strip {
  element = h("nav", { class: "strip", "aria-label": "Pages" });
  #music;
  #toPosition;
  #made = "";
  #pages = [];
  #isShown = false;
  /// Fetches a thumbnail shortly before it becomes visible: the pages being played go first.
  #seen = new IntersectionObserver((entries) => {
    for (const { target } of entries.filter((entry) => entry.isIntersecting)) {
      this.#seen.unobserve(target);
      const { src } = target.dataset;
      delete target.dataset.src;
      // A thumbnail that cannot be fetched stays blank, like a page without a description.
      showPicture(target, src).catch(() => null);
      const [width, height] = [target.width || 1, target.height || 1];
      decode({ src, width, height, cache: "default" }, ({ bitmap, isPicture }) => {
        bitmap?.close();
        target.dataset.picture = isPicture === true;
        this.darken();
      });
    }
  }, { root: this.element, rootMargin: "0px 200px" });

  constructor(music, toPosition) { [this.#music, this.#toPosition] = [music, toPosition]; }

  setShown(isShown) {
    setAway(this.element, !isShown, this.#music);
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
      leaveFor(this.#music, this.element);
      this.#pages = chart?.order.map((page) => ({ chart: chart.id, page })) ?? [];
      this.element.replaceChildren(...images.map((image, position) => this.#button(image, position)));
    }
    [...this.element.children].forEach((button, position) => {
      if (positions.includes(position)) button.setAttribute("aria-current", "page");
      else button.removeAttribute("aria-current");
    });
    if (this.#isShown) this.#open();
  }

  /// In night mode, darkens the thumbnails of darkened pages.
  darken() {
    [...this.element.children].forEach((button, position) => {
      const { chart, page } = this.#pages[position];
      button.firstChild.classList.toggle("dark", isDarkened(chart, page, button.firstChild.dataset.picture === "true"));
    });
  }

  #button(image, position) {
    const src = addressOf(image);
    const picture = src ? h("img", { "data-src": src, alt: "" }) : h("span", { class: "blank" });
    // Reserve the thumbnail's space, so nothing moves when it loads.
    if (src) picture.style.aspectRatio = image.width / image.height;
    return h("button", {
      type: "button", "aria-label": `Page ${position + 1}`, onclick: (event) => this.#toPosition(position, event.timeStamp),
    }, picture, h("span", { "aria-hidden": "true", text: position + 1 }));
  }

  #open() {
    const current = this.element.querySelector("[aria-current]");
    if (current) this.element.scrollLeft = current.offsetLeft - (this.element.clientWidth - current.offsetWidth) / 2;
    for (const image of this.element.querySelectorAll("img[data-src]")) this.#seen.observe(image);
  }
}
