// Tells the agent which page is on the stand: it draws that one first, and then what comes next.
import { api } from "./api.js";
import { settings } from "./settings.js";

export class Telling {
  #told = "";

  /// Says so once.
  tell(place, chart) {
    const page = chart.order[place.position];
    if (page === undefined) return;
    const told = { chart: place.chart, item: place.item, plan: place.plan, page, marked: settings.get("marks") };
    if (JSON.stringify(told) === this.#told) return;
    this.#told = JSON.stringify(told);
    api.select(told);
  }

  /// Says so to an agent that has been restarted.
  again({ place, chart }) {
    this.#told = "";
    if (chart) this.tell(place, chart);
  }
}
