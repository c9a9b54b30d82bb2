import { AsyncResource } from "node:async_hooks";

/**
 * The asynchronous context of no request: what this process has when it loads the package. Entries are claimed and run in
 * it, so that a handler never sees what a request stored in an `AsyncLocalStorage`, such as a logger or a transaction
 * that has ended: under load, most entries are run by another request's turn, or by none.
 */
const OUTSIDE = new AsyncResource("Hookporter");

/** Calls a function outside the asynchronous context of the caller. */
export function outsideRequests<Result>(call: () => Result): Result {
  return OUTSIDE.runInAsyncScope(call);
}
