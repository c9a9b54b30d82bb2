/**
 * The messages of a WebSocket come in. The bodies of deliveries go out, one after another. A
 * message is acknowledged only once its event is committed.
 */

import { setTimeout as wait } from "node:timers/promises";
import { describeError, HookporterError } from "../../base/errors.ts";
import { retryDelay } from "../../base/options/retry.ts";
import { StreamConnection } from "./stream-connection.ts";
import { STREAM_RETRY, type StreamOptions } from "./stream-options.ts";

/** A stream that is reopened whenever it ends. */
export interface Stream {
  /**
   * Settles after the first try, whether it succeeded or will be retried. Rejects if the stream
   * ended for good at once.
   */
  readonly tried: Promise<void>;
  /**
   * Settles when the stream ends for good: with the error that ended it, or with `undefined` after
   * `close`.
   */
  readonly ended: Promise<HookporterError | undefined>;
  /** Finishes messages in progress, then closes. */
  close(): Promise<void>;
}

/**
 * Opens a stream, and reopens it whenever it ends, unless the server refuses it for good
 * (`service_unauthorized`, `stream_refused`) or `token` throws one of our errors. All of it is
 * assumed, since the description shows nothing: see `stream/protocol.ts`.
 */
export function openStream(options: StreamOptions): Stream {
  const closing = new AbortController();
  const { signal } = closing;
  const policy = { ...STREAM_RETRY, ...options.retry };
  let connection: StreamConnection | undefined;
  let onTried: () => void = () => {};
  const firstTry = new Promise<void>((resolve) => {
    onTried = resolve;
  });
  const connect = async () => {
    let token: string;
    try {
      token = await options.token();
    } catch (thrown) {
      return {
        reason: thrown instanceof HookporterError ? thrown : describeError(thrown),
        useful: false,
      };
    }
    if (signal.aborted) return { reason: "closed by this side", useful: false };
    connection = new StreamConnection(options, token, (acknowledges) => {
      options.onChange?.({ state: "open", acknowledges });
      onTried();
    });
    return { reason: await connection.ended, useful: connection.useful };
  };
  const run = async (): Promise<HookporterError | undefined> => {
    for (let attempt = 1; !signal.aborted; attempt++) {
      const { reason, useful } = await connect();
      if (reason instanceof HookporterError) return reason;
      if (signal.aborted) return undefined;
      if (useful) attempt = 1; // the stream worked, so this is a new problem
      const delay = retryDelay(attempt, policy, Math.random());
      if (delay === undefined)
        return new HookporterError("stream_refused", `could not open the stream: ${reason}`);
      options.onChange?.({ state: "waiting", reason, delay });
      onTried();
      await wait(delay, undefined, { signal }).catch(() => {}); // closing ends the wait early
    }
    return undefined;
  };
  const ended = run();
  const failed = ended.then((error) => {
    if (error !== undefined) throw error;
  });
  failed.catch(() => {}); // also reported by `ended`
  const tried = Promise.race([firstTry, failed]);
  tried.catch(() => {});
  const close = async () => {
    closing.abort();
    await connection?.close();
    await ended;
  };
  return { tried, ended, close };
}
