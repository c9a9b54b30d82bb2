import { type DeliveryHeaders, TRACE_HEADER } from "../event/delivery.ts";

/** Credentials of the relay that forwarded the delivery, hop-by-hop headers, and names that a sender never uses. */
export const NOT_KEPT: ReadonlySet<string> = new Set([
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
  TRACE_HEADER,
]);

export function keptHeaders(headers: DeliveryHeaders): DeliveryHeaders {
  const kept: Record<string, DeliveryHeaders[string]> = {};
  for (const name of Object.keys(headers)) {
    if (!NOT_KEPT.has(name)) kept[name] = headers[name];
  }
  return kept;
}
