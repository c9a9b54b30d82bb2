/** Milliseconds after which waiting items go on, even if there are too few. */
export const LONGEST_WAIT = 1000;

/** Collects tasks until there are enough, or the first has waited long enough; then runs them all. */
export class Gathering {
  readonly #enough: number;
  #waiting: (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(enough: number) {
    this.#enough = enough;
  }

  add(go: () => void): void {
    this.#waiting.push(go);
    if (this.#waiting.length >= this.#enough) this.release();
    else this.#timer ??= setTimeout(() => this.release(), LONGEST_WAIT);
  }

  release(): void {
    const going = this.#waiting;
    this.clear();
    for (const go of going) go();
  }

  /** Drops waiting tasks. */
  clear(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#waiting = [];
  }
}
