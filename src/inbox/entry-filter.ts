import type { EntryState } from "./entry-state.ts";

/**
 * What else matches a text that a user typed, such as a state's name. An entry matches if one of
 * the fields names it.
 */
export interface TextAlternatives {
  readonly states?: readonly EntryState[];
  /** Exact reasons. */
  readonly reasons?: readonly string[];
  /** Exact entry numbers. */
  readonly seqs?: readonly number[];
}

/**
 * The shortest text that is looked for in headers too: a signature has nearly every shorter one.
 */
export const MIN_HEADER_TEXT = 4;

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
  /** Only entries that a person has dropped (`true`), or none of those (`false`). Default: all. */
  readonly dropped?: boolean;
  /** Entries with a higher number. */
  readonly after?: number;
  /** Entries with a lower number. */
  readonly before?: number;
  /**
   * A text in the kind, event id, reason, problems, order key or body, in the error or note of an
   * attempt, or, from 4 characters on, in the headers; a to z in either case. Slow: limit it with
   * `after` and `before`.
   */
  readonly text?: string;
  /** With `text`: entries that match as well, whatever their texts. Default: none. */
  readonly alternatives?: TextAlternatives;
  /** The maximum number of entries, newest first. */
  readonly limit?: number;
}
