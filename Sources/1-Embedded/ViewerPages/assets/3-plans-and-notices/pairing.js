// Brings a tablet in: a code for its camera, on the computer that runs the agent. Each code is good for one tablet, and for a few minutes.
// And signs it out again.
import { api, needsToken } from "./api.js";
import { button, drawing, h, openPanel } from "./dom.js";
import { count, since } from "./times.js";

/// The browsers on the network that are signed in, to be signed out; a tablet knows only itself.
export function browsersOf(browsers, done) {
  if (!browsers) return null;
  const row = ({ id, name, since: came }) => {
    const trouble = h("span", { role: "alert", class: "trouble" });
    const end = button("Sign out", () => api.endBrowser(id).then(done, (error) => { trouble.textContent = error.message; }), "plain");
    return h("li", { "data-browser": id }, h("span", { text: `${needsToken ? "This browser" : name}, since ${since(came)}` }), end, trouble);
  };
  const summary = needsToken ? "Signed in" : `${count(browsers.length, "browser")} on the network signed in`;
  return h("details", { class: "changes", "data-name": "browsers" }, h("summary", { text: summary }), h("ul", {}, browsers.map(row)));
}

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
