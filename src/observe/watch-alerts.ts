import type { InboxSize } from "../inbox/vitals.ts";
import type { Observation } from "../receiver/observation.ts";
import type { Receiver } from "../receiver/receiver.ts";
import type { AlertCondition } from "./alert.ts";
import { type AlertOptions, checkAlertOptions } from "./alert-options.ts";
import { oldestDueAge } from "./inbox-figures.ts";
import { deadReasonOf } from "./outcome-labels.ts";

/** What is taken for an option that is not given, in milliseconds. */
export const ALERT_DEFAULTS = { every: 10_000, within: 15 * 60_000, oldestDue: 5 * 60_000 };

/** The disk is nearly full if less than this is free, besides room for the log to be copied twice. */
export const SPARE = 500e6;
/** The share of `maxInboxSize` that is nearly all of it. */
const NEARLY = 0.9;

/** What watching needs of a receiver. */
export type WatchedReceiver = Pick<Receiver, "observe" | "inbox" | "ready">;

/**
 * Calls `onAlert` when dead letters are too many, the oldest due entry has waited too long, or the inbox is nearly full:
 * once when that begins, and once when it is over. Returns a function that ends it. It
 * keeps no process running, and watches only while the receiver is started.
 *
 * @throws ConfigurationError `option_invalid`
 *
 * @example
 * ```ts
 * import { type Receiver, watchAlerts } from "hookporter";
 *
 * export function watch(receiver: Receiver): () => void {
 *   return watchAlerts(receiver, {
 *     onAlert: ({ type, active }) => console.error(type, active ? "began" : "is over"),
 *     deadLetters: { above: 5, within: 60_000 },
 *   });
 * }
 * ```
 */
export function watchAlerts(receiver: WatchedReceiver, options: AlertOptions): () => void {
  checkAlertOptions(options);
  const watch = new AlertWatch(receiver, options);
  return () => watch.close();
}

class AlertWatch {
  readonly #receiver: WatchedReceiver;
  readonly #options: AlertOptions;
  readonly #active = new Set<AlertCondition["type"]>();
  /** When the latest dead letters were seen, no more of them than are needed. */
  #deaths: number[] = [];
  #looking = false;
  #isClosed = false;
  readonly #ends: readonly (() => void)[];

  constructor(receiver: WatchedReceiver, options: AlertOptions) {
    this.#receiver = receiver;
    this.#options = options;
    const timer = setInterval(() => void this.#look(), options.every ?? ALERT_DEFAULTS.every).unref();
    this.#ends = [receiver.observe((observation) => this.#note(observation)), () => clearInterval(timer)];
  }

  close(): void {
    this.#isClosed = true;
    for (const end of this.#ends) end();
  }

  #note(observation: Observation): void {
    const died =
      observation.type === "attempt"
        ? observation.state === "dead"
        : deadReasonOf(observation.outcome) !== undefined;
    if (!died) return;
    this.#deaths.push(performance.now());
    this.#lookAtDeaths();
  }

  #lookAtDeaths(): void {
    const { above = 0, within = ALERT_DEFAULTS.within } = this.#options.deadLetters ?? {};
    const since = performance.now() - within;
    this.#deaths = this.#deaths.filter((at) => at > since).slice(-10_000);
    const count = this.#deaths.length;
    this.#tell(count > above, { type: "dead_letters", count, above, within });
  }

  async #look(): Promise<void> {
    this.#lookAtDeaths();
    if (this.#looking || !this.#receiver.ready) return;
    this.#looking = true;
    try {
      const { inbox } = this.#receiver;
      const [dueAt, size] = await Promise.all([inbox.nextRunAt(), inbox.vitals?.size()]);
      this.#lookAtDue(dueAt);
      if (size !== undefined) this.#lookAtSize(size);
    } catch {
      // The receiver reports why its inbox cannot be read.
    } finally {
      this.#looking = false;
    }
  }

  #lookAtDue(dueAt: number | undefined): void {
    const { clock, oldestDue: limit = ALERT_DEFAULTS.oldestDue } = this.#options;
    const now = clock?.() ?? this.#receiver.inbox.now?.() ?? Date.now();
    const age = oldestDueAge({ dueAt }, now);
    this.#tell(age > limit, { type: "oldest_due", age, limit });
  }

  #lookAtSize({ bytes, logBytes = 0, freeBytes }: InboxSize): void {
    const { maxInboxSize = Number.POSITIVE_INFINITY } = this.#options;
    const isDiskFull = freeBytes !== undefined && freeBytes < 2 * logBytes + SPARE;
    const cause = isDiskFull ? "disk" : "max_inbox_size";
    const isFull = isDiskFull || bytes >= NEARLY * maxInboxSize;
    this.#tell(isFull, { type: "inbox_nearly_full", cause, bytes, freeBytes });
  }

  /** Tells of a change only. */
  #tell(active: boolean, condition: AlertCondition): void {
    if (this.#isClosed || active === this.#active.has(condition.type)) return;
    if (active) this.#active.add(condition.type);
    else this.#active.delete(condition.type);
    const failed = () => {}; // nobody is left to tell
    try {
      Promise.resolve(this.#options.onAlert({ ...condition, active })).catch(failed);
    } catch {}
  }
}
