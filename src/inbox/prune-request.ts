import type { EndedState } from "./entry-state.ts";

/** Which entries to delete for good: those that match every field. */
export interface PruneRequest {
  readonly states: readonly EndedState[];
  /** Received at or before. */
  readonly receivedUntil: number;
  /**
   * Dated at or before. For an entry without a timestamp, and for a rejected delivery, its arrival
   * counts.
   */
  readonly datedUntil: number;
  /** Only entries of these sources. Default all. */
  readonly sources?: readonly string[];
}

/**
 * Which entries to slim: their delivery is deleted, the entry with its key and its body's hash
 * stays.
 */
export interface SlimRequest {
  /** Handled at or before. */
  readonly settledUntil: number;
  /** Only entries of these sources. Default all. */
  readonly sources?: readonly string[];
}

/**
 * One of the small steps in which an inbox is pruned or slimmed, so that deliveries need not wait
 * long.
 */
export interface PruneStep {
  /** The last step's `next`, which only the inbox understands; leave it out to begin. */
  readonly cursor?: string | undefined;
  /** The maximum number of entries to look at. */
  readonly limit: number;
}

/** The result of a step. */
export interface StepResult {
  /** The number of entries deleted or slimmed. */
  readonly changed: number;
  /** Where the next step continues; `undefined` if this was the last. */
  readonly next: string | undefined;
}
