import { createHash, createHmac } from "node:crypto";
import fc from "fast-check";
import type { Diagnosis } from "../../../src/entries/testing.ts";
import type { DiagnoseOptions } from "../../../src/signature/diagnose/diagnose.ts";
import { diagnoseSignature } from "../../../src/signature/diagnose/diagnose.ts";
import { readSecrets } from "../../../src/signature/secrets.ts";

/** One of our signatures, computed without the code under test. */
export function signed(
  body: Uint8Array | string,
  secret: string | Uint8Array,
  algorithm = "sha256",
): string {
  return `${algorithm}=${createHmac(algorithm, secret).update(body).digest("hex")}`;
}

/** Only the digest, in any encoding. */
export function digested(
  body: Uint8Array,
  secret: string,
  encoding: "hex" | "base64" | "base64url",
): string {
  return createHmac("sha256", secret).update(body).digest(encoding);
}

/** A hash without a key. */
export function hashed(...parts: readonly (Uint8Array | string)[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return `sha256=${hash.digest("hex")}`;
}

/** Long enough not to be one of the texts that a program without a secret signs with. */
export const anySecret = fc.stringMatching(/^[A-Za-z0-9]{16,40}$/);

/**
 * Envelopes that cover every cause: unsorted keys, several members, characters beyond ASCII, only
 * in Latin-1 or only in Windows-1252, slashes, and a number that is not printed as it is written.
 */
export const anyJson = fc
  .record({
    text: fc.string({ maxLength: 20 }),
    list: fc.array(fc.jsonValue({ maxDepth: 2 }), { maxLength: 3 }),
  })
  .map(({ text, list }) => {
    const data = JSON.stringify({ zone: "é/€", amount: 0, text, list }).replace(
      '"amount":0',
      '"amount":1450.50',
    );
    return `{"event":"payment.received","data":${data},"webhook":{"id":"wh_1"}}`;
  });

/** The secret of bodies that are diagnosed. */
export const KNOWN = "a-secret-0123456789";

/** The diagnosis of a body that is not what was signed. */
export function diagnosed(
  here: string | Uint8Array,
  there: string | Uint8Array,
  more: DiagnoseOptions = {},
): Diagnosis {
  const header = signed(there, KNOWN);
  return diagnoseSignature(Buffer.from(here as string), header, readSecrets(KNOWN), more);
}

/** The codes of each explanation. */
export function codesOf({ explanations }: Pick<Diagnosis, "explanations">): readonly string[][] {
  return explanations.map((causes) => causes.map(({ code }) => code));
}
