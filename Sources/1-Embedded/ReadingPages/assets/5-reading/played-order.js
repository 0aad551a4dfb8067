// The running order that is played: read with its plan, followed from then on, and replaced by another only when the musician says so.
import { api } from "./api.js";
import { sayAlso } from "./banner.js";
import { book, knownPlan, readPlan } from "./books.js";
import { holder } from "./plan-holder.js";
import { RunningOrder } from "./running-order.js";

/// `put` puts an order on the stand, `follow` fetches what comes next in it, and `refresh` shows the same place again.
export function playedOrder({ stand, put, follow, refresh }) {
  /// Reads a plan's running order, and follows it from now on.
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

  /// Plans have changed.
  async function review() {
    const { order } = stand;
    if (!order) return;
    const data = await api.plan(order.plan).catch(() => null);
    if (data && stand.order === order) compare(data);
  }

  function use(plan, data) {
    const { shown, goal } = stand;
    put(new RunningOrder(plan, data));
    holder.bring(plan, data, (shown?.place ?? goal)?.item);
    follow();
  }

  /// Offers the plan's running order if it differs from the one that is being played; otherwise takes over the plan's current states and
  /// reasons.
  function compare(data) {
    const { order } = stand;
    const { plan } = order;
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

  /// Nobody plays in this order any more.
  const leave = () => sayAlso("order", null);

  return { open, review, leave };
}
