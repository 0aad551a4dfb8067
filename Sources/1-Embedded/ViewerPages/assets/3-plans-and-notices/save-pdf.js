// Saves a plan or a chart as a PDF, which the agent makes.
import { api, mayChange } from "./api.js";
import { busily, button, h } from "./dom.js";

/// How long (ms) a browser may take to start saving.
const BEGUN = 60_000;

/// A button that saves the chart or plan at `place` as a PDF, and a line for the result; nothing for a guest.
export function pdfSaver(place) {
  if (!mayChange) return [];
  const words = h("p", { class: "quiet saved", role: "status" });
  const report = (sentence) => {
    words.textContent = sentence;
    // In a panel, the line may be scrolled out of sight.
    words.scrollIntoView({ block: "nearest" });
  };
  const save = button("Save as PDF", () => busily(save, async () => {
    report("The PDF is being made…");
    const { blob, name, without } = await api.pdf(place);
    handOut(blob, name);
    report(without ? `Saved, but without ${without}.` : `Saved as ${name}.`);
  }, (error) => report(`${error.message} No PDF was saved.`)));
  return [save, words];
}

function handOut(blob, name) {
  const href = URL.createObjectURL(blob);
  h("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), BEGUN);
}
