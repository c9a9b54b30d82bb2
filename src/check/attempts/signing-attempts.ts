import { createHmac } from "node:crypto";
import { mistakenKeyings } from "../../signature/diagnose/keyings.ts";
import { schemeVariants } from "../../signature/diagnose/scheme-variants.ts";
import type { Probe } from "../probe.ts";
import { type Attempt, attempt } from "./attempt.ts";
import type { ValueForm } from "./attempt-cause.ts";

/** What a receiver may expect in the header, made from the hex digest. */
const VALUES: Readonly<Record<ValueForm, (hex: string) => string>> = {
  digest: (hex) => hex,
  upper_case: (hex) => `sha256=${hex.toUpperCase()}`,
  upper_case_digest: (hex) => hex.toUpperCase(),
  base64: (hex) => `sha256=${base64(hex)}`,
  base64_digest: base64,
  base64_of_hex: (hex) => `sha256=${Buffer.from(hex).toString("base64")}`,
  base64_of_hex_digest: (hex) => Buffer.from(hex).toString("base64"),
  prefix_twice: (hex) => `sha256=sha256=${hex}`,
  signed_bytes: (hex) => `sha256=${hex.replace(/../g, negative)}`,
};

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
    ...Object.entries(VALUES).map(([form, value]) =>
      attempt(
        probe,
        { code: "other_value_expected", form: form as ValueForm },
        { as: (digits) => ({ signature: value(digits) }) },
      ),
    ),
    ...["sha1", "sha512"].map((algorithm) =>
      attempt(
        probe,
        { code: "other_algorithm_expected", algorithm },
        {
          digest: (body) => createHmac(algorithm, probe.secret).update(body).digest("hex"),
          as: (digits) => ({ signature: `${algorithm}=${digits}` }),
        },
      ),
    ),
    ...NAMES.filter((name) => name !== own).map((name) => {
      const signature = `sha256=${"0".repeat(64)}`;
      return attempt(
        probe,
        { code: "other_header_read", name, own },
        { as: (digits) => ({ headers: { [name]: `sha256=${digits}` }, signature }) },
      );
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
    return [
      attempt(
        probe,
        { code: "other_key_used", cause },
        { body: () => body, digest: (sent) => digest("sha256", sent) },
      ),
    ];
  });
}

/** An event that is signed as other services do: with its timestamp or the URL. */
export function schemeAttempts(probe: Probe): readonly Attempt[] {
  const body = probe.body();
  const variants = schemeVariants(body, { host: probe.url.host }, probe.target);
  return variants.map(({ causes: [cause], bytes }) =>
    attempt(
      probe,
      { code: "other_scheme_verified", signed: cause?.detail ?? undefined },
      { body: () => body, digest: () => probe.digest(bytes() ?? body) },
    ),
  );
}
