import { tryOr } from "../../base/try-or.ts";
import type { Delivery, DeliveryHeaders } from "../../event/delivery.ts";
import { decodeUtf8 } from "../../event/utf8.ts";
import type { ShownBody, ShownHeaders } from "../api.ts";

/** The number of bytes of a body that are displayed; the rest can be downloaded. */
const MAX_SHOWN = 512 * 1024;
const MAX_DUMPED = 16 * 1024;

/** A body for display: its text, or a hex dump if it is not UTF-8. */
export function shownBody(body: Uint8Array): ShownBody {
  const bytes = body.byteLength;
  const text = textOf(body);
  if (text === undefined) {
    return {
      bytes,
      form: "binary",
      text: hexDump(body.subarray(0, MAX_DUMPED)),
      cut: bytes > MAX_DUMPED,
    };
  }
  const cut = text.length > MAX_SHOWN;
  return { bytes, form: "text", text: cut ? text.slice(0, MAX_SHOWN) : text, cut };
}

/** The text of a body without its byte order mark; `undefined` if it is not UTF-8. */
export function textOf(body: Uint8Array): string | undefined {
  return tryOr(() => decodeUtf8(body), undefined);
}

function hexDump(bytes: Uint8Array): string {
  const lines: string[] = [];
  for (let at = 0; at < bytes.byteLength; at += 16) {
    const row = Buffer.from(bytes.subarray(at, at + 16));
    const hex = row.toString("hex").replaceAll(/(..)(?=.)/g, "$1 ");
    const ascii = row.toString("latin1").replaceAll(/[^ -~]/g, ".");
    lines.push(`${at.toString(16).padStart(6, "0")}  ${hex.padEnd(47)}  ${ascii}`);
  }
  return lines.join("\n");
}

/**
 * Matches the names of headers with credentials. The signature is not one, since it is valid for
 * one body only.
 */
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
export function hiddenHeaders(
  headers: DeliveryHeaders,
  signatureHeader: string,
): readonly string[] {
  return Object.keys(headers).filter((name) => isCredential(name, signatureHeader));
}

/**
 * A delivery without the headers that {@link shownHeaders} hides: commands and files are passed on
 * to others.
 */
export function withoutCredentials(delivery: Delivery, signatureHeader: string): Delivery {
  const kept = Object.entries(delivery.headers).filter(
    ([name]) => !isCredential(name, signatureHeader),
  );
  return { ...delivery, headers: Object.fromEntries(kept) };
}

function isCredential(name: string, signatureHeader: string): boolean {
  return CREDENTIAL.test(name) && name.toLowerCase() !== signatureHeader.toLowerCase();
}

/**
 * A signature header's value for display, truncated to a length that still allows comparing two.
 */
export function shownDigest(value: string): string {
  return value.length > 200 ? `${value.slice(0, 200)}… (${value.length} characters)` : value;
}
