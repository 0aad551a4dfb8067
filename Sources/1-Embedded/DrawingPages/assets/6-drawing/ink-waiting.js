// One sentence about all edits that wait in this browser for the agent, whatever is on the screen, and the way to them.
import { sayAlso } from "./banner.js";
import { waiting } from "./ink-store.js";
import { chartAddress, go, parse } from "./routes.js";
import { count } from "./times.js";

/// Why the edits of a chart are kept in this browser only.
const reasons = new Map();

/// Says why the edits of a chart wait; null if none do any longer.
export function reportWaiting(chart, reason) {
  if (reason) reasons.set(chart, reason);
  else if (!reasons.delete(chart)) return;
  const [words] = reasons.values();
  if (!words) return void sayAlso("waiting", null);
  const marks = [...reasons.keys()].reduce((sum, each) => sum + waiting(each).size, 0);
  sayAlso("waiting", {
    words, brief: `${count(marks, "mark waits", "marks wait")} in this browser.`,
    get act() {
      const elsewhere = [...reasons.keys()].find((each) => each !== parse(location).chart);
      return elsewhere ? () => go(chartAddress({ chart: elsewhere })) : null;
    },
  });
}
