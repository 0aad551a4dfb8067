// Access to the drawing tools. They are loaded with the plan, when somebody starts to draw, or when this browser has marks that the
// agent has not confirmed.
import { mayChange } from "./api.js";
import { fetchLater, isLaterComing, isLaterHere, later, reachLater } from "./later.js";
import { namesStored } from "./storage.js";

/// The common beginning of the storage names of marks that the agent has not confirmed.
export const WAITING = "woodshed-ink ";

const WORDS = {
  coming: "The drawing tools are on their way …",
  missing: "The drawing tools are not in this browser, and Woodshed’s agent does not send them.",
};

class DrawingDoor {
  #room = null;
  #tools = null;
  /// Whether somebody has asked to draw, and the tools have not opened yet.
  isOwed = false;

  constructor() { if (namesStored(WAITING).length > 0) fetchLater().then(() => this.#come()).catch(() => null); }

  /// Prepares for drawing where music is shown; `room` contains what the tools need there (Drawing). Returns a
  /// function that removes the tools.
  enter(room) {
    this.#room = room;
    if (isLaterHere() || isLaterComing()) this.#come().catch(() => null);
    return () => {
      this.#tools?.stop();
      [this.#room, this.#tools] = [null, null];
    };
  }

  /// Opens the tools, or closes them.
  async open() {
    if (this.isOwed && isLaterComing()) {
      this.#room?.cue.show(WORDS.coming);
      return;
    }
    this.isOwed = mayChange;
    const isHere = await reachLater((words) => this.isOwed && this.#room?.cue.show(words), WORDS);
    if (!isHere || !this.isOwed) return;
    this.isOwed = false;
    (await this.#come())?.toggle();
  }

  async #come() {
    if (!mayChange) return null;
    await fetchLater();
    if (this.#room) this.#tools ??= later("drawing")(this.#room);
    return this.#tools;
  }
}

export const door = new DrawingDoor();
