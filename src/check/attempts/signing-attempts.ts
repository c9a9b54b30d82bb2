import { createHmac } from "node:crypto";
import { mistakenKeyings } from "../../signature/diagnose/keyings.ts";
import { schemeVariants } from "../../signature/diagnose/scheme-variants.ts";
import type { Probe } from "../probe.ts";
import { type Attempt, attempt, inReceiver } from "./attempt.ts";

const WANTED = "The header's value is `sha256=` and 64 lowercase hex digits.";

/** What a receiver may expect in the header in place of `sha256=` and the hex digest. */
const VALUES: readonly (readonly [expects: string, value: (hex: string) => string])[] = [
  ["the digest alone, without `sha256=`", (hex) => hex],
  ["the digest in upper case", (hex) => `sha256=${hex.toUpperCase()}`],
  ["the digest alone in upper case", (hex) => hex.toUpperCase()],
  ["the digest in base64", (hex) => `sha256=${base64(hex)}`],
  ["the digest alone in base64", base64],
  ["the hex digits in base64 again", (hex) => `sha256=${Buffer.from(hex).toString("base64")}`],
  ["the hex digits in base64 again, alone", (hex) => Buffer.from(hex).toString("base64")],
  ["the prefix twice", (hex) => `sha256=sha256=${hex}`],
  [
    "bytes from 0x80 as negative numbers, as `Integer.toHexString(b)` prints them without `& 0xff`",
    (hex) => `sha256=${hex.replace(/../g, negative)}`,
  ],
];

/** Names of signature headers of other services. */
const NAMES = [
  "x-hub-signature-256",
  "x-signature-256",
  "x-webhook-signature-256",
  "x-signature",
  "x-webhook-signature",
  "webhook-signature",
  "signature",
  "x-hub-signature",
];

/** An event whose digest is right, but printed, computed or named otherwise. */
export function headerAttempts(probe: Probe): readonly Attempt[] {
  const own = probe.signatureHeader.toLowerCase();
  return [
    ...VALUES.map(([expects, value]) =>
      attempt(probe, `The receiver expects ${expects}. ${WANTED}`, {
        as: (digits) => ({ signature: value(digits) }),
      }),
    ),
    ...["sha1", "sha512"].map((algorithm) =>
      attempt(probe, `The receiver expects an HMAC with ${algorithm}. Use HMAC-SHA256.`, {
        digest: (body) => createHmac(algorithm, probe.secret).update(body).digest("hex"),
        as: (digits) => ({ signature: `${algorithm}=${digits}` }),
      }),
    ),
    ...NAMES.filter((name) => name !== own).map((name) => {
      const cause = `The receiver reads the signature from the header ${name}. Pass --signature-header ${name}, or read ${own} in the receiver.`;
      const signature = `sha256=${"0".repeat(64)}`;
      return attempt(probe, cause, {
        as: (digits) => ({ headers: { [name]: `sha256=${digits}` }, signature }),
      });
    }),
  ];
}

function base64(hex: string): string {
  return Buffer.from(hex, "hex").toString("base64");
}

function negative(byte: string): string {
  return Number.parseInt(byte, 16) < 0x80 ? byte : `ffffff${byte}`;
}

/**
 * An event that is signed with the secret as it would be after common mistakes, such as decoded
 * from base64.
 */
export function keyAttempts(probe: Probe): readonly Attempt[] {
  const body = probe.body();
  return mistakenKeyings([{ key: probe.secret }]).flatMap(({ causes: [cause], digest }) => {
    if (cause === undefined) return [];
    const why = `The receiver uses another key: ${inReceiver(cause)}`;
    return [attempt(probe, why, { body: () => body, digest: (sent) => digest("sha256", sent) })];
  });
}

const BODY_ALONE = "The service signs the raw body alone.";

/** An event that is signed as other services do: with its timestamp or the URL. */
export function schemeAttempts(probe: Probe): readonly Attempt[] {
  const body = probe.body();
  return schemeVariants(body, { host: probe.url.host }, probe.target).map(
    ({ causes: [cause], bytes }) => {
      const signed = cause?.detail?.replace(/^\S+$/, "`$&`");
      const why = `The receiver verifies ${signed}, as other services sign it. ${BODY_ALONE}`;
      return attempt(probe, why, { body: () => body, digest: () => probe.digest(bytes() ?? body) });
    },
  );
}
