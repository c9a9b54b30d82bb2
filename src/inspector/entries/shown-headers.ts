import type { Delivery, DeliveryHeaders } from "../../event/delivery.ts";
import type { ShownHeaders } from "../api.ts";

/** Matches the names of headers with credentials. The signature is not one, since it is valid for one body only. */
const CREDENTIAL = /auth|cookie|token|secret|password|credential|session|api-?key|private/i;

/** Headers for display: values that look like credentials are hidden. */
export function shownHeaders(headers: DeliveryHeaders, signatureHeader: string): ShownHeaders {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => {
      if (value === undefined) return [];
      return [[name, isCredential(name, signatureHeader) ? "(not shown)" : value] as const];
    }),
  );
}

/** The names of the headers that {@link shownHeaders} hides. */
export function hiddenHeaders(headers: DeliveryHeaders, signatureHeader: string): readonly string[] {
  return Object.keys(headers).filter((name) => isCredential(name, signatureHeader));
}

/** A delivery without the headers that {@link shownHeaders} hides: commands and files are passed on to others. */
export function withoutCredentials(delivery: Delivery, signatureHeader: string): Delivery {
  const kept = Object.entries(delivery.headers).filter(([name]) => !isCredential(name, signatureHeader));
  return { ...delivery, headers: Object.fromEntries(kept) };
}

function isCredential(name: string, signatureHeader: string): boolean {
  return CREDENTIAL.test(name) && name.toLowerCase() !== signatureHeader.toLowerCase();
}

/** A signature header's value for display, truncated to a length that still allows comparing two. */
export function shownDigest(value: string): string {
  return value.length > 200 ? `${value.slice(0, 200)}… (${value.length} characters)` : value;
}
