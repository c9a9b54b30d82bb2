import type { RetryPolicy } from "../../base/options/retry.ts";
import type { Acknowledgement } from "./protocol.ts";

/** The options of a stream. All times are in milliseconds. */
export interface StreamOptions {
  /** `wss:`, or `ws:` to this machine. */
  readonly url: URL;
  /** Called once for each handshake; the token is sent only to `url`. */
  readonly token: () => string | Promise<string>;
  /** Takes one body at a time. Its result is sent as acknowledgement if the server wants that. */
  readonly take: (body: Uint8Array) => Promise<Acknowledgement>;
  /**
   * Largest message in bytes that is read at all: a larger one ends the connection. What is too
   * large for a delivery is up to `take`, which can refuse it alone. Default 64 MiB.
   */
  readonly maxMessage?: number;
  /** Called for every change. */
  readonly onChange?: (change: StreamChange) => void;
  /** When to reopen it. Default: for ever, 0.5 to 30 seconds apart, up to half of it random. */
  readonly retry?: Partial<RetryPolicy>;
  /**
   * How often to ping the server; without a reply until the next ping, the connection is given up.
   * Default 20 000.
   */
  readonly pingEvery?: number;
  /** How long a handshake may take. Default 10 000. */
  readonly handshakeTimeout?: number;
}

export type StreamChange =
  | { readonly state: "open"; readonly acknowledges: boolean }
  /** It is reopened after this many milliseconds. */
  | { readonly state: "waiting"; readonly reason: string; readonly delay: number };

/** Retries for ever, since a stream may be away for any time. */
export const STREAM_RETRY: RetryPolicy = {
  attempts: Number.POSITIVE_INFINITY,
  delay: 500,
  factor: 2,
  maxDelay: 30_000,
  jitter: 0.5,
};

/** The defaults of the other options. */
export const STREAM_DEFAULTS = {
  maxMessage: 64 * 1024 * 1024,
  pingEvery: 20_000,
  handshakeTimeout: 10_000,
};
