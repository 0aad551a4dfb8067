// Where a turn leads: further down a page taller than the screen, to the other half, to the next stop, or to another item of the plan.
import { book } from "./books.js";
import { neighbour, neighbourItem } from "./reader-pages.js";
import { settings } from "./settings.js";

/// Stands in for a chart without a description: from there, only other items can be reached.
const NO_PAGES = { order: [], pages: [], next: null, previous: null };

export function turnsOf({ life, stand, stage, cue, hideBar, goTo }) {
  /// One turn forward (+1) or back (−1); first scrolls a page taller than the screen. Returns false if there is nowhere to go.
  function step(direction, start = performance.now()) {
    const { goal, isThere, order, context } = stand;
    if (!goal) return false;
    // A chart that cannot be read is shown as a card, from which the musician can turn as from a page.
    const chart = book.peek(goal) ?? (isThere ? NO_PAGES : null);
    // Scroll before hiding the controls, which change the height of the view.
    const isScrolled = chart !== null && isThere && !goal.half && stage.scroll(direction);
    cue.hide();
    hideBar();
    if (!chart) life.change({ stepsDue: life.now.stepsDue + direction });
    if (!chart || isScrolled) return true;
    const halves = settings.get("half") && settings.get("fit") === "page" && stage.zoom === 1;
    const next = neighbour(goal, chart, direction, { ...context, halves });
    if (next) goTo(next, { start, at: direction > 0 ? "start" : "end" });
    else cue.showEdge(direction, order?.item(goal.item));
    return next !== null;
  }

  /// Makes the first of the turns requested before the chart's description arrived. Returns false if there was none, or if it led nowhere.
  function stepDue(start) {
    const { stepsDue } = life.now;
    const direction = Math.sign(stepsDue);
    life.change({ stepsDue: stepsDue - direction });
    if (direction === 0) return false;
    if (step(direction, start)) return true;
    life.change({ stepsDue: 0 });
    return false;
  }

  /// Goes to where the next or previous item begins; from a song outside the plan, back to the last place in the plan.
  function stepItem(direction, start = performance.now()) {
    const { goal, context, played, playedAt } = stand;
    if (!goal) return;
    life.change({ stepsDue: 0 });
    hideBar();
    const next = neighbourItem(goal, book.peek(goal) ?? NO_PAGES, direction, context);
    if (next) goTo({ ...next, position: next.start ?? 0, half: null }, { start });
    else if (played && !goal.item) goTo(played, { start, at: playedAt });
    else cue.show(direction > 0 ? "This is the last item" : "This is the first item");
  }

  function toPosition(position, start = performance.now()) {
    const { goal } = stand;
    life.change({ stepsDue: 0 });
    if (goal) goTo({ ...goal, position, half: null, from: null }, { start });
  }

  /// One page forward or back where two are side by side; elsewhere, one turn.
  function stepPage(direction, start) {
    const { goal, isThere, shown } = stand;
    const [first, second] = shown?.positions ?? [];
    const position = direction > 0 ? second : first - 1;
    const isAtEnd = position < 0 || (direction > 0 && second === shown.chart.order.length - 1);
    if (!second || isAtEnd || !isThere || goal.half) return step(direction, start);
    cue.hide();
    hideBar();
    return goTo({ ...goal, position, from: position }, { start });
  }

  return { step, stepDue, stepItem, stepPage, toPosition };
}
