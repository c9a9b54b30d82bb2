import type { Requests } from "./request-file.ts";

/** A load: the requests of a file in order, over a number of connections, for some seconds. */
export interface Load {
  readonly port: number;
  readonly file: Requests;
  /** The number of the first request to send; after the last, the file starts over. */
  readonly first: number;
  readonly connections: number;
  /** May be fractional. */
  readonly seconds: number;
}

/** The result of a load. */
export interface LoadResult {
  /** Requests answered. */
  readonly answered: number;
  /** Requests started: those in progress at the end may have been accepted too. */
  readonly sent: number;
  /** Answers other than 2xx, and failed connections. */
  readonly failed: number;
  readonly seconds: number;
  /** Milliseconds from request to answer. */
  readonly latency: { readonly p50: number; readonly p99: number; readonly max: number };
}
