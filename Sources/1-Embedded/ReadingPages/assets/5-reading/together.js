// Turning pages together: one window leads, and others follow. What arrives is always the whole state, so nothing has to be caught up
// on; and nothing here is waited for: a turn by hand is as fast as without it.
import { api, mayChange } from "./api.js";
import { book } from "./books.js";
import { button, h, leaveFor, openPanel, plain, say } from "./dom.js";
import { emit, on, stateTogether } from "./events.js";
import { bring } from "./later.js";
import { firstChart } from "./running-order.js";

/// How often (ms) a leading window says that it is still there; after how long without news a follower is warned.
const [BEAT, SILENT] = [2000, 4000];
/// How long (ms) a leader's message is shown.
const MESSAGE = 10_000;
/// The least time (ms) between two reports of how far down a page the leader has scrolled.
const SCROLLED = 200;
/// The messages that a leader can send with one tap.
const MESSAGES = ["Start", "Stop", "Again from the top", "Last time"];

/// This window's name among all that may lead.
const ME = Array.from(crypto.getRandomValues(new Uint8Array(10)), (byte) => (byte % 36).toString(36)).join("");

/// Who leads, and where that is.
const tagOf = (state) => JSON.stringify([state?.epoch, state?.window, state?.place]);

class TurnsTogether {
  /// What is known of the lead, and when the last word of the leader came; null if nobody ever led.
  #state = null;
  #receivedAt = 0;
  /// Whether this window goes where the leader goes; `#isAway`: its musician has turned by hand since.
  #isFollowing = false;
  #isAway = false;
  /// The place that this window went to for the leader; without a position, any page of the chart.
  #expected = null;
  /// A plan of the leader's that is not here under this name.
  #foreign = null;
  /// What this window says while it leads: where it is, and the message that stands.
  #place = null;
  #message = null;
  #timers = {};
  /// Whether a report is on its way, and whether another is due after it: only the newest matters.
  #isSending = false;
  #isDue = false;
  /// The reading view, while there is one.
  #room = null;
  #shownMessage = null;
  #sign = button("", () => this.openPanel(), "bar-part bar-together");
  #follow = button("Follow", () => this.follow(), "bar-part bar-together");
  #line = h("p", { class: "together", role: "status", hidden: true });
  #again = button("Follow again", () => this.follow(), "strong together-again");

