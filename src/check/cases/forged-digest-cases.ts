import { createHmac, randomBytes } from "node:crypto";
import type { CheckCase } from "../check-case.ts";
import { BEGINS_WITH_00, type DigestForm, NEGATIVE, PLAIN } from "../digest-forms.ts";
import type { Probe } from "../probe.ts";
import { REFUSED, sendForged } from "./forgeries.ts";

const ALL = "compare all 64 digits, and their number, in constant time";
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
export const FORGED_DIGEST_CASES: readonly CheckCase[] = [
  {
    ...REFUSED,
    id: "SIG-35",
    sent: "a wrong digest that begins with 00 like the right one",
    fix: `it compares the digest as text that ends at a zero byte, so 1 of 256 forgeries gets in: ${ALL}`,
    run: sendDigests((digest) => ({ "00": `00${inverted(digest.slice(2))}` }), BEGINS_WITH_00),
  },
  {
    ...REFUSED,
    id: "SIG-36",
    sent: "a digest of which only the first half is right",
    fix: `it compares only the first part of the digest, or as a number with fewer digits: ${ALL}`,
    run: sendDigests((digest) => ({ half: digest.slice(0, 32) + inverted(digest.slice(32)) })),
  },
  {
    ...REFUSED,
    id: "SIG-39",
    sent: "a digest of which only the second half is right, or with its halves swapped",
    fix: `it compares only the last part of the digest, or a sum of its bytes: ${ALL}`,
    run: sendDigests((digest) => ({
      "the second half": inverted(digest.slice(0, 32)) + digest.slice(32),
      swapped: digest.slice(32) + digest.slice(0, 32),
    })),
  },
  {
    ...REFUSED,
    id: "SIG-40",
    fix: `it compares all digits but one: ${ALL}`,
    sent: "a digest with one wrong digit: the first, one inside or the last",
    run: sendDigests((digest) => {
      const wrongAt = (at: number) =>
        digest.slice(0, at) + inverted(digest.slice(at, at + 1)) + digest.slice(at + 1);
      return { first: wrongAt(0), inside: wrongAt(32), last: wrongAt(63) };
    }),
  },
  {
    ...REFUSED,
    id: "SIG-41",
    sent: "16 wrong digests, with every first digit and every last one",
    fix: `it accepts some wrong digests: it compares only a digit or two, or numbers too large for their type: ${ALL}`,
    run: sendDigests(() => {
      const digests = [...DIGITS].map((first, at) => {
        const inside = randomBytes(31).toString("hex");
        return [`${first}…${DIGITS[15 - at]}`, first + inside + DIGITS[15 - at]];
      });
      return Object.fromEntries(digests);
    }, NEGATIVE),
  },
  {
    ...REFUSED,
    id: "SIG-42",
    sent: "wrong digests of 1, 31, 63, 65 and 4096 digits",
    fix: "an error while comparing counts as success: require 64 digits before you compare, and refuse after any error",
    run: sendDigests(() => {
      const digits = (length: number) => "5a".repeat(length).slice(0, length);
      return Object.fromEntries(
        [1, 31, 63, 65, 4096].map((length) => [`${length} digits`, digits(length)]),
      );
    }),
  },
  {
    ...REFUSED,
    id: "SIG-43",
    sent: "signatures made with `undefined`, `null`, `secret`, `changeme` and the like",
    fix: "it falls back to a secret that anyone can guess: refuse to start without the subscription's secret",
    run: sendDigests((digest, { signatureHeader }, body) => {
      const keys = [...GUESSES, signatureHeader, String(JSON.parse(String(body)).webhook?.id)];
      const made = keys.map(
        (key) => [key, createHmac("sha256", key).update(body).digest("hex")] as const,
      );
      return Object.fromEntries(made.filter(([, text]) => text !== digest));
    }),
  },
];

/**
 * Sends an event with wrong digests in place of its own, each with a name; the body is chosen by
 * the form of its digest.
 */
function sendDigests(
  values: (digest: string, probe: Probe, body: Buffer) => Readonly<Record<string, string>>,
  form: DigestForm = PLAIN,
): CheckCase["run"] {
  return (probe) => {
    const body = probe.untilDigest(() => probe.body(), form);
    const forged = Object.entries(values(probe.digest(body), probe, body));
    return sendForged(
      forged.map(([name, digest]) => [
        name,
        () => probe.post(body, { signature: `sha256=${digest}` }),
      ]),
    );
  };
}

/** The same number of digits, none of them right. */
function inverted(hex: string): string {
  return hex.replace(/./g, (digit) => (Number.parseInt(digit, 16) ^ 1).toString(16));
}
