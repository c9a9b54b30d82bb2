import type { Answer, AnswerSet } from "./answer.ts";
import type { Probe } from "./probe.ts";

/** The groups of cases, by the first part of their ids. */
export const GROUPS = {
  KIND: "event kinds",
  SIG: "signatures",
  BODY: "bodies, byte for byte",
  HTTP: "requests",
  TIME: "timestamps",
  DUP: "duplicates",
} as const;

/** The first part of a case's id. */
export type Group = keyof typeof GROUPS;

/**
 * How much a failure weighs. `required`: the service's description says so, or a forged or lost event follows.
 * `recommended`: advice of the description, or ours. `informational`: worth knowing, never a fault by itself.
 */
export type Severity = "required" | "recommended" | "informational";

/** What a case saw. */
export interface Evidence {
  readonly answers: readonly Answer[];
  /** How often the event ran, where the case observes it. */
  readonly runs?: number;
}

/** One thing a right receiver does. */
export interface CheckCase {
  /** Stable: a number is never given to another case. */
  readonly id: `${Group}-${number}`;
  /** What is sent, in a few words. */
  readonly sent: string;
  /** What every answer must be in. */
  readonly right: AnswerSet;
  /** The better ones of them; missing these only is a recommendation. */
  readonly best?: AnswerSet;
  readonly severity: Severity;
  /** Why that is right: the service's description, or our reason. */
  readonly why: string;
  /** What is wrong with a receiver that answers otherwise, and how to mend it. */
  readonly fix: string;
  /** The same for an answer of 5xx or none, where more can be said than in general. */
  readonly crash?: string;
  /** How often the event must have run; such a case needs an observer. */
  readonly runs?: number;
  /** What a failure has in common with others; see `diagnosis.ts`. */
  readonly about?: "bytes" | "content-type" | "form";
  readonly run: (probe: Probe) => Promise<Answer | readonly Answer[] | Evidence>;
}

/** The group of a case. */
export function groupOf({ id }: Pick<CheckCase, "id">): Group {
  return id.split("-")[0] as Group;
}

/** The right answers in words, such as `4xx, best 401` or `200, runs once`. */
export function rightText({ right, best, runs }: Pick<CheckCase, "right" | "best" | "runs">): string {
  const parts = [anyOf(right)];
  if (best !== undefined) parts.push(`best ${anyOf(best)}`);
  if (runs !== undefined)
    parts.push(runs === 0 ? "never runs" : runs === 1 ? "runs once" : `runs ${runs} times`);
  return parts.join(", ");
}

/** Answers in words, such as `200, 400 or 422`. */
export function anyOf(set: AnswerSet): string {
  return set.join(", ").replace(/, ([^,]+)$/, " or $1");
}
