// The agent's descriptions of plans and charts, kept while the tab is open. Plans are requested each time, and kept in case the
// agent does not answer. Charts are read once; only events, or the musician's request, change them.
import { api, isOf } from "./api.js";

/// How long (ms) an answer may take before the previous one is shown in the meantime.
const PATIENCE = 120;
/// How many earlier images are remembered for each page: several, since even the last of them may never have been drawn.
const FORMER = 3;

const plans = new Map();
/// The agent's state, with the list of plans, as last known to this browser.
let state = null;

/// Charts of songs in keys that nobody chose: near-keys.js fetches them for when the agent is away. By place, `{place, charts}`; in
/// `charts`, each key has its `{chart, of}`, where `of` is a tag of the place's own chart: if that chart changes, `chart` is out of date.
export const near = new Map();

export const knownPlan = (id) => plans.get(id) ?? null;

/// Calls back with a plan: with the previous description if the answer is slow or the agent is away, and with the answer. Throws if
/// the agent is away and there is no previous one, or if the agent no longer has the plan.
export const readPlan = (id, show) => read(() => api.plan(id), plans.get(id), show, (data) => (data ? plans.set(id, data) : plans.delete(id)));

/// The same for the list of plans; `ahead` is how far (ms) the agent's clock is ahead of the browser's.
export const readState = (show) => read(askState, state, show, (data) => { state = data; });

async function askState() {
  const data = await api.state();
  return { ...data, ahead: new Date(data.now) - Date.now() };
}

/// What the browser's shelf stores of a plan: the list of plans, the plan's description, and the agent's descriptions of its
/// charts, also in other keys.
export function setOf(id) {
  const charts = book.all.filter(({ place }) => place.plan === id).map(({ place, chart }) => ({ place, chart }));
  const others = [...near.values()].filter(({ place }) => place.plan === id).map(({ place, charts }) => ({ place, charts: [...charts] }));
  return { state, plan: [id, plans.get(id)], charts, near: others };
}

/// Starts with the descriptions from the shelf; all of them may be out of date.
export function beginWith(set) {
  state = set.state;
  plans.set(...set.plan);
  for (const { place, chart } of set.charts) book.keep(place, chart);
  for (const { place, charts } of set.near ?? []) near.set(keyOf(place), { place, charts: new Map(charts) });
  book.doubtOthers({});
}

/// Whether a refusal is temporary: the agent is away, is starting, or does not recognise this browser. The previous answer stays good.
const isPassing = ({ status }) => status !== undefined && status !== 404 && status !== 410;

async function read(ask, former, show, keep) {
  let isShown = false;
  const showFormer = () => {
    if (!former || isShown) return;
    isShown = true;
    show(former);
  };
  const early = setTimeout(showFormer, PATIENCE);
  try {
    const data = await ask();
    clearTimeout(early);
    keep(data);
    show(data);
  } catch (error) {
    clearTimeout(early);
    if (!isPassing(error)) keep(null);
    if (!isPassing(error) || !former) throw error;
    showFormer();
  }
}

export const keyOf = ({ chart, item }) => `${chart} ${item ?? ""}`;

class ChartBook {
  /// Whether a place's chart is on the stand, where its description changes only when the reader decides. Set by the reader.
  isOnStand = () => false;
  /// By place: `{place, chart, wanted}`. `chart` is the agent's description; `wanted` is the musician's choice until the agent has
  /// received it (key-choices.js).
  #known = new Map();
  #asked = new Map();
  /// By place: the latest request for the description. Its answer replaces those of earlier requests.
  #latest = new Map();
  /// For each request under way, the changes that arrived in the meantime.
  #meanwhile = new Set();
  /// The places whose descriptions may be out of date: these are requested again, but used until the agent answers.
  #doubted = new Set();

  /// The chart as shown: in the key that was chosen last.
  peek(place) { return this.wanted(place)?.chart ?? this.known(place); }

