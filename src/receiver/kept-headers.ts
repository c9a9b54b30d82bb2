import type { DeliveryHeaders } from "../event/delivery.ts";

/** Credentials of whoever relayed the delivery, and what concerns one connection only. */
const DROPPED = new Set([
  "authorization",
  "connection",
  "cookie",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** The headers of a delivery that are kept and passed on. */
export function keptHeaders(headers: DeliveryHeaders): DeliveryHeaders {
  const names = Object.keys(headers);
  if (!names.some((name) => DROPPED.has(name))) return { ...headers };
  return Object.fromEntries(names.filter((name) => !DROPPED.has(name)).map((name) => [name, headers[name]]));
}
