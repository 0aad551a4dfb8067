// Saves a plan or a chart as a PDF, which the agent makes.
import { api, mayChange } from "./api.js";
import { button, h } from "./dom.js";

/// How long (ms) a browser may take to begin to save.
const BEGUN = 60_000;

/// A button that saves what `place` names, and the words that say how that went; none for a guest.
export function pdfSaver(place) {
  if (!mayChange) return [];
  const words = h("p", { class: "quiet saved", role: "status" });
  const tell = (sentence) => {
    words.textContent = sentence;
    // In a panel it may be below what is in sight.
    words.scrollIntoView({ block: "nearest" });
  };
  const save = button("Save as PDF", async () => {
    // Not disabled meanwhile: that would take the keyboard focus away.
    if (save.getAttribute("aria-busy") === "true") return;
    save.setAttribute("aria-busy", "true");
    tell("The PDF is being made…");
    try {
      const { blob, name, without } = await api.pdf(place);
      handOut(blob, name);
      tell(without ? `Saved, but without ${without}.` : `Saved as ${name}.`);
    } catch (error) {
      tell(`${error.message} No PDF was saved.`);
    }
    save.setAttribute("aria-busy", "false");
  });
  return [save, words];
}

function handOut(blob, name) {
  const href = URL.createObjectURL(blob);
  h("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), BEGUN);
}
