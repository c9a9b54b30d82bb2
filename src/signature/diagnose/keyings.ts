import { createHash, createHmac } from "node:crypto";
import { trimEndOf } from "../../base/text/trim-end.ts";
import type { Secret } from "../secrets.ts";
import { type Cause, type CauseCode, cause } from "./causes.ts";
import type { Algorithm } from "./digest-form.ts";
import { converted } from "./form-variants.ts";

/** A secret set elsewhere, and its name, such as the name of a variable. */
export interface NamedSecret {
  readonly name: string;
  readonly secret: Secret;
  /** What it is, if not another secret, such as `secret_cut` for the whole of ours. */
  readonly why?: CauseCode | undefined;
}

/** One way a digest may have been keyed. */
export interface Keying {
  readonly causes: readonly Cause[];
  readonly digest: (algorithm: Algorithm, body: Uint8Array) => string;
}

/** The maximum number of secrets set elsewhere that are tried. */
export const MOST_OTHERS = 16;

/** The secrets unchanged, including those set elsewhere. */
export function plainKeyings(
  secrets: readonly Secret[],
  others: readonly NamedSecret[],
): readonly Keying[] {
  const own = secrets.map(({ key }) => keyed([], key.export()));
  const named = others
    .filter(({ why }) => why === undefined)
    .slice(0, MOST_OTHERS)
    .map(({ name, secret }) => keyed([cause("secret_other", name)], secret.key.export()));
  return [...own, ...named];
}

/** The secrets after common mistakes, such as quotes around them. */
export function mistakenKeyings(secrets: readonly Pick<Secret, "key">[]): readonly Keying[] {
  const own = secrets.flatMap(({ key }) => mistakesOf(key.export()));
  return [...own, ...unset(), hashed("over the body alone", (body) => [body])];
}

