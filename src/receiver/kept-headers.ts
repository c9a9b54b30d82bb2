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
  const kept: Record<string, DeliveryHeaders[string]> = {};
  for (const name of Object.keys(headers)) {
    // Defined rather than set: a header named `__proto__` is a header.
    if (name === "__proto__") Object.defineProperty(kept, name, { value: headers[name], enumerable: true });
    else if (!DROPPED.has(name)) kept[name] = headers[name];
  }
  return kept;
}
