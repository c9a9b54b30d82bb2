import type { DeliveryHeaders } from "../event/delivery.ts";
import type { ShownHeaders } from "./api.ts";

/** Matches the names of headers with credentials. The signature is not one, since it is valid for one body only. */
const CREDENTIAL = /auth|cookie|token|secret|password|credential|session|api-?key|private/i;

/** Headers for display: values that look like credentials are hidden. */
export function shownHeaders(headers: DeliveryHeaders, signatureHeader: string): ShownHeaders {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => {
      if (value === undefined) return [];
      const hidden = CREDENTIAL.test(name) && name.toLowerCase() !== signatureHeader.toLowerCase();
      return [[name, hidden ? "(not shown)" : value] as const];
    }),
  );
}