  /// The chart as the agent describes it.
  known(place) { return this.#known.get(keyOf(place))?.chart ?? null; }

  /// The choice that the agent has not received: at least its `place`, and the `chart` that is shown. Null if there is none.
  wanted(place) { return this.#known.get(keyOf(place))?.wanted ?? null; }

  /// Replaces the choice that the agent has not received; null drops it. Does nothing if the place's chart has no description.
  want(place, wanted) {
    const entry = this.#known.get(keyOf(place));
    if (entry) entry.wanted = wanted;
  }

  get waiting() { return this.all.map(({ wanted }) => wanted).filter(Boolean); }

  get all() { return [...this.#known.values()]; }

  /// Whether changes of this chart may have been missed.
  isDoubted(place) { return this.#doubted.has(keyOf(place)); }

  /// The description, requested if unknown. A description on the stand is not replaced behind the musician's back.
  async load(place) {
    const known = this.peek(place);
    if (known && (!this.isDoubted(place) || this.isOnStand(place))) return known;
    try {
      return await this.read(place);
    } catch (error) {
      if (known && isPassing(error)) return known;
      throw error;
    }
  }

  /// Requests the description and keeps it; simultaneous calls for the same chart share one request.
  async read(place) {
    const key = keyOf(place);
    if (!this.#asked.has(key)) this.#asked.set(key, this.#answer(place).finally(() => this.#asked.delete(key)));
    const chart = await this.#asked.get(key);
    // The chart may have come on the stand in the meantime.
    if (!this.peek(place) || !this.isOnStand(place)) this.keep(place, chart);
    return this.peek(place);
  }

  /// Requests the description without keeping it, to compare it with what is shown.
  async ask(place) {
    const chart = await this.#answer(place);
    this.#doubted.delete(keyOf(place));
    return chart;
  }

  /// The answer to the latest request, or the previous answer if that request fails.
  async #answer(place) {
    const key = keyOf(place);
    let asked = this.#askWithNews(place);
    this.#latest.set(key, asked);
    let chart = await asked;
    while (asked !== this.#latest.get(key)) {
      asked = this.#latest.get(key);
      const former = chart;
      // If the later request fails, the previous answer is the best there is.
      chart = await asked.catch(() => former);
    }
    return chart;
  }

  /// Requests a description and applies the changes that arrived in the meantime: the answer may lack them, and they are not sent again.
  async #askWithNews(place) {
    const news = [];
    this.#meanwhile.add(news);
    const chart = await api.chart(place).finally(() => this.#meanwhile.delete(news));
    for (const change of news) change(chart);
    return chart;
  }

  #apply(change) {
    for (const { chart, wanted } of this.#known.values()) for (const each of [chart, wanted?.chart].filter(Boolean)) change(each);
    for (const news of this.#meanwhile) news.push(change);
  }

  keep(place, chart) {
    const known = this.known(place);
    this.#doubted.delete(keyOf(place));
    // Other bytes may be different music, so no earlier page may stand in for theirs.
    const pages = known?.hash === chart.hash ? withFormer(chart.pages, known.pages) : chart.pages;
    const reported = pages.map((page) => ({ ...page, shown: page.shown ?? chart.ink }));
    this.#known.set(keyOf(place), { place, chart: { ...chart, pages: reported }, wanted: this.wanted(place) });
  }

  /// Notes that a chart changed: its descriptions are requested again, except at the place `except` and on the stand.
  renew(id, except = null) {
    for (const [key, { place }] of this.#known) {
      if (place.chart !== id || (except && key === keyOf(except))) continue;
      this.#doubted.add(key);
      // A request that was sent before the change may be answered without it, so do not share that request any more.
      this.#asked.delete(key);
      if (!this.isOnStand(place)) this.read(place).catch(() => null);
    }
  }

  /// Marks all charts but the shown one as doubtful: changes of them may have been missed.
  doubtOthers(place) { for (const key of this.#known.keys()) if (key !== keyOf(place)) this.#doubted.add(key); }

  markPage(event) { this.#apply((chart) => chart.id === event.chart && mark(chart, event)); }

  /// Notes which states of the layer's parts these images show.
  markInk({ images, ink }) {
    this.#apply(({ pages }) => {
      for (const page of pages) if (images.includes(page.annotated.src)) page.shown = ink;
    });
  }
}

export const book = new ChartBook();

/// Takes over one page's marks if they belong to the same bytes: the chart on the stand may be an earlier version.
export function mark(known, { page, annotated, marked }) {
  if (!isOf(known, annotated)) return;
  const shown = (former) => (former.annotated.src === annotated.src ? former.shown : {});
  const pages = known.pages.map((each) => (each.index === page ? { ...each, annotated, marked, shown: shown(each) } : each));
  known.pages = withFormer(pages, known.pages);
}

/// A chart's pages, each with its previous images as `former`, latest first.
function withFormer(pages, known) {
  return pages.map((page) => {
    const old = known.find((each) => each.index === page.index);
    if (!old) return page;
    const former = [old.annotated, ...(old.former ?? [])].filter((image) => image.src !== page.annotated.src);
    return { ...page, former: former.slice(0, FORMER) };
  });
}

/// A chart with its current marks and layers. Its pages and its place stay as they were until the musician accepts the new ones.
export function withMarksOf(fresh, known) {
  const order = known.order.length > 0 ? known.order : fresh.order;
  return { ...fresh, order, title: known.title, key: known.key, next: known.next, previous: known.previous };
}

/// Whether the musician would see a different chart, not just different marks on the same one.
export function isOther(a, b) {
  const shape = (chart) => JSON.stringify([chart.hash, chart.order, chart.pages.length, chart.title, chart.key]);
  return shape(a) !== shape(b);
}
