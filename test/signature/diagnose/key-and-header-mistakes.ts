import { createHash } from "node:crypto";
import type { CauseCode } from "../../../src/entries/testing.ts";
import { digested, hashed, signed } from "./made.ts";
import {
  bytes,
  headerAs,
  hereWith,
  type Mistake,
  type Mistakes,
  secretWith,
  signedAs,
  signedWith,
} from "./mistake.ts";

/** A key that is not UTF-8, and whose base64 has characters of one alphabet alone. */
const KEY = Buffer.from(`fbefbe${"c3".repeat(29)}`, "hex");
const bareBase64 = (key: Buffer) => key.toString("base64").replace(/=+$/, "");

/** As `Integer.toHexString` of Java prints bytes that are not masked. */
const signedBytes = (digest: string, width: number) =>
  [...Buffer.from(digest, "hex")]
    .map((byte) => (byte < 128 ? byte : byte + 0xffffff00).toString(16).padStart(width, "0"))
    .join("");

/** Mistakes with one cause, each made of two texts. */
const rows = (
  code: CauseCode,
  table: readonly (readonly [title: string, one: string, other: string])[],
  make: (one: string, other: string) => Mistake,
): Mistakes => table.map(([title, text, other]) => [code, title, make(text, other)]);

/** A secret here, and the one that was used instead. */
const signedWithOther =
  (secret: string, used: string): Mistake =>
  (json) => ({ body: json, header: signed(json, used), secret });

