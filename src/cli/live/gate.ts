/** Lines held back at most while the view is paused; the oldest give way. */
const MAX_HELD = 1000;

/** Stands before the live view: lets through what fits a filter, and holds it back while the view is paused. */
export class LiveGate {
  #held: (() => void)[] = [];
  #dropped = 0;
  #paused = false;
  #filter = "";

  /** Whether what comes is held back. */
  get paused(): boolean {
    return this.#paused;
  }

  /** Prints something now, later or not at all. `words` is what the filter looks at. */
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

  /** Shows from now on only what has this text in it, whatever the case; an empty one shows everything. */
  narrow(filter: string): void {
    this.#filter = filter.toLowerCase();
  }

  pause(): void {
    this.#paused = true;
  }

  /** Prints what was held back; gives how many gave way. */
  resume(): number {
    this.#paused = false;
    for (const print of this.#held.splice(0)) print();
    const dropped = this.#dropped;
    this.#dropped = 0;
    return dropped;
  }
}
