import type { Requests } from "./request-file.ts";

/** A load: requests of a file, one after another, over so many connections, for so long. */
export interface Load {
  readonly port: number;
  readonly file: Requests;
  /** The number of the first request to send; the file begins anew at its end. */
  readonly first: number;
  readonly connections: number;
  /** Parts of a second count. */
  readonly seconds: number;
}

/** What a load came to. */
export interface LoadResult {
  /** Requests answered. */
  readonly answered: number;
  /** Requests begun: those under way at the end may have been taken too. */
  readonly sent: number;
  /** Answers that were not 2xx, and connections that failed. */
  readonly failed: number;
  readonly seconds: number;
  /** Milliseconds from request to answer. */
  readonly latency: { readonly p50: number; readonly p99: number; readonly max: number };
}