/** Mistakes in the secret, the digest and the header. */
export const KEY_AND_HEADER_MISTAKES: Mistakes = [
  ["secret_quotes", "signed with quotes", signedWith((secret) => `"${secret}"`)],
  ["secret_quotes", "signed with single quotes", signedWith((secret) => `'${secret}'`)],
  ["secret_quotes", "quotes on this side", hereWith((secret) => `"${secret}"`)],
  ["secret_whitespace", "signed with a line break", signedWith((secret) => `${secret}\n`)],
  ["secret_whitespace", "signed with a carriage return", signedWith((secret) => `${secret}\r`)],
  ["secret_whitespace", "signed with a space", signedWith((secret) => `${secret} `)],
  ["secret_whitespace", "spaces on this side", hereWith((secret) => ` ${secret} `)],
  [
    "secret_hex",
    "decoded on the signing side",
    (json, secret) => ({
      body: json,
      header: signed(json, bytes(secret)),
      secret: bytes(secret).toString("hex"),
    }),
  ],
  [
    "secret_hex",
    "decoded on this side",
    (json, secret) => ({ body: json, header: signed(json, bytes(secret).toString("hex")), secret }),
  ],
  [
    "secret_hex",
    "decoded as hex on this side, as base64 on the signing side",
    (json) => ({
      body: json,
      header: signed(json, Buffer.from(KEY.toString("hex"), "base64")),
      secret: KEY,
    }),
  ],
  [
    "secret_base64",
    "decoded as base64 on this side, as hex on the signing side",
    (json) => ({
      body: json,
      header: signed(json, KEY),
      secret: Buffer.from(KEY.toString("hex"), "base64"),
    }),
  ],
  [
    "secret_base64",
    "decoded on the signing side",
    (json, secret) => ({
      body: json,
      header: signed(json, bytes(secret)),
      secret: bytes(secret).toString("base64"),
    }),
  ],
  [
    "secret_base64",
    "decoded on this side",
    (json, secret) => ({
      body: json,
      header: signed(json, bytes(secret).toString("base64")),
      secret,
    }),
  ],
  [
    "secret_base64",
    "decoded on this side, without padding on the signing side",
    (json) => ({ body: json, header: signed(json, bareBase64(KEY)), secret: KEY }),
  ],
  [
    "secret_base64",
    "decoded after whsec_ on the signing side",
    (json) => ({
      body: json,
      header: signed(json, KEY),
      secret: `whsec_${KEY.toString("base64")}`,
    }),
  ],
  [
    "secret_base64",
    "decoded after whsec_ on this side",
    (json) => ({
      body: json,
      header: signed(json, `whsec_${KEY.toString("base64")}`),
      secret: KEY,
    }),
  ],
  ...rows(
    "secret_cut",
    [
      ["cut at #", "a-long#secret-0123", "a-long"],
      ["cut at a space and #", "a-long #secret-0123", "a-long"],
      ["without a variable of the shell", "a-long$secret-0123", "a-long-0123"],
      ["without an argument of the shell", "a-long$1secret-0123", "a-longsecret-0123"],
      ["cut at $", "a-long$secret-0123", "a-long"],
      ["without backslashes", "a-lo\\ng\\secret-0123", "a-longsecret-0123"],
      ["cut at a semicolon", "a-long;secret-0123", "a-long"],
      ["cut at an ampersand", "a-long&secret-0123", "a-long"],
      ["without the padding", "YS1sb25nLXNlY3JldA==", "YS1sb25nLXNlY3JldA"],
    ],
    signedWithOther,
  ),
  ...rows(
    "secret_encoded",
    [
      ["percent-encoded there", "a+b/c=secret-0123", "a%2Bb%2Fc%3Dsecret-0123"],
      ["percent-decoded there", "a%2Bb%2Fc%3Dsecret-0123", "a+b/c=secret-0123"],
      ["with + as a space there", "a+b/c=secret-0123", "a b/c=secret-0123"],
      ["with entities there", "a&b<secret-0123", "a&amp;b&lt;secret-0123"],
      ["in base64 with a line break there", "a-long-secret-0123", "YS1sb25nLXNlY3JldC0wMTIzCg=="],
    ],
    signedWithOther,
  ),
  [
    "secret_name",
    "signed with the name of the variable",
    signedWith((secret) => `HOOKPORTER_SECRET=${secret}`),
  ],
  ["secret_name", "signed with a byte order mark", signedWith((secret) => `\uFEFF${secret}`)],
  ["secret_unset", "signed with an empty secret", signedWith(() => "")],
  ["secret_unset", "signed with undefined", signedWith(() => "undefined")],
  [
    "key_and_body_swapped",
    "the body as the key",
    (json, secret) => ({ body: json, header: signed(secret, json) }),
  ],
  [
    "secret_hashed",
    "the SHA-256 of the secret as the key",
    signedWith((secret) => createHash("sha256").update(secret).digest()),
  ],
  [
    "secret_hashed",
    "the MD5 of the secret in hex as the key",
    signedWith((secret) => createHash("md5").update(secret).digest("hex")),
  ],
  [
    "body_hashed",
    "the SHA-256 of the body in hex",
    signedAs((json) => createHash("sha256").update(json).digest("hex")),
  ],
  [
    "body_hashed",
    "the SHA-256 of the body in bytes",
    signedAs((json) => createHash("sha256").update(json).digest()),
  ],
  [
    "digest_without_hmac",
    "a plain hash of the body",
    (json) => ({ body: json, header: hashed(json) }),
  ],
  [
    "digest_without_hmac",
    "a plain hash of secret and body",
    (json, secret) => ({ body: json, header: hashed(secret, json) }),
  ],
  [
    "digest_algorithm",
    "SHA-1",
    (json, secret) => ({ body: json, header: signed(json, secret, "sha1") }),
  ],
  [
    "digest_algorithm",
    "SHA-512",
    (json, secret) => ({ body: json, header: signed(json, secret, "sha512") }),
  ],
  [
    "digest_algorithm",
    "SHA-1 under the prefix of SHA-256",
    (json, secret) => ({
      body: json,
      header: signed(json, secret, "sha1").replace("sha1", "sha256"),
    }),
  ],
  ["digest_upper_case", "digits", headerAs((_, digest) => `sha256=${digest.toUpperCase()}`)],
  ["digest_upper_case", "prefix", headerAs((_, digest) => `SHA256=${digest}`)],
  ["digest_upper_case", "both", headerAs((header) => header.toUpperCase())],
  [
    "digest_base64",
    "base64",
    (json, secret) => ({ body: json, header: `sha256=${digested(bytes(json), secret, "base64")}` }),
  ],
  [
    "digest_base64url",
    "base64url",
    (json, secret) => ({
      body: json,
      header: `sha256=${digested(bytes(json), secret, "base64url")}`,
    }),
  ],
  ["digest_truncated", "20 digits", headerAs((header) => header.slice(0, 27))],
  ["digest_truncated", "63 digits", headerAs((header) => header.slice(0, -1))],
  [
    "digest_zeros_lost",
    "at the start",
    (json, drawn) => {
      const secret = secretWith(json, drawn, /^sha256=0/);
      return { body: json, header: signed(json, secret).replace(/=0+/, "="), secret };
    },
  ],
  [
    "digest_zeros_lost",
    "of every byte",
    (json, drawn) => {
      const secret = secretWith(json, drawn, /^sha256=(?:..)*(?:.[1-9a-f])0/);
      const [, digest = ""] = signed(json, secret).split("=");
      const short = (digest.match(/../g) ?? []).map((byte) =>
        Number.parseInt(byte, 16).toString(16),
      );
      return { body: json, header: `sha256=${short.join("")}`, secret };
    },
  ],
  [
    "digest_separated",
    "colons",
    headerAs((_, digest) => `sha256=${digest.replace(/..(?=.)/g, "$&:")}`),
  ],
  [
    "digest_separated",
    "dashes in upper case",
    headerAs((_, digest) => `sha256=${digest.toUpperCase().replace(/..(?=.)/g, "$&-")}`),
  ],
  [
    "digest_separated",
    "spaces",
    headerAs((_, digest) => `sha256=${digest.replace(/..(?=.)/g, "$& ")}`),
  ],
  ["digest_separated", "0x", headerAs((_, digest) => `sha256=0x${digest}`)],
  [
    "digest_signed_bytes",
    "with zeros",
    headerAs((_, digest) => `sha256=${signedBytes(digest, 2)}`),
  ],
  [
    "digest_signed_bytes",
    "without zeros",
    headerAs((_, digest) => `sha256=${signedBytes(digest, 1)}`),
  ],
  [
    "digest_hex_twice",
    "hex of hex",
    headerAs((_, digest) => `sha256=${bytes(digest).toString("hex")}`),
  ],
  ["header_extra_text", "as Python shows bytes", headerAs((_, digest) => `sha256=b'${digest}'`)],
  ["digest_absent", "nothing after the prefix", headerAs(() => "sha256=")],
  ["digest_absent", "undefined", headerAs(() => "sha256=undefined")],
  ["prefix_missing", "bare digits", headerAs((_, digest) => digest)],
  ["prefix_doubled", "twice", headerAs((header) => `sha256=${header}`)],
  ["prefix_wrong", "with a colon", headerAs((_, digest) => `sha256:${digest}`)],
  ["prefix_wrong", "a version", headerAs((_, digest) => `v1=${digest}`)],
  ["header_extra_text", "spaces", headerAs((header) => ` ${header} `)],
  ["header_extra_text", "quotes", headerAs((header) => `"${header}"`)],
  ["header_extra_text", "what sha256sum prints", headerAs((header) => `${header}  -`)],
  [
    "header_repeated",
    "joined by Node",
    headerAs((header) => `${header}, sha256=${"0".repeat(64)}`),
  ],
  ["header_repeated", "a list", headerAs((header) => [header, header])],
  [
    "other_scheme",
    "a version that begins at 0",
    (json) => ({ body: json, header: `v0=${hashed(json, "x").slice(7)}` }),
  ],
  [
    "other_scheme",
    "the time inside the body and the body",
    (_, secret) => {
      const body = '{"timestamp":"2026-01-15T09:20:00.000Z","data":{}}';
      return { body, header: signed(`1768468800.${body}`, secret) };
    },
  ],
  ...rows(
    "other_scheme",
    [
      ["the URL and the body", "https://hooks.example/webhooks?a=b", ""],
      ["the URL without its query and the body", "https://hooks.example/webhooks", ""],
      ["a URL without TLS and the body", "http://hooks.example/webhooks?a=b", ""],
      ["the body and the URL", "", "https://hooks.example/webhooks?a=b"],
      ["the path and the body", "/webhooks", ""],
    ],
    (before, after) => (json, secret) => ({
      body: json,
      header: signed(before + json + after, secret),
      more: { target: "/webhooks?a=b", headers: { host: "hooks.example" } },
    }),
  ),
  [
    "other_scheme",
    "a timestamp and versions",
    headerAs((_, digest) => `t=1768469400,v1=${digest}`),
  ],
  [
    "other_scheme",
    "a version and base64",
    headerAs((_, digest) => `v1,${Buffer.from(digest, "hex").toString("base64")}`),
  ],
];
