import { createHash } from "node:crypto";
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { sign } from "../../src/entries/index.ts";
import type { SecretValue } from "../../src/signature/secret-bytes.ts";
import { readSecrets } from "../../src/signature/secrets.ts";

const LONG = "whsec_0123456789abcdef";
const BODY = Buffer.from("body");

function warningsOf(given: SecretValue | readonly SecretValue[]): readonly string[] {
  const warnings: string[] = [];
  readSecrets(given, (message) => warnings.push(message));
  return warnings;
}

describe("readSecrets refuses", () => {
  const white = ["", "   ", "\t \n", "\n", "\u00a0", "\u2003\u3000", "\ufeff"];
  const empty = [new Uint8Array(0), Buffer.from("  "), [LONG, new Uint8Array(0)], [" ", LONG]];
  it.each([...white, ...empty])("[case 18, 20, 22] as empty: %j", (given) => {
    expect(() => readSecrets(given)).toThrow(
      expect.objectContaining({ name: "ConfigurationError", code: "secret_empty" }),
    );
  });

  it.each([
    [undefined, "got none: pass `secret`, or set HOOKPORTER_SECRET"],
    [[], "got none"],
    [null, "expected the secret to be a string or bytes, got null"],
    [7, "expected the secret to be a string or bytes, got 7"],
    [{}, "expected the secret to be a string or bytes"],
    [[[LONG]], "expected the secret to be a string or bytes, got an array"],
    [[LONG, undefined], "expected secret 2 of the list to be a string or bytes, got undefined"],
  ])("[case 18] as missing: %j, and says what it got and which one it is", (given, message) => {
    expect(() => readSecrets(given as unknown as SecretValue)).toThrow(
      expect.objectContaining({
        name: "ConfigurationError",
        code: "secret_missing",
        message: expect.stringContaining(message),
      }),
    );
  });

  it("one of a list, which it numbers, without naming the others", () => {
    expect(() => readSecrets("")).toThrow("expected the secret not to be empty");
    const refused = () => readSecrets([LONG, ""]);
    expect(refused).toThrow("expected secret 2 of the list not to be empty");
    expect(refused).toThrow(/^(?!.*whsec_)/);
  });
});

describe("readSecrets", () => {
  it("returns the first of a list as current, the others as previous", () => {
    expect(readSecrets(LONG).map(({ role }) => role)).toEqual(["current"]);
    const roles = readSecrets([LONG, `${LONG}2`, `${LONG}3`]).map(({ role }) => role);
    expect(roles).toEqual(["current", "previous", "previous"]);
  });

  it("[case 18] removes newlines at the end of a text, with a warning, and keeps every other byte", () => {
    const signed = (given: SecretValue) => {
      const [secret] = readSecrets(given);
      return secret && sign(BODY, secret.key);
    };
    for (const newline of ["\n", "\r\n", "\n\n"]) {
      expect(signed(LONG + newline)).toBe(sign(BODY, LONG));
      expect(warningsOf(LONG + newline)).toHaveLength(1);
    }
    for (const given of [` ${LONG} `, `\n${LONG}`, `${LONG}\t`, Buffer.from(`${LONG}\n`)])
      expect(signed(given)).toBe(sign(BODY, given));
    expect(warningsOf(Buffer.from(`${LONG}\n`))).toEqual([]);
  });

  it("keeps its key if the caller wipes the bytes", () => {
    const bytes = Buffer.from(LONG);
    const [secret] = readSecrets(bytes);
    bytes.fill(0);
    expect(secret && sign(BODY, secret.key)).toBe(sign(BODY, LONG));
  });

  it("[case 18] warns once of placeholders and short secrets, and of nothing else", () => {
    const changed = ["changeme", "change-me", "Change_Me", "CHANGE_ME", "change me", " secret "];
    const others = ["test", "example", "password", "todo", "your_secret", "xxx", "<secret>"];
    const long = ["<your secret>", "your-secret-goes-here", "xxxxxxxxxxxxxxxxxxxxx"];
    for (const given of [...changed, ...others, ...long])
      expect(warningsOf(given)).toEqual([expect.stringMatching(/^the secret .*placeholder/)]);
    const short = ["my-secret", "test-2f9", "unchangeme", "latest", "secret!", "changexme"];
    for (const given of [...short, "0123456789abcde"]) {
      const says = `the secret has only ${given.length} bytes: use at least 16`;
      expect(warningsOf(given)).toEqual([expect.stringContaining(says)]);
    }
    expect(warningsOf(["0123456789abcdef", LONG, "éééééééé"])).toEqual([]);
  });

  it("says which secret of a list it warns of, without showing it", () => {
    const warnings = warningsOf([LONG, "k9#sh", `${LONG}\n`, "<k9 placeholder>"]);
    expect(warnings).toEqual([
      expect.stringMatching(/^secret 2 of the list has only 5 bytes/),
      expect.stringMatching(/^secret 3 of the list ended in a newline/),
      expect.stringMatching(/^secret 4 of the list/),
    ]);
    expect(warnings.join()).not.toMatch(/k9|whsec/);
  });

  it("returns secrets that do not reveal themselves", () => {
    const secrets = readSecrets([LONG, `${LONG}2`]);
    const inspected = inspect(secrets, { depth: 9, showHidden: true });
    for (const shown of [JSON.stringify(secrets), inspected, String(secrets)]) {
      expect(shown).not.toContain(LONG);
      for (const encoding of ["hex", "base64"] as const)
        expect(shown).not.toContain(Buffer.from(LONG).toString(encoding));
    }
  });

  it("returns the same fingerprint from version to version, which is no plain digest of the secret", () => {
    const [a, b, c] = readSecrets([LONG, `${LONG}2`, LONG]).map(({ fingerprint }) => fingerprint);
    const digest = createHash("sha256").update(`hookporter:fingerprint:${LONG}`).digest("hex");
    expect(a).toBe(digest.slice(0, 8));
    expect(a).not.toBe(b);
    expect(a).toBe(c);
  });
});
