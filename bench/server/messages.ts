import type { ContestantName } from "../contestants/all.ts";
import type { StartOptions } from "../contestants/contestant.ts";

/** What a server process is told to run: its first argument, as JSON. */
export interface Order extends StartOptions {
  readonly name: ContestantName;
}

/** What a server process is asked. */
export type Question = "measure" | "counts" | "startProfile" | { readonly writeProfile: string } | "close";

/** What a server process used since it was asked before. */
export interface Used {
  /** Seconds of processor time, all threads. */
  readonly cpu: number;
  /** Milliseconds that the event loop was late, 99 of 100 times less than this. */
  readonly lagP99: number;
  /** Megabytes of memory now. */
  readonly rss: number;
}
