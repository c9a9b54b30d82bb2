import { AsyncResource } from "node:async_hooks";

/**
 * The asynchronous context of no request: that in which this process loaded the package. Entries
 * are claimed and run in it, so that a handler never sees what a request stored in an
 * `AsyncLocalStorage`, such as a logger or a transaction that has ended: under load, most entries
 * are run by another request's turn, or by none.
 */
export const outsideRequests = new AsyncResource("Hookporter");
