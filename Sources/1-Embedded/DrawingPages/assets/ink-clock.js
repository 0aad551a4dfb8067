// Who edits, and in which order: this browser's name among all that draw, and its numbers, of which each is given out once.

const STORE = "device";
/// Numbers are taken from the browser's database in blocks, so that no edit waits for one.
const BLOCK = 500;
const FEW = 100;

class InkClock {
  #device = null;
  #next = 0;
  #end = 0;
  #taking = null;

  /// Resolves once there are numbers.
  async ready() { if (this.#end - this.#next < FEW) await this.#take(); }

  /// The device, and a number that nobody else has.
  next() {
    if (this.#next >= this.#end) this.#beAnother();
    if (this.#end - this.#next < FEW) this.#take();
    this.#next += 1;
    return [this.#device, this.#next - 1];
  }

  /// A layer knows of these numbers of each device. One that knows a number of this device which it has not given out has seen another copy
  /// of this browser's storage: from then on this is another device.
  async meet(counters) {
    const known = counters[this.#device];
    if (known === undefined || known < this.#next) return;
    // Beyond this window's own numbers are those of others.
    if (known >= this.#end) {
      const kept = await transact((former) => former).catch(() => null);
      if (kept?.id === this.#device && known < kept.next) return;
    }
    await this.#taking;
    this.#end = this.#next;
    await this.#take(true);
  }

  #take(isAnother = false) {
    this.#taking ??= transact((kept) => {
      const { id, next } = kept && !isAnother ? kept : { id: newName(), next: 1 };
      return { id, next: next + BLOCK };
    }).then(({ id, next }) => {
      [this.#device, this.#next, this.#end] = [id, next - BLOCK, next];
    }, () => { if (this.#next >= this.#end) this.#beAnother(); }).finally(() => { this.#taking = null; });
    return this.#taking;
  }

  /// Without the database, each window is a device of its own for as long as it is open.
  #beAnother() { [this.#device, this.#next, this.#end] = [newName(), 1, Infinity]; }
}

export const clock = new InkClock();

/// A random name.
export function newName() { return [...crypto.getRandomValues(new Uint8Array(10))].map((byte) => byte.toString(36).padStart(2, "0")).join(""); }

/// Replaces what is kept by what `change` makes of it. The database does this one window after the other.
function transact(change) {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open("woodshed", 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore(STORE);
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const database = opening.result;
      const work = database.transaction(STORE, "readwrite", { durability: "strict" });
      const store = work.objectStore(STORE);
      const reading = store.get(STORE);
      let made = null;
      reading.onsuccess = () => {
        made = change(reading.result ?? null);
        if (made) store.put(made, STORE);
      };
      work.oncomplete = () => {
        database.close();
        resolve(made);
      };
      work.onerror = work.onabort = () => {
        database.close();
        reject(work.error);
      };
    };
  });
}
