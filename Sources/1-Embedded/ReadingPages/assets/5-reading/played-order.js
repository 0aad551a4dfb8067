// The running order in use: read with its plan, kept up to date, and replaced by another order only when the musician accepts it.
import { api } from "./api.js";
import { sayAlso } from "./banner.js";
import { book, knownPlan, readPlan } from "./books.js";
import { holder } from "./plan-holder.js";
import { RunningOrder } from "./running-order.js";

/// `put` puts an order on the stand, `follow` fetches the pages that come next, and `refresh` shows the same place again.
export function playedOrder({ stand, put, follow, refresh }) {
  /// The charts of songs whose key was chosen in this window: that they come into the plan, or go, is no news.
  const own = new Set();
  /// Only the answer to the latest question counts: an earlier one may be older.
  let asked = 0;

  /// Reads a plan's running order and puts it in use.
  async function open(plan) {
    const known = knownPlan(plan);
    if (known) use(plan, known);
    await readPlan(plan, (data) => {
      const { goal, order } = stand;
      if (goal?.plan !== plan) return;
      if (order?.plan === plan) compare(data);
      else use(plan, data);
    });
  }

  /// Called when plans have changed.
  async function review() {
    const { order } = stand;
    if (!order) return;
    const number = asked += 1;
    const data = await api.plan(order.plan).catch(() => null);
    if (data && number === asked && stand.order?.plan === order.plan) compare(data);
  }

  function use(plan, data) {
    const { shown, goal } = stand;
    put(new RunningOrder(plan, data));
    holder.bring(plan, data, (shown?.place ?? goal)?.item);
    follow();
  }

  /// Notes that this window has a song's chart drawn. Call `review` once it is drawn: then the running order has the chart, too.
  const expect = (chart) => own.add(chart);

  /// Offers the plan's running order if it differs from the one in use. If it does not differ, takes over the plan's current states
  /// and reasons.
  function compare(data) {
    const { plan } = stand.order;
    const order = stand.order.withOwn(data, own);
    if (stand.order.differs(order.data)) {
      put(order);
      holder.bring(plan, order.data, (stand.shown?.place ?? stand.goal)?.item);
    }
    if (!order.differs(data)) {
      sayAlso("order", null);
      put(new RunningOrder(plan, data));
      return;
    }
    const words = "The running order has changed.";
    const act = () => {
      sayAlso("order", null);
      use(plan, data);
      book.doubtOthers(stand.shown?.place ?? {});
      holder.again();
      refresh();
    };
    sayAlso("order", { words, brief: words, act, label: "Use the new one" });
  }

  /// Withdraws the offer: the reading view is being closed.
  const leave = () => sayAlso("order", null);

  return { open, review, expect, leave };
}
