import { createHash, createHmac } from "node:crypto";
import type { Secret } from "../secrets.ts";
import { cause } from "./causes.ts";
import type { Algorithm } from "./digest-form.ts";
import { damagedKeys } from "./key-damage.ts";
import { hashed, type Keying, keyed, type NamedSecret } from "./keyings.ts";

const HASHES = ["sha256", "md5", "sha1", "sha512", "sha384"] as const;

/** How a program may write bytes before it goes on with them. */
const PRINTS: readonly ((bytes: Buffer) => Uint8Array)[] = [
  (bytes) => bytes,
  (bytes) => Buffer.from(bytes.toString("hex")),
  (bytes) => Buffer.from(bytes.toString("hex").toUpperCase()),
  (bytes) => Buffer.from(bytes.toString("base64")),
  (bytes) => Buffer.from(bytes.toString("base64url")),
  (bytes) => Buffer.from(`sha256=${bytes.toString("hex")}`),
];

const SEPARATORS = ["", ".", ":", "|", "\n", "&", "-", "_", " "];

/**
 * The secrets after everyday damage, and digests that were made in rarer ways. Tried with the body
 * as it is, since they are many.
 */
export function rareKeyings(
  secrets: readonly Pick<Secret, "key">[],
  others: readonly NamedSecret[],
): readonly Keying[] {
  const keys = secrets.map(({ key }) => key.export());
  const damaged = keys.flatMap((key) => {
    const text = key.toString("utf8");
    return Buffer.from(text).equals(key) ? damagedKeys(text) : [];
  });
  // What was written elsewhere comes last: what was done to it is named if it can be.
  const written = others.flatMap(({ name, secret, why }) =>
    why === undefined ? [] : [{ causes: [cause(why, name)], key: secret.key.export() }],
  );
  const seen = new Set(keys.map((key) => key.toString("latin1")));
  const keyings = [...damaged, ...written].flatMap(({ causes, key: made }) => {
    const bytes = Buffer.from(made as string);
    const name = bytes.toString("latin1");
    if (bytes.byteLength === 0 || seen.has(name)) return [];
    seen.add(name);
    return [keyed(causes, bytes)];
  });
  return [...keyings, ...keys.flatMap(madeOtherwise)];
}

function madeOtherwise(key: Buffer): readonly Keying[] {
  return [...hashedKeys(key), ...hashedBodies(key), ...twice(key), ...plainHashes(key)];
}

function hashedKeys(key: Buffer): readonly Keying[] {
  return HASHES.flatMap((name) => {
    const lines = [key, Buffer.concat([key, Buffer.from("\n")])];
    const digests = lines.map((line) => createHash(name).update(line).digest());
    return digests.flatMap((digest) =>
      [
        ...PRINTS.slice(0, -1).map((print) => print(digest)),
        // As long as a key of AES.
        Buffer.from(digest.toString("hex").slice(0, 32)),
        digest.subarray(0, 16),
      ].map((made) => keyed([cause("secret_hashed", name)], made)),
    );
  });
}

function hashedBodies(key: Buffer): readonly Keying[] {
  return HASHES.flatMap((name) =>
    PRINTS.map((print) => ({
      causes: [cause("body_hashed", name)],
      digest: (algorithm: Algorithm, body: Uint8Array) =>
        createHmac(algorithm, key)
          .update(print(createHash(name).update(body).digest()))
          .digest("hex"),
    })),
  );
}

/** The HMAC of the HMAC, or a hash of it. */
function twice(key: Buffer): readonly Keying[] {
  const made = (detail: string, again: (algorithm: Algorithm, inner: Uint8Array) => string) =>
    PRINTS.map((print) => ({
      causes: [cause("digest_hashed", detail)],
      digest: (algorithm: Algorithm, body: Uint8Array) =>
        again(algorithm, print(createHmac(algorithm, key).update(body).digest())),
    }));
  return [
    ...made("signed twice", (algorithm, inner) =>
      createHmac(algorithm, key).update(inner).digest("hex"),
    ),
    ...made("hashed once more", (algorithm, inner) =>
      createHash(algorithm).update(inner).digest("hex"),
    ),
    ...HASHES.flatMap((name) =>
      made(`hashed with ${name}, and signed again`, (algorithm, inner) =>
        createHmac(algorithm, key)
          .update(createHash(name).update(inner).digest("hex"))
          .digest("hex"),
      ),
    ),
  ];
}

/** Hashes of secret and body with something between them, or of a hash of either. */
function plainHashes(key: Buffer): readonly Keying[] {
  const separated = SEPARATORS.flatMap((text) => {
    const between = Buffer.from(text);
    return [
      hashed("over secret and body", (body) => [key, between, body]),
      hashed("over body and secret", (body) => [body, between, key]),
      hashed("over secret, body and secret", (body) => [key, between, body, between, key]),
    ];
  });
  const inner = HASHES.flatMap((name) =>
    PRINTS.slice(0, 2).flatMap((print) => {
      const of = (bytes: Uint8Array) => print(createHash(name).update(bytes).digest());
      return [
        hashed("over a hash of the body alone", (body) => [of(body)]),
        hashed("over secret and a hash of the body", (body) => [key, of(body)]),
        hashed("over a hash of the body and secret", (body) => [of(body), key]),
        hashed("over a hash of the secret and body", (body) => [of(key), body]),
      ];
    }),
  );
  return [...separated, ...inner];
}
