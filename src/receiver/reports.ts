import { setImmediate } from "node:timers";
import type { Listeners } from "../base/listeners.ts";
import type { Logger } from "../base/logger.ts";
import { OnceAMinute } from "../base/once-a-minute.ts";
import { detach } from "../base/try-or.ts";
import { problemLine } from "../event/data-problems.ts";
import type { Delivery } from "../event/delivery.ts";
import type { ClaimedEntry } from "../inbox/claim.ts";
import { hasEnded } from "../inbox/entry-state.ts";
import { durationOf } from "../inbox/outline.ts";
import type { Settlement } from "../inbox/settlement.ts";
import { TARGET_AWAY } from "../inbox/target-wait.ts";
import { keptHeaders } from "./admit.ts";
import type { Incoming } from "./incoming.ts";
import type { Observation } from "./observation.ts";
import { type Answered, attemptObservation, deliveryObservation } from "./observed.ts";
import type { Settings } from "./options/settings.ts";
import type { Accepted, Outcome, Refused, Rejected, Unauthorized } from "./outcome.ts";
import { SignedRefusals } from "./signed-refusals.ts";

/**
 * Tells the log and the observers what became of each delivery and of each run. The log has one
 * line for it, with no value of a body, header or error's message. Something to act on is an error;
 * what the receiver tries again itself is a warning; the rest is information.
 */
export class Reports {
  readonly #settings: Settings;
  readonly #log: Logger;
  readonly #observers: Listeners<Observation>;
  readonly #signedRefusals: SignedRefusals;
  readonly #strangers = new OnceAMinute<string>();
  readonly #away = new Set<string>();

  constructor(settings: Settings, observers: Listeners<Observation>) {
    this.#settings = settings;
    this.#log = settings.log;
    this.#observers = observers;
    this.#signedRefusals = new SignedRefusals(settings);
  }

  /** A request that was answered. One that was passed on to the rest of an app counts if signed. */
  request(
    incoming: Incoming,
    { outcome, delivery, receivedAt, start }: Omit<Answered, "head"> & Pick<Delivery, "receivedAt">,
  ): void {
    if (outcome.type === "refused") this.#signedRefusals.note(incoming, outcome, receivedAt);
    if (incoming.passedOn === true && !this.#signedRefusals.isSigned(incoming)) return;
    this.delivery(outcome, start);
    if (this.#observers.isEmpty) return;
    const { method, target, remoteAddress } = incoming;
    const headers =
      delivery?.headers ?? keptHeaders(incoming.headers, this.#settings.signatureHeader);
    const head = { method, target, headers, receivedAt };
    this.#observe({ head, outcome, start, delivery, remoteAddress });
  }

  /** A message of a channel that was taken. */
  channel(delivery: Delivery, outcome: Outcome, start: number): void {
    this.delivery(outcome, start);
    this.#observe({ head: delivery, outcome, start, delivery });
  }

  #observe(answered: Answered): void {
    const { observation, forget } = deliveryObservation(answered, this.#settings);
    this.#observers.notify(observation);
    // After the immediates that listeners started, which run once the sender has its answer.
    if (forget !== undefined) setImmediate(forget);
  }

  /**
   * Logs the outcome of a delivery, but no failure of the receiver itself, which is logged where it
   * occurs.
   */
  delivery(outcome: Outcome, start: number): void {
    if (outcome.type === "unauthorized" || outcome.type === "refused")
      this.#stranger(outcome, since(start));
    else if (outcome.type === "accepted" || outcome.type === "rejected") {
      const kept =
        outcome.type === "accepted" && outcome.reason === undefined
          ? "accepted"
          : BAD[outcome.type];
      const word = outcome.duplicate ? "duplicate" : kept;
      const { level, message } = KEPT[word];
      this.#line(level, message, () => keptFields(outcome, word, since(start)));
    }
  }

  /** An entry whose handlers ran, or that ended without. */
  run(entry: ClaimedEntry, settlement: Settlement): void {
    const { seq, kind, attempts: attempt, key } = entry;
    const { state: outcome, records } = settlement;
    const { level, message, more } = runLine(settlement, this.#settings.clock());
    if (entry.waits !== undefined || settlement.waits !== undefined)
      this.#targets(entry, settlement);
    this.#line(level, message, () => {
      const duration = Math.round((durationOf(records) ?? 0) * 100) / 100;
      const reason = settlement.reason ?? undefined;
      const fields = { outcome, seq, eventId: key.eventId, kind, reason, attempt, duration };
      // Not for nearly all of them: an object made by spreading another and adding to it gets a
      // hidden class of its own.
      return more === undefined ? fields : { ...fields, ...more };
    });
    if (!this.#observers.isEmpty) this.#observers.notify(attemptObservation(entry, settlement));
  }

  /** Says once that a target does not answer, rather than for each event that waits for it. */
  #targets(
    { waits: before = [] }: ClaimedEntry,
    { state, reason, waits = [], records }: Settlement,
  ): void {
    if (!hasEnded(state) && reason === TARGET_AWAY) {
      for (const { target } of waits) {
        if (this.#away.has(target) || records.length === 0) continue;
        this.#away.add(target);
        this.#line("warn", "a target does not answer: events wait for it", () => ({
          outcome: "target_away",
          target,
        }));
      }
    }
    if (state !== "handled") return;
    for (const { target } of before) {
      if (!this.#away.delete(target)) continue;
      this.#line("info", "a target answers again", () => ({ outcome: "target_back", target }));
    }
  }

  #stranger({ type, reason }: Unauthorized | Refused, duration: number): void {
    if (reason === "signature_mismatch") return; // `SenderWatch` logs it
    const leftOut = this.#strangers.leftOut(reason, performance.now());
    if (leftOut === undefined) return;
    this.#line("info", "a request was refused; others like it are not logged for a minute", () => {
      return { outcome: type, reason, duration, unlogged: leftOut || undefined };
    });
  }

  /**
   * Makes a line only if its level is logged, as pino and many others say: most log warnings and
   * errors only.
   */
  #line(level: keyof Logger, message: string, fields: () => object): void {
    const { isLevelEnabled } = this.#log as { isLevelEnabled?: unknown };
    try {
      const isEnabled: unknown =
        typeof isLevelEnabled === "function" ? isLevelEnabled.call(this.#log, level) : true;
      if (isEnabled === false) return;
      if (isEnabled !== true) detach(isEnabled);
    } catch {} // then its line fails too, and is reported
    this.#log[level](fields(), message);
  }
}

