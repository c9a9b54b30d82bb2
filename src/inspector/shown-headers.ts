import type { DeliveryHeaders } from "../event/delivery.ts";
import type { ShownHeaders } from "./api.ts";

/** What names of headers with credentials in them look like. The signature is none: it signs one body only. */
const CREDENTIAL = /auth|cookie|token|secret|password|credential|session|api-?key|private/i;

/** Headers as they are shown: the value of one that looks like a credential is not. */
export function shownHeaders(headers: DeliveryHeaders, signatureHeader: string): ShownHeaders {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => {
      if (value === undefined) return [];
      const hidden = CREDENTIAL.test(name) && name.toLowerCase() !== signatureHeader.toLowerCase();
      return [[name, hidden ? "(not shown)" : value] as const];
    }),
  );
}
