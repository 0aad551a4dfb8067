// When to try again what failed: soon at first, and then less and less often, since it may never succeed.

export class Retry {
  #first;
  #longest;
  #pause;
  #timer = 0;

  /// The first pause (ms) before another try, and the longest.
  constructor(first, longest) { [this.#first, this.#longest, this.#pause] = [first, longest, first]; }

  /// Acts after a pause; the next one is twice as long.
  later(act) {
    this.stop();
    this.#timer = setTimeout(act, this.#pause);
    this.#pause = Math.min(this.#pause * 2, this.#longest);
  }

  stop() { clearTimeout(this.#timer); }

  /// Begins again with the first pause; a try that was due is given up.
  reset() {
    this.stop();
    this.#pause = this.#first;
  }
}
