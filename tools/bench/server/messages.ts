import type { ContestantName } from "../contestants/all.ts";
import type { StartOptions } from "../contestants/contestant.ts";
import type { ThreadUse } from "./threads.ts";

/** What a server process runs: its first argument, as JSON. */
export interface Order extends Omit<StartOptions, "ran"> {
  /** A file that gets a line with the number of each body whose handler runs. */
  readonly ranFile?: string | undefined;
  readonly name: ContestantName;
  /** Whether profiles show SQLite's time by statement. */
  readonly namesStatements: boolean;
}

/** A request to a server process. */
export type Question =
  | "measure"
  | "counts"
  | "startProfile"
  | { readonly writeProfiles: string }
  | "close";

/** A server process's resource use since the previous request. */
export interface Used {
  /** Seconds of processor time of all threads. */
  readonly cpu: number;
  /** Of these, seconds in the system's kernel. */
  readonly system: number;
  readonly threads: readonly ThreadUse[];
  /** Bytes written to files and sockets, if the system counts them. */
  readonly written: number | undefined;
  /** The event loop's delay in milliseconds, 99th percentile. */
  readonly lagP99: number;
  /** Megabytes of memory now. */
  readonly rss: number;
}
