import { setTimeout as wait } from "node:timers/promises";
import { retryDelay } from "../dispatch/retry.ts";
import { describeError, HookporterError } from "../errors.ts";
import { StreamConnection } from "./stream-connection.ts";
import { STREAM_DEFAULTS, STREAM_RETRY, type StreamOptions } from "./stream-options.ts";

/** A stream that is reopened whenever it ends. */
export interface Stream {
  /** Settles after the first try, whether it succeeded or will be retried. Rejects if the stream ended for good at once. */
  readonly tried: Promise<void>;
  /** Settles when the stream ends for good: with the error that ended it, or with `undefined` after `close`. */
  readonly ended: Promise<HookporterError | undefined>;
  /** Finishes messages in progress, then closes. */
  close(): Promise<void>;
}

/**
 * Opens a stream, and reopens it whenever it ends, unless the server refuses it for good (`service_unauthorized`,
 * `stream_refused`) or `token` throws one of our errors. All of it is assumed, since the description shows nothing: see
 * `stream/protocol.ts`.
 */
export function openStream(options: StreamOptions): Stream {
  return new ReopenedStream(options);
}

class ReopenedStream implements Stream {
  readonly tried: Promise<void>;
  readonly ended: Promise<HookporterError | undefined>;
  readonly #options: StreamOptions;
  readonly #closing = new AbortController();
  #connection: StreamConnection | undefined;
  #onTried: () => void = () => {};

  constructor(options: StreamOptions) {
    this.#options = options;
    const tried = new Promise<void>((resolve) => {
      this.#onTried = resolve;
    });
    this.ended = this.#run();
    const ended = this.ended.then((error) => {
      if (error !== undefined) throw error;
    });
    ended.catch(() => {}); // also reported by `ended`
    this.tried = Promise.race([tried, ended]);
    this.tried.catch(() => {});
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#connection?.close();
    await this.ended;
  }

  async #run(): Promise<HookporterError | undefined> {
    const policy = { ...STREAM_RETRY, ...this.#options.retry };
    for (let attempt = 1; !this.#closing.signal.aborted; attempt++) {
      const { reason, useful } = await this.#connect();
      if (reason instanceof HookporterError) return reason;
      if (this.#closing.signal.aborted) return undefined;
      if (useful) attempt = 1; // the stream worked, so this is a new problem
      const delay = retryDelay(attempt, policy, Math.random());
      if (delay === undefined)
        return new HookporterError("stream_refused", `could not open the stream: ${reason}`);
      this.#options.onChange?.({ state: "waiting", reason, delay });
      this.#onTried();
      await wait(delay, undefined, { signal: this.#closing.signal }).catch(() => {}); // closing ends the wait early
    }
    return undefined;
  }

  async #connect(): Promise<{ readonly reason: string | HookporterError; readonly useful: boolean }> {
    const { url, take, onChange, token } = this.#options;
    const { maxMessage, pingEvery, handshakeTimeout } = { ...STREAM_DEFAULTS, ...this.#options };
    let found: string;
    try {
      found = await token();
    } catch (thrown) {
      return { reason: thrown instanceof HookporterError ? thrown : describeError(thrown), useful: false };
    }
    if (this.#closing.signal.aborted) return { reason: "closed by this side", useful: false };
    const connection = new StreamConnection({
      ...{ url, take, token: found, maxMessage, pingEvery, handshakeTimeout },
      onOpen: (acknowledges) => {
        onChange?.({ state: "open", acknowledges });
        this.#onTried();
      },
    });
    this.#connection = connection;
    return { reason: await connection.ended, useful: connection.useful };
  }
}
