// Signs a tablet in: the agent's own computer shows a code for the tablet's camera. Each code works for one tablet, for a few minutes.
import { api } from "./api.js";
import { button, drawing, h, openPanel } from "./dom.js";

export function openPairing() {
  const content = h("div", { class: "pairing", "aria-live": "polite" });
  const panel = openPanel("Bring in a tablet", "small", content);
  let ending = 0;
  panel.addEventListener("close", () => clearTimeout(ending));

  async function showCode() {
    try {
      const { trouble, side, path, site, seconds } = await api.tabletCode();
      if (!panel.open) return;
      if (trouble) return say(trouble);
      ending = setTimeout(() => say("The code’s time is over.", button("New code", showCode, "strong")), seconds * 1000);
      const name = "A code for the tablet’s camera";
      say(
        `Hold the tablet’s camera to this. It lets one tablet in, once, within ${Math.round(seconds / 60)} minutes.`,
        drawing({ class: "code", viewBox: `0 0 ${side} ${side}`, role: "img", "aria-label": name, "shape-rendering": "crispEdges" }, "path", { d: path }),
        h("p", { class: "quiet", text: `Without a camera: open ${site} on it, and type the token.` }));
    } catch (error) {
      say(error.message);
    }
  }

  function say(sentence, ...more) { content.replaceChildren(h("p", { text: sentence }), ...more); }

  showCode();
}