/** A name before a value; a secret in base64 ends in `=`. */
const NAMED = /^(?:export |set |--?)?[a-z_][\w-]*=[^=]/i;
/** A comment, which was kept here, has a space after its sign. */
const COMMENT = /\s(?:#|\/\/|--|;)(?:\s|$)/;

/** A key that one side may have used, and the mistake that makes it. */
type KeyVariant = readonly [Cause, Uint8Array | string | undefined];

function mistakesOf(key: Buffer): readonly Keying[] {
  const text = key.toString("utf8");
  const isText = Buffer.from(text, "utf8").equals(key);
  const variants: KeyVariant[] = [
    [cause("secret_quotes", "double quotes on the signing side"), `"${text}"`],
    [cause("secret_quotes", "single quotes on the signing side"), `'${text}'`],
    [cause("secret_quotes", "quotes on this side"), /^(["'`])(.+)\1$/s.exec(text)?.[2]],
    [cause("secret_whitespace", "a line break on the signing side"), `${text}\n`],
    [cause("secret_whitespace", "a line break on the signing side"), `${text}\r\n`],
    [cause("secret_whitespace", "a carriage return on the signing side"), `${text}\r`],
    [cause("secret_whitespace", "a space on the signing side"), `${text} `],
    [cause("secret_whitespace", "a space on the signing side"), ` ${text}`],
    [cause("secret_whitespace", "spaces on this side"), text.trim()],
    ...textForms(key, text),
    ...lostParts(text).map(([detail, part]): [Cause, string] => [
      cause("secret_cut", `the secret here has more: ${detail}`),
      part,
    ]),
    ...encodings(text),
    [cause("secret_name"), `HOOKPORTER_SECRET=${text}`],
    [cause("secret_name", "a byte order mark"), `\uFEFF${text}`],
  ];
  const keyings = variants.flatMap(([why, variant]) => {
    if (variant === undefined || variant.length === 0) return [];
    if (
      typeof variant === "string" &&
      !isText &&
      why.code !== "secret_hex" &&
      why.code !== "secret_base64"
    )
      return [];
    const bytes = Buffer.from(variant as string);
    return bytes.equals(key) ? [] : [keyed([why], bytes)];
  });
  return [
    ...keyings,
    {
      causes: [cause("key_and_body_swapped")],
      digest: (algorithm, body) => createHmac(algorithm, body).update(key).digest("hex"),
    },
    ...(["sha256", "md5"] as const).flatMap((name) => {
      const digest = createHash(name).update(key).digest();
      const why = cause("secret_hashed", name);
      return [keyed([why], digest), keyed([why], Buffer.from(digest.toString("hex")))];
    }),
    ...[(hash: Buffer) => hash, (hash: Buffer) => hash.toString("hex")].map((print) => ({
      causes: [cause("body_hashed")],
      digest: (algorithm: Algorithm, body: Uint8Array) => {
        const inner = createHash("sha256").update(body).digest();
        return createHmac(algorithm, key).update(print(inner)).digest("hex");
      },
    })),
    hashed("over secret and body", (body) => [key, body]),
    hashed("over body and secret", (body) => [body, key]),
  ];
}

/** A secret that is a text of bytes, in hex or base64, on one side or on both. */
function textForms(key: Buffer, text: string): readonly KeyVariant[] {
  return [
    [cause("secret_hex", "decoded on the signing side"), decoded(text, "hex")],
    [cause("secret_hex", "decoded on this side"), key.toString("hex")],
    [cause("secret_hex", "decoded on this side"), key.toString("hex").toUpperCase()],
    [cause("secret_base64", "decoded on the signing side"), decoded(text, "base64")],
    [cause("secret_base64", "decoded after whsec_ on the signing side"), afterPrefix(text)],
    ...base64Forms(key).map((form): [Cause, string] => [
      cause("secret_base64", "decoded on this side"),
      form,
    ]),
    [
      cause("secret_base64", "decoded after whsec_ on this side"),
      `whsec_${key.toString("base64")}`,
    ],
    // The same text in two encodings, if it could be either: the wrong one was given on one side.
    [
      cause("secret_hex", "decoded on this side, as base64 on the signing side"),
      decoded(key.toString("hex"), "base64"),
    ],
    [
      cause("secret_base64", "decoded on this side, as hex on the signing side"),
      decoded(key.toString("base64url"), "hex"),
    ],
  ];
}

/** What is left of a secret that a shell or a reader of env files has taken apart. */
function lostParts(text: string): readonly (readonly [string, string])[] {
  return [
    ...(COMMENT.test(text)
      ? []
      : ([
          ["from # on", text.replace(/#.*$/s, "")],
          ["from # on", trimEndOf(text.split(" #", 1)[0] ?? "", " ")],
          ["from a space on", text.replace(/ .*$/s, "")],
        ] as const)),
    ["from $ on", text.replace(/\$.*$/s, "")],
    ["$ and the name after it", text.replace(/\$(?:\w+|\{\w+\})/g, "")],
    // A shell takes one digit only, the name of an argument.
    ["$ and the name after it", text.replace(/\$(?:\d|[a-z_]\w*|\{\w+\})/gi, "")],
    // Those before special characters were kept here, not lost there.
    ["backslashes", /\\[^a-z0-9\\]/i.test(text) ? text : text.replace(/\\(.)/g, "$1")],
    ["\\n read as a line break", text.replaceAll("\\n", "\n")],
    // At the end it was kept here, not lost there.
    ["from ; on", text.replace(/;.+$/s, "")],
    ["from & on", text.replace(/&.*$/s, "")],
    ["from = on", text.replace(/=.*$/s, "")],
    // What looks like the name of a variable was kept here, not lost there.
    ["up to =", NAMED.test(text) ? text : text.replace(/^[^=]*=/, "")],
    ["= at the end", trimEndOf(text, "=")],
  ];
}

/** A secret as forms, addresses and pages encode it. */
function encodings(text: string): readonly [Cause, string | undefined][] {
  const there = (name: string) => cause("secret_encoded", `${name} on the signing side`);
  const here = (name: string) => cause("secret_encoded", `${name} on this side`);
  const html = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return [
    [there("percent-encoded"), converted(encodeURIComponent, text)],
    [there("percent-encoded"), new URLSearchParams([["", text]]).toString().slice(1)],
    [there("+ as a space"), text.replaceAll("+", " ")],
    [there("percent-decoded"), converted(decodeURIComponent, text)],
    [here("+ as a space"), text.replaceAll(" ", "+")],
    [there("as HTML"), html],
    [there("as HTML"), html.replaceAll('"', "&quot;")],
    [there("in base64, with a line break"), Buffer.from(`${text}\n`).toString("base64")],
  ];
}

/** What a program signs with if its secret is not set. */
function unset(): readonly Keying[] {
  const names = ["", "undefined", "null", "None", "$HOOKPORTER_SECRET"];
  return names.map((name) =>
    keyed([cause("secret_unset", name === "" ? "empty" : name)], Buffer.from(name)),
  );
}

/** The texts that decode to a key: in both alphabets, with and without padding. */
function base64Forms(key: Buffer): readonly string[] {
  const padded = key.toString("base64");
  const bare = key.toString("base64url");
  const unpadded = trimEndOf(padded, "=");
  return [...new Set([padded, bare, unpadded, bare + padded.slice(unpadded.length)])];
}

function afterPrefix(text: string): Uint8Array | undefined {
  return text.startsWith("whsec_") ? decoded(text.slice("whsec_".length), "base64") : undefined;
}

function decoded(text: string, encoding: "hex" | "base64"): Uint8Array | undefined {
  const wanted = encoding === "hex" ? /^(?:[0-9a-f]{2})+$/i : /^[\w+/-]+={0,2}$/;
  return wanted.test(text) ? Buffer.from(text, encoding) : undefined;
}

/** A keying with these bytes as its key. */
export function keyed(causes: readonly Cause[], key: Uint8Array): Keying {
  return {
    causes,
    digest: (algorithm, body) => createHmac(algorithm, key).update(body).digest("hex"),
  };
}

/** A digest without a key. */
export function hashed(detail: string, parts: (body: Uint8Array) => readonly Uint8Array[]): Keying {
  return {
    causes: [cause("digest_without_hmac", detail)],
    digest: (algorithm, body) => {
      const hash = createHash(algorithm);
      for (const part of parts(body)) hash.update(part);
      return hash.digest("hex");
    },
  };
}
