import type { EntryState } from "./entry.ts";

/** Which entries to list or change: those that match every field. */
export interface EntryFilter {
  readonly states?: readonly EntryState[];
  /** Exact kinds, or patterns such as `payment.*`. */
  readonly kinds?: readonly string[];
  /** Received at or after. */
  readonly since?: number;
  /** Received before. */
  readonly until?: number;
  /** Exact sources. */
  readonly sources?: readonly string[];
  /** An exact entry number. */
  readonly seq?: number;
  /** An event id, or the beginning of one. */
  readonly eventId?: string;
  /** Exact entry numbers. */
  readonly seqs?: readonly number[];
  /** Entries that wait for one of these targets, or were given up on for one. */
  readonly targets?: readonly string[];
  /** Entries with a higher number. */
  readonly after?: number;
  /** Entries with a lower number. */
  readonly before?: number;
  /** A text in the event id or the body's bytes; a to z in either case. Slow: limit it with `after` and `before`. */
  readonly text?: string;
  /** The maximum number of entries, newest first. */
  readonly limit?: number;
}
