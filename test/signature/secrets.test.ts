import { createHash } from "node:crypto";
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { sign } from "../../src/entries/index.ts";
import type { SecretValue } from "../../src/signature/secret-bytes.ts";
import { readSecrets } from "../../src/signature/secrets.ts";

const LONG = "whsec_0123456789abcdef";
const BODY = Buffer.from("body");

describe("readSecrets refuses", () => {
  it.each([
    ["an empty text", ""],
    ["spaces", "   "],
    ["tabs and newlines", "\t \n"],
    ["a lone newline", "\n"],
    ["no bytes", new Uint8Array(0)],
    ["bytes of spaces", Buffer.from("  ")],
    ["an empty entry of a list", [LONG, ""]],
    ["empty bytes in a list", [LONG, new Uint8Array(0)]],
    ["spaces in a list", [" ", LONG]],
  ])("[case 18] [case 20] [case 22] %s", (_, given) => {
    expect(() => readSecrets(given)).toThrow(
      expect.objectContaining({ name: "ConfigurationError", code: "secret_empty" }),
    );
  });

  it.each([
    ["nothing", undefined],
    ["an empty list", []],
    ["null", null],
    ["a number", 42],
    ["an object", {}],
    ["a list with a hole", [LONG, undefined]],
    ["a list in a list", [[LONG]]],
  ])("[case 18] %s", (_, given) => {
    expect(() => readSecrets(given as unknown as SecretValue)).toThrow(
      expect.objectContaining({ name: "ConfigurationError", code: "secret_missing" }),
    );
  });

  it.each([
    [undefined, "got none: pass `secret`, or set HOOKPORTER_SECRET"],
    [[], "got none"],
    [null, "expected the secret to be a string or bytes, got null"],
    [7, "expected the secret to be a string or bytes, got 7"],
    [
      [LONG, LONG, undefined],
      "expected secret 3 of the list to be a string or bytes, got undefined",
    ],
    ["", "expected the secret not to be empty"],
    [[LONG, ""], "expected secret 2 of the list not to be empty"],
  ])("%j, and says what it got and which one it is", (given, message) => {
    expect(() => readSecrets(given as unknown as SecretValue)).toThrow(message);
  });

  it("without naming the other secrets of the list", () => {
    expect(() => readSecrets([LONG, ""])).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining(LONG) }),
    );
  });
});

describe("readSecrets should refuse", () => {
  it.each(["\u00a0", "\u2003\u3000", "\ufeff"])("[case 18] the white space %j", (given) => {
    expect(() => readSecrets(given)).toThrow(expect.objectContaining({ code: "secret_empty" }));
  });
});

describe("readSecrets", () => {
  it("returns the first of a list as current, the others as previous", () => {
    expect(readSecrets(LONG).map(({ role }) => role)).toEqual(["current"]);
    expect(readSecrets([LONG, `${LONG}2`, `${LONG}3`]).map(({ role }) => role)).toEqual([
      "current",
      "previous",
      "previous",
    ]);
  });

  it.each(["\n", "\r\n", "\n\n"])("[case 18] removes a trailing %j with a warning", (newline) => {
    const warnings: string[] = [];
    const [secret] = readSecrets(LONG + newline, (message) => warnings.push(message));
    expect(warnings).toHaveLength(1);
    expect(secret && sign(BODY, secret.key)).toBe(sign(BODY, LONG));
  });

  it("keeps every other byte of a secret", () => {
    for (const given of [` ${LONG} `, `\n${LONG}`, `${LONG}\t`]) {
      const [secret] = readSecrets(given);
      expect(secret && sign(BODY, secret.key)).toBe(sign(BODY, given));
    }
  });

  it("keeps bytes unchanged, even a newline at their end", () => {
    const bytes = Buffer.from(`${LONG}\n`);
    const warnings: string[] = [];
    const [secret] = readSecrets(bytes, (message) => warnings.push(message));
    expect(secret && sign(BODY, secret.key)).toBe(sign(BODY, bytes));
    expect(warnings).toEqual([]);
  });

  it("keeps its key if the caller wipes the bytes", () => {
    const bytes = Buffer.from(LONG);
    const [secret] = readSecrets(bytes);
    bytes.fill(0);
    expect(secret && sign(BODY, secret.key)).toBe(sign(BODY, LONG));
  });

  it.each([
    "changeme",
    "CHANGE_ME",
    "secret",
    "password",
    "<your secret>",
    "your-secret-goes-here",
    "xxxxxxxxxxxxxxxxxxxxx",
    "short",
    "0123456789abcde",
  ])("[case 18] warns once about %j", (given) => {
    const warnings: string[] = [];
    readSecrets(given, (message) => warnings.push(message));
    expect(warnings).toHaveLength(1);
  });

  it.each([
    "changeme",
    "change-me",
    "Change_Me",
    "change me",
    " secret ",
    "test",
    "example",
    "todo",
    "your_secret",
    "xxx",
    "<secret>",
  ])("[case 18] calls %j a placeholder", (given) => {
    expect(warningsOf(given)).toEqual([expect.stringMatching(/^the secret .*placeholder/)]);
  });

  it.each(["my-secret", "test-2f9", "unchangeme", "latest", "secret!", "changexme"])(
    "calls %j too short, and no placeholder",
    (given) => {
      expect(warningsOf(given)).toEqual([
        expect.stringContaining(`the secret has only ${given.length} bytes: use at least 16`),
      ]);
    },
  );

  it("says which secret of a list it warns about", () => {
    expect(warningsOf([LONG, "short", `${LONG}\n`])).toEqual([
      expect.stringMatching(/^secret 2 of the list has only 5 bytes/),
      expect.stringMatching(/^secret 3 of the list ended in a newline/),
    ]);
  });

  it("does not show a secret in its warning", () => {
    const warnings: string[] = [];
    readSecrets(["k9#short", "<k9 placeholder>", "k9 with newline at end\n"], (message) =>
      warnings.push(message),
    );
    expect(warnings).toHaveLength(3);
    expect(warnings.join()).not.toContain("k9");
  });

  it("does not warn about 16 bytes or more", () => {
    const warnings: string[] = [];
    readSecrets(["0123456789abcdef", LONG, "éééééééé"], (message) => warnings.push(message));
    expect(warnings).toEqual([]);
  });

  it("returns secrets that do not reveal themselves", () => {
    const secrets = readSecrets([LONG, `${LONG}2`]);
    for (const shown of [
      JSON.stringify(secrets),
      inspect(secrets, { depth: 9, showHidden: true }),
      String(secrets),
    ]) {
      expect(shown).not.toContain(LONG);
      expect(shown).not.toContain(Buffer.from(LONG).toString("hex"));
      expect(shown).not.toContain(Buffer.from(LONG).toString("base64"));
    }
  });

  it("returns the same fingerprint from version to version, which is no plain digest of the secret", () => {
    const digest = createHash("sha256").update(`hookporter:fingerprint:${LONG}`).digest("hex");
    expect(readSecrets(LONG)[0]?.fingerprint).toBe(digest.slice(0, 8));
  });

  it("returns a fingerprint of 8 hex digits that distinguishes secrets", () => {
    const [a, b, c] = readSecrets([LONG, `${LONG}2`, LONG]).map(({ fingerprint }) => fingerprint);
    expect(a).toMatch(/^[0-9a-f]{8}$/);
    expect(a).not.toBe(b);
    expect(a).toBe(c);
  });
});

function warningsOf(given: SecretValue | readonly SecretValue[]): readonly string[] {
  const warnings: string[] = [];
  readSecrets(given, (message) => warnings.push(message));
  return warnings;
}
