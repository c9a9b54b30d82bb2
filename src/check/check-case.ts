import type { AnswerSet, ProbeAnswer } from "./answer.ts";
import type { Probe } from "./probe.ts";

/** The groups of cases, by the first part of their ids. */
export const GROUPS = {
  KIND: "event kinds",
  SIG: "signatures",
  GATE: "ways around the signature",
  BODY: "bodies, byte for byte",
  HTTP: "requests",
  TIME: "timestamps",
  DUP: "duplicates",
} as const;

/** The first part of a case's id. */
export type Group = keyof typeof GROUPS;

/**
 * The weight of a failure. `required`: it violates the service's description, or lets a forged
 * event in or loses a real one. `recommended`: it violates advice of the description, or ours.
 * `informational`: worth knowing, but not a fault.
 */
export type Severity = "required" | "recommended" | "informational";

/** What related failures have in common. */
export type Subject = "bytes" | "content-type" | "digest" | "form" | "header" | "transfer";

export interface Evidence {
  readonly answers: readonly ProbeAnswer[];
  /** How often the event ran, if the case observes it. */
  readonly runs?: number;
  /**
   * A valid delivery that was answered 5xx, sent once more: its answer, and how often the event
   * ran, if observed.
   */
  readonly resent?: { readonly answer: ProbeAnswer; readonly runs?: number };
  /** The names of the forgeries that were confirmed, if there were several. */
  readonly confirmed?: readonly string[];
}

/** One thing that a correct receiver does. */
export interface CheckCase {
  /** Stable: a number is never reused for another case. */
  readonly id: `${Group}-${number}`;
  /** What is sent, in a few words. */
  readonly sent: string;
  /** The correct answers; every answer must be one of them. */
  readonly right: AnswerSet;
  /** The preferred ones among them; missing only these is a recommendation. */
  readonly best?: AnswerSet;
  readonly severity: Severity;
  /** Why these answers are correct: the service's description, or our reason. */
  readonly why: string;
  /** What is wrong with a receiver that answers otherwise, and how to fix it. */
  readonly fix: string;
  /** The same for a 5xx answer or none, if more can be said than in general. */
  readonly crash?: string;
  /** What no answer at all means, if the case provokes it. */
  readonly silence?: string;
  /**
   * What it means if the receiver answers nobody afterwards, if more can be said than in general.
   */
  readonly stops?: string;
  /** How often the event must have run, if that is observed. */
  readonly runs?: number;
  /** Whether its body is so large that it is run alone, after all others. */
  readonly isLarge?: boolean;
  /** Without an observer, its answers show nothing. */
  readonly needsObserver?: boolean;
  /** What related failures have in common; see `diagnosis.ts`. */
  readonly about?: Subject;
  readonly run: (probe: Probe) => Promise<ProbeAnswer | readonly ProbeAnswer[] | Evidence>;
}

/** A case in a table: its id, what is sent and how, and what only it has: its `fix`, or more. */
type CaseRow<How> = readonly [
  id: CheckCase["id"],
  sent: string,
  how: How,
  own?: string | Partial<CheckCase>,
];

/** The cases of a table, with what they have in common. */
export function casesOf<How>(
  common: Omit<CheckCase, "id" | "sent" | "run">,
  run: (probe: Probe, how: How) => ReturnType<CheckCase["run"]>,
  rows: readonly CaseRow<How>[],
): readonly CheckCase[] {
  return rows.map(([id, sent, how, own = {}]) => ({
    ...common,
    id,
    sent,
    run: (probe: Probe) => run(probe, how),
    ...(typeof own === "string" ? { fix: own } : own),
  }));
}

export function groupOf({ id }: Pick<CheckCase, "id">): Group {
  return id.split("-")[0] as Group;
}

/** The correct answers in words, such as `4xx, best 401` or `200, runs once`. */
export function rightText({
  right,
  best,
  runs,
}: Pick<CheckCase, "right" | "best" | "runs">): string {
  const parts = [anyOf(right)];
  // That 4xx is better than other refusals goes without saying.
  if (best !== undefined && best.join() !== "4xx" && best !== right)
    parts.push(`best ${anyOf(best)}`);
  if (runs !== undefined)
    parts.push(runs === 0 ? "never runs" : runs === 1 ? "runs once" : `runs ${runs} times`);
  return parts.join(", ");
}

/** Answers in words, such as `200, 400 or 422`, or `refused` for all but 2xx. */
export function anyOf(set: AnswerSet): string {
  const listed = set.join(", ").replace(/, ([^,]+)$/, " or $1");
  return listed.replace(/^2xx, 3xx.*/, "any answer").replace("3xx, 4xx, 5xx or closed", "refused");
}
