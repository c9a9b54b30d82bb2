import { createHash, createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { mistakenKeyings, plainKeyings } from "../../../src/signature/diagnose/keyings.ts";
import type { Secret } from "../../../src/signature/secrets.ts";
import { readSecrets } from "../../../src/signature/secrets.ts";

const BODY = Buffer.from('{"a":1}');
const hmac = (key: string | Uint8Array, text: string | Uint8Array = BODY) =>
  createHmac("sha256", key).update(text).digest("hex");
const hash = (name: string, ...parts: readonly (string | Uint8Array)[]) =>
  createHash(name).update(Buffer.concat(parts.map((part) => Buffer.from(part as string))));
const SECRET = "a-long-secret-0123";

/** What is named if a digest was made in place of that with the secret. */
function named(secret: string | Uint8Array, digest: string): readonly string[] {
  const keyings = mistakenKeyings(readSecrets(secret)).filter(
    (keying) => keying.digest("sha256", BODY) === digest,
  );
  return [
    ...new Set(
      keyings.flatMap(({ causes }) => causes.map(({ code, detail }) => `${code}: ${detail}`)),
    ),
  ];
}

describe("mistakenKeyings", () => {
  it.each([
    ["a-long#secret", "a-long", ["secret_cut: the secret here has more: from # on"]],
    [
      "a-long  #secret",
      "a-long",
      [
        "secret_cut: the secret here has more: from # on",
        "secret_cut: the secret here has more: from a space on",
      ],
    ],
    [
      "a-long #1\nb",
      "a-long",
      [
        "secret_cut: the secret here has more: from # on",
        "secret_cut: the secret here has more: from a space on",
      ],
    ],
    ["a-long secret", "a-long", ["secret_cut: the secret here has more: from a space on"]],
    [
      "a-long$secret",
      "a-long",
      [
        "secret_cut: the secret here has more: from $ on",
        "secret_cut: the secret here has more: $ and the name after it",
      ],
    ],
    [
      "a$long-secret",
      "a-secret",
      ["secret_cut: the secret here has more: $ and the name after it"],
    ],
    [
      `a\${long}-secret`,
      "a-secret",
      ["secret_cut: the secret here has more: $ and the name after it"],
    ],
    ["a$12-secret", "a2-secret", ["secret_cut: the secret here has more: $ and the name after it"]],
    [
      "a$Long_1-secret",
      "a-secret",
      ["secret_cut: the secret here has more: $ and the name after it"],
    ],
    ["a\\nlong\\secret", "anlongsecret", ["secret_cut: the secret here has more: backslashes"]],
    ["a\\\\long", "a\\long", ["secret_cut: the secret here has more: backslashes"]],
    [
      "a\\nlong\\nsecret",
      "a\nlong\nsecret",
      ["secret_cut: the secret here has more: \\n read as a line break"],
    ],
    ["a-long;secret", "a-long", ["secret_cut: the secret here has more: from ; on"]],
    ["a-long&secret", "a-long", ["secret_cut: the secret here has more: from & on"]],
    ["NAME=a-long=", "NAME", ["secret_cut: the secret here has more: from = on"]],
    ["a.long=b", "b", ["secret_cut: the secret here has more: up to ="]],
    [
      "YS1sb25nLXNl==",
      "YS1sb25nLXNl",
      [
        "secret_cut: the secret here has more: from = on",
        "secret_cut: the secret here has more: = at the end",
      ],
    ],
    ["a=b-long==", "a=b-long", ["secret_cut: the secret here has more: = at the end"]],
  ])("names the lost part of %j, of which %j is left", (secret, used, names) => {
    expect(named(secret, hmac(used))).toEqual(names);
  });

  it.each([
    [`"${SECRET}"`, SECRET, ["secret_quotes: quotes on this side"]],
    [`\`${SECRET}\``, SECRET, ["secret_quotes: quotes on this side"]],
    [`"${SECRET}'`, SECRET, []],
    [SECRET, `'${SECRET}'`, ["secret_quotes: single quotes on the signing side"]],
    [SECRET, `"${SECRET}"`, ["secret_quotes: double quotes on the signing side"]],
    [SECRET, `${SECRET}\r\n`, ["secret_whitespace: a line break on the signing side"]],
    [SECRET, `${SECRET}\r`, ["secret_whitespace: a carriage return on the signing side"]],
    [SECRET, ` ${SECRET}`, ["secret_whitespace: a space on the signing side"]],
    [` ${SECRET}\t`, SECRET, ["secret_whitespace: spaces on this side"]],
    [
      SECRET,
      Buffer.from(SECRET).toString("hex").toUpperCase(),
      ["secret_hex: decoded on this side"],
    ],
    [SECRET, `HOOKPORTER_SECRET=${SECRET}`, ["secret_name: null"]],
    [SECRET, `\uFEFF${SECRET}`, ["secret_name: a byte order mark"]],
    [
      "a b c long secret",
      "a+b+c+long+secret",
      [
        "secret_encoded: percent-encoded on the signing side",
        "secret_encoded: + as a space on this side",
      ],
    ],
    ["a>b<c&d-long", "a&gt;b&lt;c&amp;d-long", ["secret_encoded: as HTML on the signing side"]],
    ['a"b-long', "a&quot;b-long", ["secret_encoded: as HTML on the signing side"]],
    ["a%20b-long", "a b-long", ["secret_encoded: percent-decoded on the signing side"]],
    [SECRET, "", ["secret_unset: empty"]],
    [SECRET, "null", ["secret_unset: null"]],
    [SECRET, "None", ["secret_unset: None"]],
    [SECRET, "$HOOKPORTER_SECRET", ["secret_unset: $HOOKPORTER_SECRET"]],
    [SECRET, "another-secret", []],
    [SECRET, SECRET, []],
  ])("names what differs between %j here and %j there", (secret, used, names) => {
    expect(named(secret, hmac(used))).toEqual(names);
  });

  it("names hashes without a key, of a key and of a body", () => {
    const hex = (...parts: readonly (string | Uint8Array)[]) =>
      hash("sha256", ...parts).digest("hex");
    for (const [digest, name] of [
      [hex(SECRET, BODY), "digest_without_hmac: over secret and body"],
      [hex(BODY, SECRET), "digest_without_hmac: over body and secret"],
      [hex(BODY), "digest_without_hmac: over the body alone"],
      [hmac(hash("md5", SECRET).digest()), "secret_hashed: md5"],
      [hmac(hex(SECRET)), "secret_hashed: sha256"],
      [hmac(BODY, SECRET), "key_and_body_swapped: null"],
      [hmac(SECRET, hash("sha256", BODY).digest()), "body_hashed: null"],
    ] as const)
      expect(named(SECRET, digest)).toEqual([name]);
  });

  it("takes a secret that is no text for bytes alone", () => {
    const key = Buffer.from("fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0", "hex");
    for (const used of [`${key.toString("utf8")}\n`, `"${key.toString("utf8")}"`])
      expect(named(key, hmac(used))).toEqual([]);
    expect(named(key, hmac(key.toString("hex")))).toEqual(["secret_hex: decoded on this side"]);
    const url = key.toString("base64url");
    for (const used of [key.toString("base64"), url, `${url}==`])
      expect(named(key, hmac(used))).toEqual(["secret_base64: decoded on this side"]);
    const after = "secret_base64: decoded after whsec_ on this side";
    expect(named(key, hmac(`whsec_${key.toString("base64")}`))).toEqual([after]);
  });

  it("decodes only what is hex or base64 as a whole", () => {
    const base64 = Buffer.from(SECRET).toString("base64");
    const hex = Buffer.from(SECRET).toString("hex");
    for (const [given, names, used = SECRET] of [
      [base64, ["secret_base64: decoded on the signing side"]],
      [`whsec_${base64}`, ["secret_base64: decoded after whsec_ on the signing side"]],
      [`!${base64}`, [], Buffer.from(`!${base64}`, "base64")],
      [`${base64}===`, []],
      [hex, ["secret_hex: decoded on the signing side"]],
      [`${hex}x`, []],
      [`${hex}0`, []],
    ] as const)
      expect(named(given, hmac(used))).toEqual(names);
  });
});

describe("plainKeyings", () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, at) => `${at}-long-secret-0123`);

  it("has all secrets, and sixteen others by their names", () => {
    const others = many(17).map((text) => {
      return { name: `N${text}`, secret: readSecrets(`other-${text}`)[0] as Secret };
    });
    const keyings = plainKeyings(readSecrets(many(5)), others);
    const names = keyings.map(({ causes }) => causes.map(({ code, detail }) => [code, detail]));
    const named = others.slice(0, 16).map(({ name }) => [["secret_other", name]]);
    expect(names).toEqual([...Array(5).fill([]), ...named]);
    expect(keyings.map(({ digest }) => digest("sha256", BODY))).toEqual(
      [...many(5), ...many(16).map((text) => `other-${text}`)].map((key) => hmac(key)),
    );
  });

  it("tries mistakes in each secret", () => {
    const keyings = mistakenKeyings(readSecrets(many(5)));
    const digests = keyings.map(({ digest }) => digest("sha256", BODY));
    expect(many(5).every((text) => digests.includes(hmac(`${text}\n`)))).toBe(true);
  });
});
