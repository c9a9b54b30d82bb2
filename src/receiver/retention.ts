import { describeError } from "../errors.ts";
import { pruneInbox } from "../inbox/prune.ts";
import type { Settings } from "./options.ts";

/** Milliseconds from the start to the first look, and from one to the next. */
const FIRST_LOOK = 5000;
const NEXT_LOOK = 10 * 60_000;

/** What a receiver's pruning depends on. */
type Terms = Pick<
  Settings,
  "inbox" | "clock" | "log" | "source" | "maxAge" | "retention" | "deliveryRetention"
>;

/** Drops what is older than its retention, from time to time, as long as a receiver runs. */
export class Retention {
  readonly #terms: Terms;
  readonly #aborter = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #underWay: Promise<void> | undefined;

  constructor(terms: Terms) {
    this.#terms = terms;
  }

  /** Begins to look. */
  start(): void {
    this.#lookIn(FIRST_LOOK);
  }

  /** Looks no more; resolves when the look under way has ended. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#aborter.abort();
    await this.#underWay;
  }

  #lookIn(ms: number): void {
    this.#timer = setTimeout(() => {
      this.#underWay = this.#look().finally(() => {
        if (!this.#aborter.signal.aborted) this.#lookIn(NEXT_LOOK);
      });
    }, ms);
    this.#timer.unref();
  }

  async #look(): Promise<void> {
    const { inbox, log } = this.#terms;
    try {
      await pruneInbox(inbox, { ...dueForPruning(this.#terms), signal: this.#aborter.signal });
    } catch (thrown) {
      log.warn({ error: describeError(thrown) }, "the inbox could not be pruned; trying again later");
    }
  }
}

/**
 * What a receiver may drop now. An event must be past its retention and past the age at which it is refused, so that a
 * replay of it is too old for ever. Dead letters stay until somebody has looked at them.
 */
export function dueForPruning({
  clock,
  source,
  maxAge,
  retention,
  deliveryRetention,
}: Pick<Terms, "clock" | "source" | "maxAge" | "retention" | "deliveryRetention">) {
  const now = clock();
  const sources = [source];
  return {
    prune: {
      states: ["done", "unhandled"],
      receivedUntil: now - retention,
      datedUntil: now - maxAge - 1,
      sources,
    },
    slim: { settledUntil: now - deliveryRetention, sources },
  } as const;
}
