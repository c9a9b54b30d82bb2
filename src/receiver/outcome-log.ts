import { detach } from "../base/detach.ts";
import type { Logger } from "../base/logger.ts";
import { OnceAMinute } from "../base/once-a-minute.ts";
import { problemLine } from "../event/data-problems.ts";
import type { ClaimedEntry } from "../inbox/claim.ts";
import { hasEnded } from "../inbox/entry-state.ts";
import { durationOf } from "../inbox/outline.ts";
import type { Settlement } from "../inbox/settlement.ts";
import { TARGET_AWAY } from "../inbox/target-wait.ts";
import type { Accepted, Outcome, Refused, Rejected, Unauthorized } from "./outcome.ts";

/**
 * Logs one line for what became of each delivery and of each run, with no value of a body, header
 * or error's message. Something to act on is an error; what the receiver tries again itself is a
 * warning; the rest is information.
 */
export class OutcomeLog {
  readonly #log: Logger;
  readonly #strangers = new OnceAMinute<string>();
  readonly #away = new Set<string>();

  constructor(log: Logger) {
    this.#log = log;
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

  run(entry: ClaimedEntry, settlement: Settlement, now: number): void {
    const { seq, kind, attempts: attempt, key } = entry;
    const { state: outcome, records } = settlement;
    const { level, message, more } = runLine(settlement, now);
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
  dead: { level: "error", message: "an event is kept as a dead letter: its data cannot be used" },
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
