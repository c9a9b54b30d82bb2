import type { Operation } from "./operations.ts";
import type { FileIdentities } from "./presence.ts";

/** What a writing thread is started with. */
export interface WriterStart {
  /** The inbox file. */
  readonly path: string;
  /** The files that the inbox was opened with: the thread must not write to others. */
  readonly files: FileIdentities;
  /** Two numbers shared with the thread; see {@link FLAGS}. */
  readonly flags: SharedArrayBuffer;
}

/** What the shared numbers say: 1 while the thread is in SQLite; 1 once it must not begin anything more. */
export const FLAGS = { busy: 0, over: 1 } as const;

/** A batch to run in one transaction. All bodies stand in one piece of memory, which changes hands instead of being copied. */
export interface Batch {
  /** A settlement as JSON, a new entry as a list, anything else as it is. */
  readonly operations: readonly (Operation | PackedRows | string)[];
  readonly bodies: ArrayBuffer;
}

/** A new entry in a batch: `NewRows` as a list, with its body's length in place of the body. */
export type PackedRows = readonly [
  unlessPruned: boolean,
  method: string,
  target: string,
  headers: string,
  bodyLength: number,
  ...values: (string | number | null)[],
];

/** An error on its way between threads, which would lose its class and its codes. */
export interface ToldError {
  readonly message: string;
  /** The code of one of ours. */
  readonly code?: string;
  /** SQLite's own number. */
  readonly errcode?: number;
}

/** Claimed entries, as JSON with the length of each body in place of the body. */
export interface PackedClaim {
  readonly claimed: string;
  readonly bodies: ArrayBuffer;
}

/** What comes back for each operation; for an entry that was kept, or known, a list. */
export type ToldResult =
  | { readonly value: unknown }
  | { readonly error: ToldError }
  | PackedClaim
  | readonly [seq: number, duplicate: boolean, state: string];

/** What a thread says: ready, or the results of the batch it was sent and the milliseconds it took. */
export type WriterAnswer =
  | { readonly ready: true }
  | { readonly results: readonly ToldResult[]; readonly ms: number };
