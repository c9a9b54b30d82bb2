import { HookporterError } from "../base/errors.ts";
import type { Logger } from "../base/logger.ts";
import type { Inbox } from "../inbox/inbox.ts";

/**
 * Milliseconds for which a count is used again, and for which one is before a delivery is refused.
 */
const RECOUNT_INTERVAL = 1000;
const RECOUNT_INTERVAL_WHEN_FULL = 250;

interface BacklogTerms {
  readonly inbox: Pick<Inbox, "backlog">;
  readonly source: string;
  readonly maxPending: number;
  readonly log: Logger;
}

/**
 * Estimates how many entries of a source have not ended, and says when there are too many to keep
 * more.
 */
export class Backlog {
  readonly #terms: BacklogTerms;
  #counted = 0;
  /** Entries that were kept since, and wait. */
  #added = 0;
  #countedAt = Number.NEGATIVE_INFINITY;
  #counting: Promise<void> | undefined;
  #wasFull = false;

  constructor(terms: BacklogTerms) {
    this.#terms = terms;
  }

  /**
   * Why no new entry is kept now, if there are too many. Counts at most once a second, or four
   * times if there are.
   */
  async refusal(): Promise<HookporterError | undefined> {
    if (this.#isOlderThan(RECOUNT_INTERVAL)) await this.#count();
    if (this.#isFull && this.#isOlderThan(RECOUNT_INTERVAL_WHEN_FULL)) await this.#count();
    const { source, maxPending, log } = this.#terms;
    const isFull = this.#isFull;
    if (isFull && !this.#wasFull)
      log.warn(
        { source, maxPending },
        "too many entries wait: new events of this source are answered 503",
      );
    this.#wasFull = isFull;
    if (!isFull) return undefined;
    return new HookporterError(
      "inbox_busy",
      `expected fewer than ${maxPending} entries of the source ${JSON.stringify(source)} that have not ended, got as many: ` +
        "let more processes run entries, or raise maxPending",
    );
  }

  /** Call it after storing a waiting entry. */
  added(): void {
    this.#added++;
  }

  get #isFull(): boolean {
    return this.#counted + this.#added >= this.#terms.maxPending;
  }

  #isOlderThan(ms: number): boolean {
    return performance.now() - this.#countedAt >= ms;
  }

  /** One count serves all deliveries that wait for it. */
  #count(): Promise<void> {
    this.#counting ??= this.#countNow().finally(() => {
      this.#counting = undefined;
    });
    return this.#counting;
  }

  async #countNow(): Promise<void> {
    const { inbox, source, maxPending } = this.#terms;
    const before = this.#added;
    this.#counted = await inbox.backlog({ sources: [source], limit: maxPending });
    this.#added -= before;
    this.#countedAt = performance.now();
  }
}
