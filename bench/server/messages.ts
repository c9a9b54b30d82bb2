import type { ContestantName } from "../contestants/all.ts";
import type { StartOptions } from "../contestants/contestant.ts";

/** What a server process runs: its first argument, as JSON. */
export interface Order extends StartOptions {
  readonly name: ContestantName;
}

/** A request to a server process. */
export type Question = "measure" | "counts" | "startProfile" | { readonly writeProfile: string } | "close";

/** A server process's resource use since the previous request. */
export interface Used {
  /** Seconds of processor time of all threads. */
  readonly cpu: number;
  /** The event loop's delay in milliseconds, 99th percentile. */
  readonly lagP99: number;
  /** Megabytes of memory now. */
  readonly rss: number;
}
