// A chart's own layer of marks: the marks that the agent keeps, those that wait in this browser, and both together. Edits are shown
// and stored immediately, and sent again and again until the agent answers with a layer that includes them.
import { api } from "./api.js";
import { on } from "./events.js";
import { nextEdit } from "./ink-clock.js";
import { covers, joined, standing } from "./ink-join.js";
import { forget, keep, listen, waiting } from "./ink-store.js";
import { reportWaiting } from "./ink-waiting.js";
import { boundTo } from "./made-on.js";

/// The pauses (ms) before sending again: the first one, and the longest.
const SOON = 1000;
const LATE = 20_000;
/// How many characters are sent at a time, unless a single mark has more: browsers send no more from a page that is being closed.
const BATCH = 50_000;

class InkLayer {
  chart;
  /// Called with the ids of the changed marks.
  onChange = () => {};
  /// The agent's values, by mark id.
  #known = new Map();
  /// The edits that the agent has not confirmed, by mark id.
  #pending = new Map();
  /// Marks whose gesture has not ended. They are stored in this browser, but not sent unless the page is closed (`sendLast`).
  #open = new Set();
  /// Marks that the agent refuses. They stay in this browser, and are not sent again until they are changed.
  #refused = new Set();
  /// The marks of each page in order; cleared when any mark changes.
  #ordered = new Map();
  /// The agent's tag for the layer as this browser last received it, and the states of the layer's parts.
  #tag = "";
  states = {};
  /// What marks say of the version of the chart on which the agent draws its values.
  #drawnOn;
  #isRead = false;
  #isDue = { read: false, send: false };
  #running = null;
  #timer = 0;
  #pause = SOON;
  /// How many edits are sent at a time: fewer after the agent refused several edits without naming the one at fault.
  #most = Infinity;

