// `?`: the keys.
import { h } from "./dom.js";
import { keys, nameOf } from "./keys.js";
import { openPanel } from "./panel.js";
import { pedalsPart } from "./pedals.js";

export function openKeys() {
  openPanel("Keys", { kind: "wide" },
    h("div", { class: "keys" }, keys.map(([title, rows]) => h("section", {},
      h("h3", { text: title }),
      h("dl", {}, rows.map(([names, , words]) => h("div", {},
        h("dt", {}, names.map((name) => h("kbd", { text: nameOf(name) }))),
        h("dd", { text: words }))))))),
    pedalsPart(),
    h("p", { class: "quiet" },
      "Pedals that act as a keyboard turn with any of the keys above. A tap on the left or right third turns, too, and so does a swipe; ",
      "a tap in the middle shows or hides the controls."),
    h("p", { class: "quiet" },
      "In night mode, paper turns dark and pictures keep their colours: a page counts as a picture if less than 55 % of it is light. ",
      "“i” switches the open page to the other."));
}