  constructor() {
    on("together", (news) => this.#receive(news));
    on("stand", (room) => (room ? this.#stood(room) : this.#left()));
    on("open", () => this.#leads && this.#report());
    emit("stand?", (room) => this.#stood(room));
    const known = stateTogether();
    if (known) this.#receive(known);
  }

  get #isLed() { return this.#state?.led === true; }
  get #leads() { return this.#isLed && this.#state.window === ME; }
  get #name() { return plain(this.#state?.leader ?? ""); }

  // The lead

  /// Takes the lead, or gives it up.
  lead() {
    if (!mayChange) return this.#show("You are signed in as a guest: guests follow");
    if (this.#leads) return this.#post("end");
    this.#isFollowing = false;
    this.#place = this.#placeShown();
    this.#post("claim");
    this.#beat();
    return null;
  }

  say(message) {
    this.#message = message;
    clearTimeout(this.#timers.message);
    this.#timers.message = setTimeout(() => {
      this.#message = null;
      this.#report();
    }, MESSAGE);
    this.#report();
  }

  /// Where the leader is, for the others: the page, and how far down it the screen begins.
  #placeShown() {
    const { shown } = this.#room?.stand ?? {};
    if (!shown?.chart || shown.positions.length === 0) return this.#place;
    const { scrollTop, scrollHeight } = this.#room.stage.element;
    const { chart, positions: [position], place: { plan, item, half } } = shown;
    const down = half ? 0.5 : scrollHeight > 0 ? scrollTop / scrollHeight : 0;
    return { plan: plan ?? null, item: item ?? null, chart: chart.id, hash: chart.hash, page: chart.order[position], down: Math.min(1, Math.max(0, down)) };
  }

  #beat() {
    clearTimeout(this.#timers.beat);
    this.#timers.beat = setTimeout(() => {
      if (!this.#leads) return;
      this.#report();
      this.#beat();
    }, BEAT);
  }

  #report() {
    if (!this.#leads) return;
    if (this.#isSending) this.#isDue = true;
    else this.#post("tell");
  }

  async #post(act) {
    this.#isSending = true;
    try {
      await api.turnTogether({ act, window: ME, epoch: this.#state?.epoch ?? 0, place: this.#place, message: this.#message });
    } catch (error) {
      if (act !== "tell") this.#show(error.message);
      // A restarted agent knows of no lead.
      else if (error.status === 404 && this.#leads) this.#timers.claim = setTimeout(() => this.#post("claim"));
    } finally {
      this.#isSending = false;
      if (this.#isDue) {
        this.#isDue = false;
        this.#report();
      }
    }
  }

  // Following

  /// Goes where the leader is, from now on; or no longer.
  follow() {
    if (!this.#isLed) return this.#show("Nobody leads");
    if (this.#leads) return this.#show("You lead");
    this.#isFollowing = !this.#isFollowing || this.#isAway;
    this.#isAway = false;
    this.#expected = null;
    this.#show(this.#isFollowing ? `You follow ${this.#name}` : "You turn by yourself");
    this.#showAll();
    if (this.#isFollowing) this.#go();
    return null;
  }

  #receive({ state, silence = 0 }) {
    const led = this.#leads;
    // A sign of life has another version, and says nothing new.
    const isNews = tagOf(this.#state) !== tagOf(state);
    this.#state = state;
    this.#receivedAt = performance.now() - silence;
    if (led && !this.#leads) this.#lost();
    if (this.#leads) this.#beat();
    if (!this.#isLed) [this.#isFollowing, this.#isAway] = [false, false];
    // What a leader said who has been silent since is of no use to whoever comes late.
    const message = silence < MESSAGE ? state.message : null;
    if (message !== this.#shownMessage) this.#showMessage(message);
    this.#showAll();
    this.#go(isNews);
  }

  /// Another window has taken the lead, or this one has given it up.
  #lost() {
    clearTimeout(this.#timers.message);
    this.#message = null;
    if (this.#isLed) this.#show(`${this.#name} leads now`);
  }

  /// The leader's song as it is called here. A set that a band shares is another plan on each device: its songs are looked for in the plan
  /// on the stand.
  #ownPlace({ plan, item, chart }, { order }) {
    const isOnStand = order?.plan === plan;
    if (plan && plan === this.#foreign && !isOnStand) {
      const near = order?.items.find(({ charts }) => charts.some(({ id }) => id === chart));
      return { chart, plan: near && order.plan, item: near?.id };
    }
    const own = isOnStand ? order.item(item) : null;
    return { chart: own ? firstChart(own).id : chart, plan: plan ?? undefined, item: item ?? undefined };
  }

  /// Shows what the leader has on the stand: the same page of the same chart; of another one, only the song. A sign of life that brings
  /// no news does not take back how far the musician has scrolled.
  async #go(isNews = true) {
    const place = this.#state?.place;
    if (!this.#isFollowing || this.#isAway || this.#leads || !place || !this.#room) return;
    const { stand, goTo, stage } = this.#room;
    const own = this.#ownPlace(place, stand);
    const asked = { ...own, position: 0, half: null };
    let chart = book.peek(asked);
    const tag = tagOf(this.#state);
    const isLatest = () => tagOf(this.#state) === tag && this.#isFollowing && !this.#isAway;
    if (!chart) {
      // The page stays if the leader's song is not here.
      let isUnknown = false;
      chart = await book.load(asked).catch(({ status }) => {
        isUnknown = status === 404;
        return null;
      });
      if (!isLatest()) return;
      if (isUnknown && place.plan && place.plan !== this.#foreign && place.plan !== stand.order?.plan) {
        this.#foreign = place.plan;
        return this.#go(isNews);
      }
      if (!chart) return this.#showLine(`${this.#name} is at a song that is not here`);
    }
    const isSame = chart.hash === place.hash;
    const shown = stand.shown;
    const isThere = shown && shown.place.item === asked.item && shown.place.chart === asked.chart;
    this.#expected = { ...asked, position: null };
    // Another part has other pages: its musician turns them.
    if (isThere && !isSame) return;
    if (isSame) asked.position = positionOf(chart, place.page, isThere ? shown.place.position : 0);
    // A turn for an earlier word of the leader may still be on its way from the page that is wanted again.
    const { goal } = stand;
    const isLeaving = goal && !(goal.chart === asked.chart && goal.item === asked.item && shown?.positions.includes(goal.position));
    const isOnStage = isThere && !isLeaving && shown.positions.includes(asked.position) && !shown.place.half;
    if (isSame) this.#expected = asked;
    if (!isOnStage) {
      if (own.plan && stand.order?.plan !== own.plan) await this.#room.open({ ...own, page: asked.position + 1 });
      else await goTo(asked, { start: performance.now() });
    }
    if (isSame && (isNews || !isOnStage) && isLatest() && stage.isPannable) stage.element.scrollTop = place.down * stage.element.scrollHeight;
  }

  // The reading view

  /// A sheet came on the stage.
  #stood(room) {
    if (this.#room !== room) this.#enter(room);
    const place = this.#placeShown();
    if (this.#leads) {
      this.#place = place;
      this.#report();
    } else if (this.#isFollowing && !this.#isAway && this.#isElsewhere(room.stand)) {
      this.#isAway = true;
      this.#showAll();
    }
  }

  /// Whether the musician has turned to another place than the leader's.
  #isElsewhere({ shown, goal }) {
    const { chart, item, position } = this.#expected ?? {};
    if (!this.#expected || !shown) return false;
    // A later turn for the leader may be on its way already.
    const wanted = goal?.asked?.position ?? goal?.position;
    if (goal && goal.chart === chart && goal.item === item && (position === null || wanted === position)) return false;
    return shown.place.chart !== chart || shown.place.item !== item || (position !== null && !shown.positions.includes(position));
  }

  #enter(room) {
    this.#room = room;
    const bar = room.view.querySelector(".bar-tools");
    bar?.before(this.#sign, this.#follow);
    room.view.append(this.#line, this.#again);
    room.stage.element.addEventListener("scroll", () => this.#scrolled(), { passive: true });
    this.#showAll();
    this.#go();
  }

  #scrolled() {
    if (!this.#leads || this.#timers.scroll) return;
    this.#timers.scroll = setTimeout(() => {
      this.#timers.scroll = 0;
      this.#place = this.#placeShown();
      this.#report();
    }, SCROLLED);
  }

  /// The musician looks something up in the plans: the others stay at the song.
  #left() {
    this.#room = null;
    this.#isAway = this.#isFollowing;
  }

  // What is shown

  #show(words) { this.#room?.cue.show(words); }

  #showAll() {
    clearTimeout(this.#timers.silent);
    const wait = this.#isLed && !this.#leads ? this.#receivedAt + SILENT - performance.now() : 0;
    const isSilent = this.#isLed && !this.#leads && wait <= 0;
    if (wait > 0) this.#timers.silent = setTimeout(() => this.#showAll(), wait + 1);
    this.#sign.hidden = !this.#isLed;
    this.#sign.textContent = this.#leads ? "You lead" : isSilent ? `No news from ${this.#name}` : `${this.#name} leads`;
    this.#sign.setAttribute("aria-label", `${this.#sign.textContent}: turn together`);
    const isWith = this.#isFollowing && !this.#isAway;
    this.#follow.textContent = isWith ? "Following" : "Follow";
    this.#follow.setAttribute("aria-pressed", String(isWith));
    this.#setHidden(this.#follow, !this.#isLed || this.#leads);
    this.#setHidden(this.#again, !(this.#isLed && this.#isFollowing && this.#isAway));
    if (isWith && isSilent) this.#showLine(`No news from ${this.#name}: the page stays`);
    else if (!this.#shownMessage) this.#line.hidden = true;
  }

  #setHidden(element, isHidden) {
    if (isHidden && this.#room) leaveFor(this.#room.stage.element, element);
    element.hidden = isHidden;
  }

  #showLine(words) {
    if (this.#line.hidden || this.#line.textContent !== words) this.#line.textContent = words;
    this.#line.hidden = false;
  }

  /// The leader's message stands for ten seconds, also with those who do not follow.
  #showMessage(message) {
    this.#shownMessage = message;
    clearTimeout(this.#timers.shown);
    this.#line.hidden = !message;
    if (!message) return;
    this.#showLine(plain(message));
    this.#timers.shown = setTimeout(() => {
      this.#line.hidden = true;
    }, MESSAGE);
  }

  /// The panel: who leads, and what one can do about it; for the leader, the messages.
  openPanel() {
    const act = (words, run, kind) => button(words, () => {
      dialog.close();
      run();
    }, kind);
    const next = this.#room?.stand.order?.neighbour(this.#room.stand.goal ?? {}, 1)?.title;
    const messages = [...MESSAGES, next && `Next: ${next}`].filter(Boolean);
    const own = h("input", { type: "text", class: "search", maxlength: "80", "aria-label": "Another message", placeholder: "Again from …", autocomplete: "off" });
    own.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.isComposing || !own.value.trim()) return;
      event.preventDefault();
      this.say(own.value.trim());
      dialog.close();
    });
    const words = this.#leads ? "You lead: those who follow see the page that you turn to." : this.#isLed ? `${this.#name} leads.` : "Nobody leads.";
    const dialog = openPanel("Turn together", "small passing",
      h("p", { text: words }),
      h("div", { class: "row" },
        this.#isLed && !this.#leads && act(this.#isFollowing && !this.#isAway ? "Turn by yourself" : "Follow", () => this.follow(), "strong"),
        mayChange && act(this.#leads ? "Stop leading" : "Lead", () => this.lead(), this.#isLed ? "" : "strong")),
      this.#leads && h("div", { class: "together-messages", role: "group", "aria-label": "Messages to everybody" },
        messages.map((message) => act(message, () => this.say(message))), own));
    if (!this.#leads) say(words);
  }
}

/// The position of a page in a chart's order. A page may be played several times: then the next of them from here.
function positionOf(chart, page, from) {
  const ahead = chart.order.indexOf(page, from);
  return Math.max(0, ahead >= 0 ? ahead : chart.order.indexOf(page));
}

bring("together", new TurnsTogether());
