/** The states in which an entry has ended. */
export type EndedState = "done" | "dead" | "unhandled";

/** Which entries to drop for good. All of it must hold. */
export interface PruneRequest {
  readonly states: readonly EndedState[];
  /** Received at or before. */
  readonly receivedUntil: number;
  /** Dated at or before; its arrival counts for an entry without a timestamp, and for a rejected delivery. */
  readonly datedUntil: number;
  /** Only entries of these sources. Default all. */
  readonly sources?: readonly string[];
}

/** Whose delivery to drop, while the entry with its key and its body's hash stays. */
export interface SlimRequest {
  /** Entries that are `done` since then or before. */
  readonly settledUntil: number;
  /** Only entries of these sources. Default all. */
  readonly sources?: readonly string[];
}

/** A small piece of pruning, so that deliveries are not kept waiting. */
export interface Step {
  /** The entry number the step before ended at; 0 to begin. */
  readonly after: number;
  /** Entries to look at. */
  readonly limit: number;
}

/** What a step did. */
export interface StepResult {
  /** Entries changed. */
  readonly changed: number;
  /** Where the next step goes on; `undefined` when there is nothing more to do. */
  readonly next: number | undefined;
}
