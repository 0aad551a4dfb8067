// The parts of a song: one tap puts another one on the stand.
import { h } from "./dom.js";
import { openPanel } from "./panel.js";
import { partOf } from "./running-order.js";

export function openParts(item, current, choose) {
  const panel = openPanel("Parts", { kind: "small" },
    h("ul", { class: "parts" }, item.charts.map((chart) => h("li", {}, h("button", {
      type: "button", class: chart.id === current ? "button strong" : "button", "aria-pressed": String(chart.id === current),
      text: partOf(item, chart),
      onclick: () => {
        panel.close();
        if (chart.id !== current) choose(chart);
      },
    })))));
}
