import type { RetryPolicy } from "../dispatch/retry.ts";
import type { Acknowledgement } from "./protocol.ts";

/** How a stream is read. All times are milliseconds. */
export interface StreamOptions {
  /** `wss:`, or `ws:` to this machine. */
  readonly url: URL;
  /** Asked once for each handshake; goes to `url` alone. */
  readonly token: () => string | Promise<string>;
  /** Takes one body; the next one waits. What it gives is acknowledged, where the server wants that. */
  readonly take: (body: Uint8Array) => Promise<Acknowledgement>;
  /** Largest message in bytes; a larger one ends the connection. Default 1 MiB. */
  readonly maxMessage?: number;
  /** Told of every change. */
  readonly onChange?: (change: StreamChange) => void;
  /** When it is opened again. Default: for ever, from 0.5 to 30 seconds apart, up to half of it random. */
  readonly retry?: Partial<RetryPolicy>;
  /** How often the server is asked for a sign of life; without one until the next time, it is given up. Default 20 000. */
  readonly pingEvery?: number;
  /** How long a handshake may take. Default 10 000. */
  readonly handshakeTimeout?: number;
}

/** What became of a stream. */
export type StreamChange =
  | { readonly state: "open"; readonly acknowledges: boolean }
  /** It is opened again after so many milliseconds. */
  | { readonly state: "waiting"; readonly reason: string; readonly delay: number };

/** Opened again for ever: a stream may be away for as long as it likes. */
export const STREAM_RETRY: RetryPolicy = {
  ...{ attempts: Number.POSITIVE_INFINITY, delay: 500, factor: 2, maxDelay: 30_000, jitter: 0.5 },
};

/** What the other options are where nothing is said. */
export const STREAM_DEFAULTS = { maxMessage: 1024 * 1024, pingEvery: 20_000, handshakeTimeout: 10_000 };
