import type { DeliveryHeaders } from "../event/delivery.ts";

/** Credentials of whoever relayed the delivery, what concerns one connection only, and what is no honest name. */
const DROPPED = new Set([
  "__proto__",
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
  const kept: Record<string, DeliveryHeaders[string]> = {};
  for (const name of Object.keys(headers)) {
    if (!DROPPED.has(name)) kept[name] = headers[name];
  }
  return kept;
}
