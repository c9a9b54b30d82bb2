import { createHash } from "node:crypto";
import { eventKinds, isEventKind } from "../../event/kinds.ts";

/** A kind that can be named in source code and in its comments. */
const KIND = /^[\p{ID_Start}\d_][\p{ID_Continue}.:-]{0,99}$/u;

export function canBeNamed(kind: string): boolean {
  return KIND.test(kind);
}

/** Kinds whose words and their order make up the name, so that no two have the same. */
const PLAIN = /^[a-z][a-z\d]*(?:\.[a-z][a-z\d]*)+$/;

/**
 * Returns a kind's name in TypeScript: `payment.received` is `PaymentReceived`. A kind of another
 * form, which could have the name of another kind, such as `payment_received`, has a hash at its
 * end.
 */
export function typeName(kind: string): string {
  const name = wordsOf(kind);
  const isPlain =
    PLAIN.test(kind) && !eventKinds.some((known) => known !== kind && wordsOf(known) === name);
  const hash =
    isPlain || isEventKind(kind) ? "" : createHash("sha256").update(kind).digest("hex").slice(0, 6);
  return `${/^\p{ID_Start}/u.test(name) ? "" : "Event"}${name}${hash}`;
}

function wordsOf(kind: string): string {
  const words = kind.split(/[^\p{ID_Continue}]+|_+/u).filter((word) => word !== "");
  return words.map((word) => word[0]?.toUpperCase() + word.slice(1)).join("");
}

/** Returns the name of a kind's schema: `payment.received` has `paymentReceivedSchema`. */
export function schemaName(kind: string): string {
  const name = typeName(kind);
  return `${name[0]?.toLowerCase()}${name.slice(1)}Schema`;
}

/** Returns a key as it stands in an object literal or an interface. */
export function memberKey(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}
