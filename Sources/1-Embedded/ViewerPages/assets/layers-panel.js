// `l`: whose marks are drawn on this chart.
import { api } from "./api.js";
import { count } from "./times.js";
import { h } from "./dom.js";
import { openPanel } from "./panel.js";

const where = (layer) => (layer.pages.length > 0 ? `on ${count(layer.pages.length, "page")}` : "no marks");

export function openLayers(reader) {
  const chart = reader.shown?.chart;
  if (!chart) return;
  const trouble = h("p", { role: "alert", class: "trouble" });
  const rows = chart.layers.map((layer) => {
    const input = h("input", { type: "checkbox", class: "switch", role: "switch", checked: layer.visible });
    input.addEventListener("change", async () => {
      input.disabled = true;
      trouble.textContent = "";
      try {
        reader.news.adopt(await api.showLayer(chart.id, layer.id, input.checked));
      } catch (error) {
        input.checked = !input.checked;
        trouble.textContent = error.message;
      }
      input.disabled = false;
      input.focus();
    });
    return h("li", {}, h("label", {},
      h("span", {}, h("span", { class: "layer-name", text: layer.name || "Marks" }),
        h("span", { class: "quiet", text: [layer.person, where(layer)].filter(Boolean).join(" · ") })),
      input));
  });
  openPanel("Layers of marks", { kind: "side" },
    rows.length > 0
      ? h("ul", { class: "layers" }, rows)
      : h("p", { class: "quiet", text: "Nobody has marked this chart yet." }),
    trouble);
}
