import {
  anyFunction,
  type Check,
  checkOptions,
  MAX_TIMER,
  syncFunction,
  wholeNumber,
} from "../base/options/check-options.ts";
import { unref } from "../base/stand-ins.ts";
import { callUser, numberFrom, reportAsWarning } from "../base/user-calls.ts";
import { deadToDo } from "../inbox/counts.ts";
import { isSilent, noAuthentic, normalSilence } from "../inbox/senders.ts";
import { MIN_FREE_BYTES } from "../inbox/vitals.ts";
import { inboxOf } from "../receiver/inbox-view.ts";
import type { Receiver } from "../receiver/receiver.ts";
import type { Alert, AlertCondition } from "./alert.ts";
import { figureReader, type InboxFigures, MIN_PAUSE, oldestDueAge } from "./inbox-figures.ts";

/** What is taken for an option that is not given, in milliseconds. */
export const ALERT_DEFAULTS = { every: 10_000, oldestDue: 5 * 60_000 };
/** Milliseconds for which a difference between events is an alert. */
export const DRIFT_FOR = 60 * 60_000;
const NEARLY = 0.9; // the share of `maxInboxSize` that is nearly all of it

/** Options of {@link watchAlerts}. */
export interface AlertOptions {
  /**
   * Called when a condition begins to hold, and when it is over. If it throws, that is not
   * repeated.
   */
  readonly onAlert: (alert: Alert) => unknown;
  /** How many dead letters may wait for someone. Default 0. */
  readonly deadLetters?: number | undefined;
  /** Milliseconds that an entry may be due and wait. Default 300000 (5 minutes). */
  readonly oldestDue?: number | undefined;
  /**
   * Bytes that the inbox may have; 90 % of them are an alert. Default: only the free disk counts.
   */
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
 * Calls `onAlert` when dead letters wait, deliveries are refused with 503, nothing arrives or
 * nothing is authentic any more, the oldest due entry has waited too long, the inbox is nearly
 * full, or events began to differ: once when that begins, and once when it is over. Returns a
 * function that ends it. It keeps no process running, and watches only while the receiver is
 * started.
 *
 * @throws ConfigurationError `option_invalid`
 *
 * @example
 * ```ts
 * import type { Receiver } from "hookporter";
 * import { watchAlerts } from "hookporter/metrics";
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
  const { onAlert, every = ALERT_DEFAULTS.every, clock } = options;
  const inbox = inboxOf(receiver);
  const report = reportAsWarning("onAlert of watchAlerts");
  const inboxClock = () => inbox.now ?? Date.now();
  const readClock =
    clock === undefined
      ? inboxClock
      : numberFrom(clock, inboxClock, reportAsWarning("clock of watchAlerts"));
  const read = figureReader(inbox, Math.min(MIN_PAUSE, every));
  /** By type, with the source that each is about, if it is about one. */
  const active = new Map<AlertCondition["type"], string>();
  let isClosed = false;
  /** Calls `onAlert` when a condition begins to hold and when it ends, not in between. */
  const tell = (holds: boolean, condition: AlertCondition) => {
    if (isClosed || holds === active.has(condition.type)) return;
    if (holds) active.set(condition.type, "source" in condition ? condition.source : "");
    else active.delete(condition.type);
    callUser(() => onAlert({ ...condition, active: holds }), report);
  };
  /** When events were seen to differ. */
  let drifts: number[] = [];
  const checkDrift = () => {
    const since = performance.now() - DRIFT_FOR;
    drifts = drifts.filter((at) => at > since).slice(-1000);
    tell(drifts.length > 0, { type: "drift", differences: drifts.length });
  };
  let isLooking = false;
  const look = async () => {
    const { refusing } = receiver;
    if (isLooking || refusing === "closed") return;
    isLooking = true;
    tell(refusing !== undefined, { type: "not_ready", cause: refusing });
    checkDrift();
    try {
      const figures = await read(); // the receiver reports why its inbox cannot be read
      if (figures === undefined) return;
      for (const alert of conditionsOf(figures, options, readClock(), active)) tell(...alert);
    } finally {
      isLooking = false;
    }
  };
  const timer = unref(setInterval(() => void look().catch(() => {}), every));
  const endDrifts = receiver.onDrift(() => {
    drifts.push(performance.now());
    checkDrift();
  });
  return () => {
    isClosed = true;
    endDrifts();
    clearInterval(timer);
  };
}

/**
 * Whether each condition holds; those of sources for the first of which it does, or that it is told
 * of.
 */
function* conditionsOf(
  figures: InboxFigures,
  { oldestDue: limit = ALERT_DEFAULTS.oldestDue, deadLetters: above = 0, ...options }: AlertOptions,
  now: number,
  active: ReadonlyMap<AlertCondition["type"], string>,
): Generator<[boolean, AlertCondition]> {
  const { counts, senders, size } = figures;
  const count = deadToDo(counts);
  yield [count > above, { type: "dead_letters", count, above }];
  const age = oldestDueAge(figures, now);
  yield [age > limit, { type: "oldest_due", age, limit }];
  const [first] = senders;
  if (first !== undefined) {
    const reportedOf = (type: AlertCondition["type"]) =>
      senders.find(({ source }) => source === active.get(type)) ?? first;
    const silent = senders.find((sender) => isSilent(sender, now));
    const { source, authenticAt = now, ...rest } = silent ?? reportedOf("nothing_arrives");
    const normal = normalSilence(rest) ?? 0;
    yield [
      silent !== undefined,
      { type: "nothing_arrives", source, silence: now - authenticAt, limit: normal },
    ];
    const mismatched = senders.find((sender) => noAuthentic(sender, now));
    const { mismatches, source: name } = mismatched ?? reportedOf("no_authentic");
    const refused = mismatches?.count ?? 0;
    yield [mismatched !== undefined, { type: "no_authentic", source: name, refused }];
  }
  if (size === undefined) return;
  const { bytes, logBytes = 0, freeBytes } = size;
  const { maxInboxSize = Number.POSITIVE_INFINITY } = options;
  const isDiskFull = freeBytes !== undefined && freeBytes < 2 * logBytes + MIN_FREE_BYTES;
  const cause = isDiskFull ? "disk" : "max_inbox_size";
  const isFull = isDiskFull || bytes >= NEARLY * maxInboxSize;
  yield [isFull, { type: "inbox_nearly_full", cause, bytes, freeBytes }];
}
