import fc from "fast-check";
import { expect, it } from "vitest";
import { redact } from "../../../src/base/text/redact.ts";

/** Ways in which an answer repeats what it was sent. */
const REPEATED: Readonly<Record<string, (secret: string) => string>> = {
  "as it is": (secret) => `got ${secret}!`,
  "in JSON": (secret) => JSON.stringify({ secret }),
  "in JSON of PHP": (secret) => JSON.stringify({ secret }).replaceAll("/", "\\/"),
  "in JSON of a page": (secret) =>
    JSON.stringify(secret).replace(
      /[<>&'=+]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
    ),
  "in a query": (secret) => new URLSearchParams({ secret }).toString(),
  "in a path": (secret) => encodeURIComponent(secret),
  "in a path, in lower case": (secret) =>
    encodeURIComponent(secret).replace(/%[\dA-F]{2}/g, (byte) => byte.toLowerCase()),
  "in a page": (secret) =>
    secret
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;")
      .replaceAll('"', "&quot;")
      .replaceAll("'", "&#39;"),
  "in base64": (secret) => Buffer.from(secret).toString("base64"),
  "in base64, after a name": (secret) => Buffer.from(`me:${secret}`).toString("base64"),
  "in base64url, after a letter": (secret) => Buffer.from(`x${secret}`).toString("base64url"),
  "in hex": (secret) => Buffer.from(secret).toString("hex"),
};

/** What encoders change, and what they do not. */
const secrets = fc.string({
  unit: fc.constantFrom(...("aZ9/+=\"'\\<>&%!*()~ é🏠\n".match(/./gsu) ?? [])),
  minLength: 12,
  maxLength: 40,
});

it.each(Object.entries(REPEATED))("a secret %s is hidden", (_, repeat) => {
  fc.assert(
    fc.property(secrets, (secret) => {
      const shown = redact(`before ${repeat(secret)} after`, [secret], 5000);
      const rest = shown.replace("[redacted]", "");
      expect(shown).toContain("[redacted]");
      // What is left is what stood around it: at most four characters of base64 of a neighbour.
      expect(rest.length - repeat("").length - "before  after".length).toBeLessThanOrEqual(4);
    }),
  );
});

it("a secret that is part of another leaves no rest of that", () => {
  expect(redact("key: abcdef-ghijkl", ["abcdef", "abcdef-ghijkl"])).toBe("key: [redacted]");
});

it("a short text is hidden itself, but not what its encoded forms happen to spell", () => {
  expect(redact("ab, 6162, YWI=", ["ab"])).toBe("[redacted], 6162, YWI=");
});
