// When to retry a failed action: soon at first, then less and less often, since the action may never succeed.

export class Retry {
  #first;
  #longest;
  #pause;
  #timer = 0;

  /// The first pause (ms) before another try, and the longest.
  constructor(first, longest) { [this.#first, this.#longest, this.#pause] = [first, longest, first]; }

  /// Calls `act` after the pause, and doubles the pause for the next call.
  later(act) {
    this.stop();
    this.#timer = setTimeout(act, this.#pause);
    this.#pause = Math.min(this.#pause * 2, this.#longest);
  }

  stop() { clearTimeout(this.#timer); }

  /// Starts again with the first pause, and cancels a pending try.
  reset() {
    this.stop();
    this.#pause = this.#first;
  }
}
