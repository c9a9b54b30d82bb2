import { createHash, createHmac } from "node:crypto";
import type { Secret } from "../secrets.ts";
import type { Algorithm } from "./algorithm.ts";
import { type Cause, cause } from "./causes.ts";

/** A secret that is set elsewhere, and what to call it, such as the name of its variable. */
export interface NamedSecret {
  readonly name: string;
  readonly secret: Secret;
}

/** One way a digest may have been keyed. */
export interface Keying {
  readonly causes: readonly Cause[];
  readonly digest: (algorithm: Algorithm, body: Uint8Array) => string;
}

/** More secrets than these are not looked at, so that the search stays bounded. */
const MOST_SECRETS = 4;
const MOST_OTHERS = 16;

/** The secrets as they are, those set elsewhere included. */
export function plainKeyings(secrets: readonly Secret[], others: readonly NamedSecret[]): readonly Keying[] {
  const own = secrets.slice(0, MOST_SECRETS).map(({ key }) => keyed([], key.export()));
  const named = others.slice(0, MOST_OTHERS).map(({ name, secret }) => {
    return keyed([cause("secret_other", name)], secret.key.export());
  });
  return [...own, ...named];
}

/** The secrets as somebody may have taken them by mistake. */
export function mistakenKeyings(secrets: readonly Secret[]): readonly Keying[] {
  const own = secrets.slice(0, MOST_SECRETS).flatMap(({ key }) => mistakesOf(key.export()));
  return [...own, ...unset(), hashed("of the body alone", (body) => [body])];
}

function mistakesOf(key: Buffer): readonly Keying[] {
  const text = key.toString("utf8");
  const isText = Buffer.from(text, "utf8").equals(key);
  const variants: [Cause, Uint8Array | string | undefined][] = [
    [cause("secret_quotes", "double quotes where it was signed"), `"${text}"`],
    [cause("secret_quotes", "single quotes where it was signed"), `'${text}'`],
    [cause("secret_quotes", "quotes here"), /^(["'`])(.+)\1$/s.exec(text)?.[2]],
    [cause("secret_whitespace", "a line break where it was signed"), `${text}\n`],
    [cause("secret_whitespace", "a line break where it was signed"), `${text}\r\n`],
    [cause("secret_whitespace", "a space where it was signed"), `${text} `],
    [cause("secret_whitespace", "a space where it was signed"), ` ${text}`],
    [cause("secret_whitespace", "spaces here"), text.trim()],
    [cause("secret_hex", "decoded where it was signed"), decoded(text, "hex")],
    [cause("secret_hex", "decoded here"), key.toString("hex")],
    [cause("secret_hex", "decoded here"), key.toString("hex").toUpperCase()],
    [cause("secret_base64", "decoded where it was signed"), decoded(text, "base64")],
    [cause("secret_base64", "decoded here"), key.toString("base64")],
    [cause("secret_base64", "decoded here"), key.toString("base64url")],
  ];
  const keyings = variants.flatMap(([why, variant]) => {
    if (variant === undefined || variant.length === 0) return [];
    if (typeof variant === "string" && !isText && why.code !== "secret_hex" && why.code !== "secret_base64")
      return [];
    const bytes = Buffer.from(variant as string);
    return bytes.equals(key) ? [] : [keyed([why], bytes)];
  });
  return [
    ...keyings,
    hashed("of the secret and the body", (body) => [key, body]),
    hashed("of the body and the secret", (body) => [body, key]),
  ];
}

/** What a program signs with when nobody told it the secret. */
function unset(): readonly Keying[] {
  const names = ["", "undefined", "null", "None", "$HOOKPORTER_SECRET"];
  return names.map((name) => keyed([cause("secret_unset", name === "" ? "empty" : name)], Buffer.from(name)));
}

function decoded(text: string, encoding: "hex" | "base64"): Uint8Array | undefined {
  const wanted = encoding === "hex" ? /^(?:[0-9a-f]{2})+$/i : /^[\w+/-]+={0,2}$/;
  return wanted.test(text) ? Buffer.from(text, encoding) : undefined;
}

function keyed(causes: readonly Cause[], key: Uint8Array): Keying {
  return {
    causes,
    digest: (algorithm, body) => createHmac(algorithm, key).update(body).digest("hex"),
  };
}

function hashed(detail: string, parts: (body: Uint8Array) => readonly Uint8Array[]): Keying {
  return {
    causes: [cause("digest_without_hmac", detail)],
    digest: (algorithm, body) => {
      const hash = createHash(algorithm);
      for (const part of parts(body)) hash.update(part);
      return hash.digest("hex");
    },
  };
}
