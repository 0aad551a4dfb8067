// One sentence about all edits in this browser that the agent has not confirmed, whatever is on screen, and a button that leads to them.
import { sayAlso } from "./banner.js";
import { waiting } from "./ink-store.js";
import { chartAddress, go, parse } from "./routes.js";
import { count } from "./times.js";

/// Why the edits of a chart are kept in this browser only.
const reasons = new Map();

/// Sets why the edits of a chart wait; null means that no edit of the chart waits any more.
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
