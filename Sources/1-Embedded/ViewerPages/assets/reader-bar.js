// The controls over the music: shown on request, hidden again with the next turn.
import { h, iconButton } from "./dom.js";
import { partOf } from "./running-order.js";
import { settings } from "./settings.js";
import { Strip } from "./strip.js";

export class Bar {
  #reader;
  #title = h("p", { class: "bar-title" });
  #where = h("p", { class: "bar-where" });
  #switches = {};
  #part = h("button", { type: "button", class: "button bar-part", hidden: true });
  element;
  strip;
  isShown = true;

  constructor(reader) {
    this.#reader = reader;
    this.strip = new Strip(reader);
    const run = (command) => (event) => reader.commands.run(command, event);
    const tool = (name, label, key, command) => iconButton(name, label, key, run(command));
    this.#switches = {
      marks: tool("marks", "Marks", "m", "marks"),
      night: tool("night", "Night", "n", "night"),
      strip: tool("pages", "Thumbnails", "t", "strip"),
    };
    this.element = h("header", { class: "bar" },
      tool("back", "Back to the plan", "p", "back"),
      h("div", { class: "bar-what" }, this.#title, this.#where),
      this.#part,
      h("div", { class: "bar-tools", role: "toolbar", "aria-label": "Reading" },
        tool("search", "Find a song", "/", "find"), this.#switches.marks, tool("layers", "Layers of marks", "l", "layers"),
        this.#switches.night, this.#switches.strip, tool("view", "View", "v", "view"),
        tool("full", "Full screen", "f", "full"), tool("keys", "Keys", "?", "help")));
    for (const part of [this.element, this.strip.element]) {
      part.addEventListener("click", (event) => {
        // A pedal that sends a space must turn the page, not press the button that was clicked last.
        const pressed = event.target.closest("button");
        if (pressed && !pressed.matches(":focus-visible")) pressed.blur();
      });
    }
    new ResizeObserver(() => reader.element.style.setProperty("--bar-height", `${this.element.offsetHeight}px`)).observe(this.element);
    this.#part.addEventListener("click", () => reader.commands.run("parts"));
    this.nameSettings();
  }

  /// Updates the controls for what is shown now.
  show({ place, chart, positions, beside }, order) {
    const item = order?.item(place.item);
    this.#title.textContent = [chart?.title ?? item?.title ?? "", beside?.chart.title].filter(Boolean).join(" + ");
    const key = [chart?.key ?? item?.key, beside?.chart.key].filter(Boolean).join(" + ");
    const pages = positions.map((position) => position + 1).join("–");
    const number = order ? order.items.findIndex((each) => each.id === place.item) + 1 : 0;
    const hasParts = item?.charts.length > 1 && !beside;
    this.#where.textContent = [
      number > 0 ? `${beside ? `Items ${number}–${number + 1}` : `Item ${number}`} of ${order.items.length}` : null, key,
      hasParts || beside ? null : chart?.name,
      chart?.order.length > 1 && pages ? `page ${pages} of ${chart.order.length}` : null,
    ].filter(Boolean).join(" · ");
    this.#part.hidden = !hasParts || !chart;
    this.#part.textContent = hasParts && chart ? partOf(item, chart) : "";
    this.#part.setAttribute("aria-label", `${this.#part.textContent}: choose another part`);
    this.strip.show(chart, positions, place);
  }

  nameSettings() {
    for (const [name, button] of Object.entries(this.#switches)) button.setAttribute("aria-pressed", String(settings.get(name)));
    this.strip.setShown(this.isShown && settings.get("strip"));
    document.body.dataset.night = settings.get("night") ? "on" : "off";
  }

  toggle() {
    if (this.isShown) this.hide();
    else this.reveal();
  }

  reveal() {
    this.#set(true);
  }

  hide() {
    this.#set(false);
  }

  #set(isShown) {
    if (isShown === this.isShown) return;
    this.isShown = isShown;
    if (!isShown && this.element.contains(document.activeElement)) this.#reader.stage.element.focus({ preventScroll: true });
    this.element.inert = !isShown;
    this.element.classList.toggle("away", !isShown);
    document.body.dataset.bar = isShown ? "shown" : "away";
    this.strip.setShown(isShown && settings.get("strip"));
  }
}
