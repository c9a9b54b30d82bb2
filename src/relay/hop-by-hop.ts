import { TRACE_HEADER } from "../event/delivery.ts";

/**
 * Headers of a single connection, which are not forwarded in either direction (RFC 9110, 7.6.1).
 */
export const HOP_BY_HOP: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/**
 * Headers that belong to one connection, are set again for each, or were added when the delivery
 * was stored.
 */
export const NOT_PASSED_ON: ReadonlySet<string> = new Set([
  ...HOP_BY_HOP,
  "accept-encoding",
  "content-length",
  "expect",
  "host",
  TRACE_HEADER,
]);
