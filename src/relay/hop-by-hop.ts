import { type DeliveryHeaders, TRACE_HEADER } from "../event/delivery.ts";

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

/**
 * Headers by which frameworks take another address, method, sender or user for that of the request;
 * no signature covers them, so anyone on the way may have added them. `*` is the rest of a name.
 */
export const MISLEADING: readonly string[] = [
  "cf-connecting-ip",
  "forwarded",
  "remote-user",
  "true-client-ip",
  "x-client-ip",
  "x-forwarded*",
  "x-http-method*",
  "x-method-override",
  "x-original-*",
  "x-real-ip",
  "x-remote-*",
  "x-rewrite-*",
];

/**
 * The headers of a delivery that are passed on, with the signature that does not cover them:
 * without those that its connection names (RFC 9110, 7.6.1), and those that mislead.
 *
 * @param kept - names of headers that are passed on all the same, in lower case
 */
export function passedOn(headers: DeliveryHeaders, kept: readonly string[] = []): DeliveryHeaders {
  const connection = Object.entries(headers).find(([name]) => name.toLowerCase() === "connection");
  const named = namedBy(connection?.[1]);
  const isPassedOn = (name: string) =>
    kept.includes(name) || (!named.includes(name) && !misleads(name));
  const entries = Object.entries(headers).filter(([name]) => isPassedOn(name.toLowerCase()));
  return Object.fromEntries(entries);
}

/** The headers that the value of `Connection` names, in lower case. */
export function namedBy(connection: DeliveryHeaders[string]): readonly string[] {
  return String(connection ?? "")
    .toLowerCase()
    .split(/[\s,]+/);
}

function misleads(name: string): boolean {
  return MISLEADING.some((pattern) =>
    pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern,
  );
}
