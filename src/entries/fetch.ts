/** `hookporter/fetch`: a receiver for runtimes that hand over a `Request`. Re-exports only. */
export {
  type FetchContext,
  type FetchHandler,
  type FetchReceiverOptions,
  fetchReceiver,
  readBody,
} from "../adapters/fetch.ts";
