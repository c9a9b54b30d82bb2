/** Milliseconds after which what waits for company goes on alone. */
export const LONGEST_WAIT = 1000;

/** Keeps things to do until enough are there, or the first has waited long enough; then does them all at once. */
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

  /** Forgets what waits. */
  clear(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#waiting = [];
  }
}
