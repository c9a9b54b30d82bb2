/**
 * What can be paused: everything, the entries of a source or a kind, the runs of a handler or at a
 * target, or what is left of a {@link PacedRetry}.
 */
export const PAUSE_SCOPES = ["all", "source", "kind", "handler", "target", "retry"] as const;

export type PauseScope = (typeof PAUSE_SCOPES)[number];

export interface PauseOf {
  readonly scope: PauseScope;
  /**
   * A source, a kind or a family such as `payment.*`, a handler, a target, or a retry's number;
   * empty for `all`.
   */
  readonly name: string;
}

/** Something that does not run until it is resumed. What it is about is received all the same. */
export interface Pause extends PauseOf {
  /** Milliseconds since 1970. */
  readonly since: number;
  /** Who paused it; for a retry that stopped by itself, why. */
  readonly who: string;
}

/** A retry at a measured pace as it begins. */
export interface NewPacedRetry {
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly who: string;
  /** Milliseconds between two entries. */
  readonly interval: number;
  /** How many entries it has. */
  readonly entries: number;
}

/** A retry at a measured pace that is under way. */
export interface PacedRetry extends NewPacedRetry {
  readonly id: number;
  /** How many of its entries have not run yet. */
  readonly left: number;
  /** When the last of them is due. */
  readonly until: number;
}

/** What is paused, and the retries that are under way. */
export interface Pauses {
  readonly paused: readonly Pause[];
  readonly retries: readonly PacedRetry[];
}

/** Entries of a retry, in the order in which they become due, an interval apart. */
export interface PaceStep {
  readonly id: number;
  readonly interval: number;
  /** At most {@link PACE_STEP}. */
  readonly seqs: readonly number[];
  /** When the first is due. */
  readonly from: number;
}

/** How many entries one transaction of a retry changes. */
export const PACE_STEP = 1000;

/**
 * Milliseconds after which a paused entry is looked at again, if nothing resumes it before; less
 * than any horizon of a claim.
 */
export const SET_ASIDE = 600_000;

/** How {@link Pause.who} begins if a retry stopped by itself. */
export const STOPPED = "stopped";

export const PAUSED = "paused";

/**
 * The reason of an entry that is due at its time in a retry is this with the retry's number, as one
 * column holds both.
 */
export const PACED = "paced_";

const PACED_BY = /^paced_(\d+)$/;

/** The number of the retry in whose time an entry is due, by the entry's reason. */
export function retryOf(reason: string | null): string | undefined {
  return PACED_BY.exec(reason ?? "")?.[1];
}