interface Line {
  readonly level: keyof Logger;
  readonly message: string;
  readonly more?: object;
}

/** What an authentic delivery became, and its line. */
const KEPT = {
  accepted: { level: "info", message: "an event was kept" },
  duplicate: { level: "debug", message: "a duplicate arrived" },
  rejected: {
    level: "error",
    message: "a signed delivery is not an event: it is kept as a dead letter",
  },
  dead: { level: "error", message: "an event is kept as a dead letter: no handler runs" },
} as const;

/** What it became if it is not to be handled. */
const BAD = { accepted: "dead", rejected: "rejected" } as const;

function keptFields(
  outcome: Accepted | Rejected,
  word: keyof typeof KEPT,
  duration: number,
): object {
  const { seq, eventId, kind } = outcome;
  const reason = outcome.type === "rejected" ? outcome.rejection.reason : outcome.reason;
  const problems = outcome.type === "rejected" ? undefined : outcome.problems?.map(problemLine);
  if (problems === undefined) return { outcome: word, seq, eventId, kind, reason, duration };
  return { outcome: word, seq, eventId, kind, reason, problems, duration };
}

function runLine(settlement: Settlement, now: number): Line {
  const { state, reason, problems = [], runAt } = settlement;
  if (state === "handled") return { level: "info", message: "an event was handled" };
  if (state === "received") return { level: "info", message: "an event has no handler" };
  const failed = failureOf(settlement);
  if (state === "dead") {
    const found = problems.length === 0 ? undefined : problems.map(problemLine);
    const message = "an event is now a dead letter: it does not run again by itself";
    return { level: "error", message, more: { ...failed, problems: found } };
  }
  const isQuiet = failed.handler === undefined || reason === TARGET_AWAY;
  const more = { ...failed, inMs: Math.max(0, runAt - now) };
  return { level: isQuiet ? "debug" : "warn", message: "an event runs again", more };
}

/**
 * The handler that failed last, and its error's name and place. The message may quote the event, so
 * it is left out.
 */
function failureOf({ records }: Settlement) {
  const failed = records.findLast(({ outcome }) => outcome !== "ok");
  if (failed === undefined) return {};
  const { handler, outcome, failure } = failed;
  return {
    handler,
    error: outcome === "timeout" ? "timeout" : failure?.name,
    at: failure?.at ?? undefined,
  };
}

function since(start: number): number {
  return Math.round((performance.now() - start) * 100) / 100;
}