  constructor(chart) {
    this.chart = chart;
    this.#pending = waiting(chart);
    this.#isDue.send = this.#pending.size > 0;
    const renew = (event) => event.chart === chart && this.read();
    listen(chart, (value) => this.#receive(value));
    for (const kind of ["page", "chart"]) on(kind, renew);
    // If a part's file is gone, marks may be gone, too, so read the layer again. Other changes of parts need no reading.
    on("ink", (event) => !hasParts(event.ink, this.states) && renew(event));
    on("open", () => {
      this.#isDue.send ||= this.#pending.size > 0;
      this.read();
    });
  }

  /// Whether the agent's marks have been read.
  get isRead() { return this.#isRead; }

  isPending(id) { return this.#pending.has(id); }

  /// The marks of a page, in drawing order.
  marksOn(page) {
    if (this.#ordered.has(page)) return this.#ordered.get(page);
    const found = [];
    for (const id of new Set([...this.#known.keys(), ...this.#pending.keys()])) {
      const mark = this.mark(id);
      if (mark?.page === page) found.push(mark);
    }
    const order = (mark) => `${mark.created_at ?? ""} ${mark.id}`;
    found.sort((a, b) => (order(a) < order(b) ? -1 : 1));
    this.#ordered.set(page, found);
    return found;
  }

  /// All marks, in no order.
  get marks() { return [...new Set([...this.#known.keys(), ...this.#pending.keys()])].map((id) => this.mark(id)).filter(Boolean); }

  /// The mark with this id as shown; null if there is none.
  mark(id) { return standing(this.#all(id))[0]?.mark ?? null; }

  /// The agent's version of this mark.
  keptMark(id) { return standing(this.#known.get(id) ?? [])[0]?.mark ?? null; }

  /// The ids of the unconfirmed edits.
  get waitingIds() { return [...this.#pending.keys()]; }

  /// The versions of this mark that others made simultaneously with the shown version.
  others(id) { return standing(this.#all(id)).filter((value) => value.mark).slice(1).map((value) => value.mark); }

  /// Changes marks: `[id, mark]`, with null to delete a mark. During a gesture (`isOpen`), changes are not sent. `shown` is the version of
  /// the chart on which marks were moved by hand. If the agent draws its values on another version, their coordinates are not of that one.
  edit(changes, { isOpen = false, shown } = {}) {
    for (const [id, mark] of changes) {
      const known = joined(this.#all(id).map((value) => value.v));
      const v = { ...known, ...Object.fromEntries([nextEdit(known)]) };
      const value = { id, v, mark: mark && { ...boundTo(mark, this.mark(id), shown === this.#drawnOn ? shown : undefined), v } };
      this.#pending.set(id, value);
      if (isOpen) this.#open.add(id);
      else this.#open.delete(id);
      this.#refused.delete(id);
      if (!keep(this.chart, value)) reportWaiting(this.chart, "This browser’s storage is full: marks that are not kept yet are lost if it closes.");
    }
    this.#report(changes.map(([id]) => id));
    if (!isOpen) this.#due("send");
  }

  /// Reads the agent's marks.
  read() { return this.#due("read"); }

  /// Sends unconfirmed edits in a request that outlives the page, which is being closed.
  sendLast() {
    const values = [...this.#pending.values()].filter(({ id }) => !this.#refused.has(id));
    if (values.length > 0) api.sendInk(this.chart, editsOf(this.#batch(values)), { keepalive: true }).catch(() => null);
  }

  #all(id) { return [...(this.#known.get(id) ?? []), ...(this.#pending.has(id) ? [this.#pending.get(id)] : [])]; }

  #receive(value) {
    if (!value) {
      this.read();
      return;
    }
    const own = this.#pending.get(value.id);
    // Keep this window's edit if it includes the other window's edit, or if both were made simultaneously: each window sends its own.
    if (own && (covers(own.v, value.v) || !covers(value.v, own.v))) return;
    this.#pending.set(value.id, value);
    this.#report([value.id]);
  }

  #due(what) {
    this.#isDue[what] = true;
    clearTimeout(this.#timer);
    this.#running ??= this.#run();
    return this.#running;
  }

  async #run() {
    // Let the edits of one gesture gather, to send them together.
    await null;
    while (this.#isDue.send || this.#isDue.read) {
      const sendable = this.#isDue.send ? [...this.#pending.values()].filter(({ id }) => !this.#open.has(id) && !this.#refused.has(id)) : [];
      this.#isDue = { read: false, send: false };
      const batch = this.#batch(sendable);
      try {
        const isSent = batch.length > 0;
        this.#adopt(await (isSent ? api.sendInk(this.chart, editsOf(batch), { known: this.#tag }) : api.ink(this.chart, this.#tag)));
        if (batch.length < sendable.length) this.#isDue.send = true;
        else this.#most = Infinity;
        this.#pause = SOON;
        if (this.#refused.size === 0) reportWaiting(this.chart, null);
      } catch (error) {
        if (!this.#failed(error, batch)) break;
      }
    }
    this.#running = null;
  }

  /// Handles a failed request. Returns whether to send again immediately: fewer edits while the refused edit is unknown, and all others
  /// once it is known. After any other failure, reading and sending are retried after a pause.
  #failed({ message, status, mark }, sent) {
    if (!mark && [400, 413].includes(status) && sent.length > 0) {
      if (sent.length > 1) {
        [this.#most, this.#isDue.send] = [Math.ceil(sent.length / 2), true];
        return true;
      }
      mark = sent[0].id;
    }
    const isOne = this.#pending.has(mark) && !this.#refused.has(mark);
    const page = this.mark(mark)?.page;
    const what = isOne ? `A mark${page === undefined ? "" : ` on page ${page + 1}`} is kept` : "Kept";
    this.#isDue.send = this.#pending.size > 0;
    if (this.#isDue.send) reportWaiting(this.chart, `${what} in this browser only: ${message}`);
    if (isOne) {
      this.#refused.add(mark);
      return true;
    }
    this.#timer = setTimeout(() => this.#due("read"), this.#pause);
    this.#pause = Math.min(this.#pause * 2, LATE);
    return false;
  }

  /// The first of these edits: as many as one request may contain.
  #batch(values) {
    let size = 0;
    return values.filter((value, i) => {
      size += JSON.stringify(value).length;
      return i === 0 || (size < BATCH && i < this.#most);
    });
  }

  #adopt({ tag, chart, ink, since, marks, also, deleted }) {
    const sent = new Map();
    const add = (value) => sent.set(value.id, [...(sent.get(value.id) ?? []), value]);
    for (const mark of [...marks, ...also]) add({ id: mark.id, v: mark.v ?? {}, mark });
    for (const each of deleted) add(typeof each === "string" ? { id: each, v: {}, mark: null } : { id: each.id, v: each.v ?? {}, mark: null });
    // With `since`, the answer has only the changes since the known state.
    const isAddition = since !== undefined;
    const known = isAddition ? new Map([...this.#known, ...sent]) : sent;
    const ids = isAddition ? sent.keys() : new Set([...this.#known.keys(), ...known.keys()]);
    const changed = [...ids].filter((id) => !isSame(this.#known.get(id), known.get(id)));
    const isFirst = !this.#isRead;
    const isPartGone = !hasParts(ink, this.states);
    this.#isRead = true;
    [this.#known, this.#tag, this.states, this.#drawnOn] = [known, tag, ink, chart];
    for (const [id, { v }] of [...this.#pending]) {
      const isKept = (value) => (known.get(id) ?? []).some((other) => covers(other.v, value.v));
      if (isKept({ v })) {
        this.#pending.delete(id);
        this.#refused.delete(id);
        changed.push(id);
      }
      forget(this.chart, id, isKept);
    }
    if (changed.length > 0 || isFirst || isPartGone) this.#report(changed);
  }

  #report(ids) {
    this.#ordered.clear();
    this.onChange(ids);
  }
}

const layers = new Map();

/// A chart's layer. It lives until the tab is closed, and sends its edits whatever is on screen.
export function layerOf(chart) {
  if (!layers.has(chart)) layers.set(chart, new InkLayer(chart));
  return layers.get(chart);
}

/// A chart's layer if it was used before; otherwise null.
export const knownLayer = (chart) => layers.get(chart) ?? null;

/// A mark that follows the music into another version of its chart stands elsewhere without an edit.
const placeOf = ({ mark }) => mark && [mark.page, mark.points.at(0), mark.points.at(-1)].join(" ");
const isSame = (a = [], b = []) => a.length === b.length
  && a.every((value, i) => covers(value.v, b[i].v) && covers(b[i].v, value.v) && placeOf(value) === placeOf(b[i]));

const hasParts = (states, former) => Object.keys(former).every((part) => part in states);

const editsOf = (values) => ({
  marks: values.filter((value) => value.mark).map((value) => value.mark),
  deleted: values.filter((value) => !value.mark).map(({ id, v }) => ({ id, v })),
});
