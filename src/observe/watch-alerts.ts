import { deadToDo } from "../inbox/counts.ts";
import { isSilent, noAuthentic, normalSilence, type SenderRecord } from "../inbox/senders.ts";
import type { InboxSize } from "../inbox/vitals.ts";
import {
  anyFunction,
  type Check,
  checkOptions,
  MAX_TIMER,
  syncFunction,
  wholeNumber,
} from "../options/check-options.ts";
import type { Receiver } from "../receiver/receiver.ts";
import type { Alert, AlertCondition } from "./alert.ts";
import {
  figureReader,
  type InboxFigures,
  MIN_PAUSE,
  oldestDueAge,
  type ReadFigures,
} from "./inbox-figures.ts";

/** What is taken for an option that is not given, in milliseconds. */
export const ALERT_DEFAULTS = { every: 10_000, oldestDue: 5 * 60_000 };
/** Milliseconds for which a difference between events is an alert. */
export const DRIFT_FOR = 60 * 60_000;
/** The disk is nearly full if less than this is free, besides room for the log to be copied twice. */
export const SPARE = 500e6;
/** The share of `maxInboxSize` that is nearly all of it. */
const NEARLY = 0.9;

/** Options of {@link watchAlerts}. */
export interface AlertOptions {
  /** Called when a condition begins to hold, and when it is over. If it throws, that is not repeated. */
  readonly onAlert: (alert: Alert) => unknown;
  /** How many dead letters may wait for someone. Default 0. */
  readonly deadLetters?: number | undefined;
  /** Milliseconds that an entry may be due and wait. Default 300000 (5 minutes). */
  readonly oldestDue?: number | undefined;
  /** Bytes that the inbox may have; 90 % of them are an alert. Default: only the free disk counts. */
  readonly maxInboxSize?: number | undefined;
  /** Milliseconds between two looks at the inbox. Default 10000. */
  readonly every?: number | undefined;
  /** Milliseconds since 1970. Default: the inbox's clock, or `Date.now`. */
  readonly clock?: (() => number) | undefined;
}

const CHECKS: Readonly<Record<keyof AlertOptions, Check>> = {
  onAlert: anyFunction("pass (alert) => …"),
  deadLetters: wholeNumber("entries", 0),
  oldestDue: wholeNumber("milliseconds", 1),
  maxInboxSize: wholeNumber("bytes", 1),
  every: wholeNumber("milliseconds", 1, MAX_TIMER),
  clock: syncFunction("pass one that returns milliseconds since 1970, such as Date.now"),
};

/** What watching needs of a receiver. */
export type WatchedReceiver = Pick<Receiver, "inbox" | "refusing" | "onDrift">;

/**
 * Calls `onAlert` when dead letters wait, deliveries are refused with 503, nothing arrives or nothing is authentic any more,
 * the oldest due entry has waited too long, the inbox is nearly full, or events began to differ: once when that begins, and
 * once when it is over. Returns a function that ends it. It keeps no process running, and watches only while the receiver is
 * started.
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
 *     deadLetters: 5,
 *   });
 * }
 * ```
 */
export function watchAlerts(receiver: WatchedReceiver, options: AlertOptions): () => void {
  checkOptions(options, "the options of watchAlerts", CHECKS);
  CHECKS.onAlert(options.onAlert, "onAlert");
  const watch = new AlertWatch(receiver, options);
  return () => watch.close();
}

class AlertWatch {
  readonly #receiver: WatchedReceiver;
  readonly #options: AlertOptions;
  readonly #read: ReadFigures;
  readonly #active = new Set<AlertCondition["type"]>();
  /** When events were seen to differ. */
  #differences: number[] = [];
  #looking = false;
  #isClosed = false;
  readonly #ends: readonly (() => void)[];

  constructor(receiver: WatchedReceiver, options: AlertOptions) {
    const { every = ALERT_DEFAULTS.every } = options;
    this.#receiver = receiver;
    this.#options = options;
    this.#read = figureReader(receiver.inbox, Math.min(MIN_PAUSE, every));
    const timer = setInterval(() => void this.#look(), every).unref();
    const drifted = receiver.onDrift(() => {
      this.#differences.push(performance.now());
      this.#lookAtDrift();
    });
    this.#ends = [drifted, () => clearInterval(timer)];
  }

  close(): void {
    this.#isClosed = true;
    for (const end of this.#ends) end();
  }

  async #look(): Promise<void> {
    const { refusing } = this.#receiver;
    if (this.#looking || refusing === "closed") return;
    this.#looking = true;
    this.#tell(refusing !== undefined, { type: "not_ready", cause: refusing });
    this.#lookAtDrift();
    try {
      const figures = await this.#read(); // the receiver reports why its inbox cannot be read
      if (figures !== undefined) this.#lookAt(figures);
    } finally {
      this.#looking = false;
    }
  }

  #lookAt(figures: InboxFigures): void {
    const { clock, oldestDue: limit = ALERT_DEFAULTS.oldestDue, deadLetters: above = 0 } = this.#options;
    const now = clock?.() ?? this.#receiver.inbox.now?.() ?? Date.now();
    const count = deadToDo(figures.counts);
    this.#tell(count > above, { type: "dead_letters", count, above });
    const age = oldestDueAge(figures, now);
    this.#tell(age > limit, { type: "oldest_due", age, limit });
    this.#lookAtSenders(figures.senders, now);
    if (figures.size !== undefined) this.#lookAtSize(figures.size);
  }

  /** Reports the first source for which each condition holds. */
  #lookAtSenders(senders: readonly SenderRecord[], now: number): void {
    const [first] = senders;
    if (first === undefined) return;
    const [silent, mismatched] = [
      senders.find((one) => isSilent(one, now)),
      senders.find((one) => noAuthentic(one, now)),
    ];
    const { source, authenticAt = now, ...rest } = silent ?? first;
    const limit = normalSilence(rest) ?? 0;
    this.#tell(silent !== undefined, { type: "nothing_arrives", source, silence: now - authenticAt, limit });
    const { mismatches, source: name } = mismatched ?? first;
    this.#tell(mismatched !== undefined, {
      type: "no_authentic",
      source: name,
      refused: mismatches?.count ?? 0,
    });
  }

  #lookAtDrift(): void {
    const since = performance.now() - DRIFT_FOR;
    this.#differences = this.#differences.filter((at) => at > since).slice(-1000);
    const { length: differences } = this.#differences;
    this.#tell(differences > 0, { type: "drift", differences });
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
