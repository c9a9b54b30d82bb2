/** The proof of an erasure. */
export interface Erasure {
  /** When it ended: milliseconds since 1970. */
  readonly erasedAt: number;
  readonly entries: number;
  /** SHA-256, hex, of a line for each entry, in order of their numbers: `["source","event id",timestamp]`. */
  readonly keysHash: string;
}
