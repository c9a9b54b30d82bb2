import type { AnswerSet, ProbeAnswer } from "./answer.ts";
import type { CauseCode, ReasonCode, StopCode } from "./codes.ts";
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

/** What a common cause of several failures is recognised by; one case shows each. */
export type Sign =
  | "unsigned"
  | "unsigned_kinds"
  | "no_digest"
  | "zeros"
  | "other_secret"
  | "wrong_kinds"
  | "not_ascii"
  | "wrong_lengths"
  | "half_digest"
  | "all_digits_but_one"
  | "one_event"
  | "forged_event"
  | "text_beyond_ascii";

/** What several cases show of the same: each alone is enough. */
export type SharedSign = "part_of_digest" | "spelling_in_ascii";

/** A forged delivery of a case that sends several. */
export interface Forgery {
  readonly name: string;
  /** Whether it has no signature, as opposed to a wrong one. */
  readonly isUnsigned?: boolean;
}

export interface Evidence {
  readonly answers: readonly ProbeAnswer[];
  /** How often the event ran, if the case observes it. */
  readonly runs?: number;
  /** Whether its confirmed events ran, if the case is about something else. */
  readonly ran?: boolean;
  /**
   * A valid delivery that was answered 5xx, sent once more: its answer, and how often the event
   * ran, if observed.
   */
  readonly resent?: { readonly answer: ProbeAnswer; readonly runs?: number };
  /** The forgeries that were confirmed, if there were several. */
  readonly confirmed?: readonly Forgery[];
}

/** What a correct receiver does. */
export interface Expectation {
  /** The correct answers; every answer must be one of them. */
  readonly answers: AnswerSet;
  /** The preferred ones among them; missing only these is a recommendation. */
  readonly best?: AnswerSet;
  /** How often the event must have run, if that is observed. */
  readonly runs?: number;
}

/** One thing that a correct receiver does, apart from its id. Its sentences are in `words/`. */
export interface CaseDefinition {
  readonly expects: Expectation;
  readonly severity: Severity;
  /** Why the expected answers are correct: the service's description, or our reason. */
  readonly why: ReasonCode;
  /** What is wrong with a receiver that answers otherwise. */
  readonly cause: CauseCode;
  /** The same for a 5xx answer or none, if more can be said than in general. */
  readonly crash?: CauseCode;
  /** What no answer at all means, if the case provokes it. */
  readonly silence?: CauseCode;
  /**
   * What it means if the receiver answers nobody afterwards, if more can be said than in general.
   */
  readonly stops?: StopCode;
  /**
   * Whether anyone can send it: neither the secret nor a delivery of the sender's makes it, so
   * that a receiver that accepts it lets forged events in.
   */
  readonly isForgery?: boolean;
  /** Whether its body is so large that it is run alone, after all others. */
  readonly isLarge?: boolean;
  /** Whether a receiver may let it wait until the time-out. */
  readonly isEndless?: boolean;
  /** Without an observer, its answers show nothing. */
  readonly needsObserver?: boolean;
  /** What related failures have in common; see `diagnosis.ts`. */
  readonly about?: Subject;
  /** What it shows of a common cause; see `diagnosis.ts`. */
  readonly shows?: Sign | SharedSign;
  readonly send: (probe: Probe) => Promise<ProbeAnswer | readonly ProbeAnswer[] | Evidence>;
}

/** The cases of a table, by what distinguishes each, with what they have in common. */
export function casesOf<Id extends string, How>(
  common: Omit<CaseDefinition, "send">,
  send: (probe: Probe, how: How) => ReturnType<CaseDefinition["send"]>,
  rows: Readonly<Record<Id, How>>,
): Readonly<Record<Id, CaseDefinition>> {
  const cases = Object.entries<How>(rows).map(([id, how]) => {
    return [id, { ...common, send: (probe: Probe) => send(probe, how) }];
  });
  return Object.fromEntries(cases);
}

export function groupOf({ id }: { readonly id: string }): Group {
  return id.split("-")[0] as Group;
}

/** Whether a case sends a valid delivery, which must be confirmed. */
export function expectsConfirmation({ expects }: Pick<CaseDefinition, "expects">): boolean {
  return expects.answers.includes("200");
}
