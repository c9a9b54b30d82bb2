/** How much of something is under way, without a promise for each. */
export class PendingCount {
  #pending = 0;
  readonly #waiting: (() => void)[] = [];

  begin(): void {
    this.#pending++;
  }

  end(): void {
    if (--this.#pending === 0) for (const resolve of this.#waiting.splice(0)) resolve();
  }

  async none(): Promise<void> {
    if (this.#pending > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}
