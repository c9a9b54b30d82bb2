/** The maximum number of lines held back while the view is paused; the oldest are dropped. */
const MAX_HELD = 1000;

/** A gate before the live view: passes lines that match a filter, and holds them back while the view is paused. */
export class LiveGate {
  #held: (() => void)[] = [];
  #dropped = 0;
  #paused = false;
  #filter = "";

  /** Whether lines are held back. */
  get paused(): boolean {
    return this.#paused;
  }

  /** Prints something now, later or never. The filter is applied to `words`. */
  pass(words: string, print: () => void): void {
    if (this.#filter !== "" && !words.toLowerCase().includes(this.#filter)) return;
    if (!this.#paused) {
      print();
      return;
    }
    this.#held.push(print);
    if (this.#held.length <= MAX_HELD) return;
    this.#held.shift();
    this.#dropped++;
  }

  /** From now on shows only lines that contain this text, ignoring case; an empty text shows everything. */
  narrow(filter: string): void {
    this.#filter = filter.toLowerCase();
  }

  pause(): void {
    this.#paused = true;
  }

  /** Prints the lines that were held back; returns the number of dropped ones. */
  resume(): number {
    this.#paused = false;
    for (const print of this.#held.splice(0)) print();
    const dropped = this.#dropped;
    this.#dropped = 0;
    return dropped;
  }
}
