import { createHmac, randomBytes } from "node:crypto";
import type { CaseDefinition } from "../check-case.ts";
import { BEGINS_WITH_00, type DigestForm, NEGATIVE, PLAIN } from "../digest-forms.ts";
import type { Probe } from "../probe.ts";
import { REFUSED, sendForged } from "./forgeries.ts";

const DIGITS = "0123456789abcdef";

/** What a program has for its secret if none was set, or nobody replaced the example's. */
const GUESSES = [
  "undefined",
  "null",
  "None",
  "nil",
  "false",
  "0",
  "[object Object]",
  "secret",
  "changeme",
  "test",
  "password",
  "your-secret",
  "your_webhook_secret",
  "webhook-secret",
  "default",
  "$HOOKPORTER_SECRET",
  "test-secret",
  "my-secret",
  "whsec_test",
  "development",
];

/**
 * Wrong digests that a comparison of only a part of it, or of something made from it, takes for the
 * right one.
 */
export const FORGED_DIGEST_CASES = {
  "SIG-35": {
    ...REFUSED,
    cause: "compared_until_zero_byte",
    send: sendDigests((digest) => ({ "00": `00${inverted(digest.slice(2))}` }), BEGINS_WITH_00),
  },
  "SIG-36": {
    ...REFUSED,
    cause: "first_part_compared",
    shows: "part_of_digest",
    send: sendDigests((digest) => ({ half: digest.slice(0, 32) + inverted(digest.slice(32)) })),
  },
  "SIG-39": {
    ...REFUSED,
    cause: "last_part_compared",
    shows: "part_of_digest",
    send: sendDigests((digest) => ({
      "the second half": inverted(digest.slice(0, 32)) + digest.slice(32),
      swapped: digest.slice(32) + digest.slice(0, 32),
    })),
  },
  "SIG-40": {
    ...REFUSED,
    cause: "one_digit_not_compared",
    shows: "part_of_digest",
    send: sendDigests((digest) => {
      const wrongAt = (at: number) =>
        digest.slice(0, at) + inverted(digest.slice(at, at + 1)) + digest.slice(at + 1);
      return { first: wrongAt(0), inside: wrongAt(32), last: wrongAt(63) };
    }),
  },
  "SIG-41": {
    ...REFUSED,
    cause: "few_digits_compared",
    shows: "part_of_digest",
    send: sendDigests(() => {
      const digests = [...DIGITS].map((first, at) => {
        const inside = randomBytes(31).toString("hex");
        return [`${first}…${DIGITS[15 - at]}`, first + inside + DIGITS[15 - at]];
      });
      return Object.fromEntries(digests);
    }, NEGATIVE),
  },
  "SIG-42": {
    ...REFUSED,
    cause: "error_counts_as_success",
    shows: "wrong_lengths",
    send: sendDigests(() => {
      const digits = (length: number) => "5a".repeat(length).slice(0, length);
      return Object.fromEntries(
        [1, 31, 63, 65, 4096].map((length) => [`${length} digits`, digits(length)]),
      );
    }),
  },
  "SIG-43": {
    ...REFUSED,
    cause: "guessable_secret",
    send: sendDigests((digest, { signatureHeader }, body) => {
      const keys = [...GUESSES, signatureHeader, String(JSON.parse(String(body)).webhook?.id)];
      const made = keys.map(
        (key) => [key, createHmac("sha256", key).update(body).digest("hex")] as const,
      );
      return Object.fromEntries(made.filter(([, text]) => text !== digest));
    }),
  },
} as const satisfies Readonly<Record<string, CaseDefinition>>;

/**
 * Sends an event with wrong digests in place of its own, each with a name; the body is chosen by
 * the form of its digest.
 */
function sendDigests(
  values: (digest: string, probe: Probe, body: Buffer) => Readonly<Record<string, string>>,
  form: DigestForm = PLAIN,
): CaseDefinition["send"] {
  return (probe) => {
    const body = probe.untilDigest(() => probe.body(), form);
    const forged = Object.entries(values(probe.digest(body), probe, body));
    return sendForged(
      forged.map(([name, digest]) => ({
        name,
        send: () => probe.post(body, { signature: `sha256=${digest}` }),
      })),
    );
  };
}

/** The same number of digits, none of them right. */
function inverted(hex: string): string {
  return hex.replace(/./g, (digit) => (Number.parseInt(digit, 16) ^ 1).toString(16));
}
