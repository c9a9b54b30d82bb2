import { cause } from "./causes.ts";
import { ALGORITHMS, type DigestForm } from "./digest-form.ts";
import { bytesOfDump } from "./dumps.ts";
import { fromBase32 } from "./key-damage.ts";

const SEPARATED = /^(?:0x)?[0-9a-f]{2}(?:([:\- ,]|, ?0x|\\x)[0-9a-f]{2})+$/i;

/** What has the usual form, perhaps among other text. */
const HEX = /[0-9a-f]{64}/i;

/** Digests that are printed byte by byte, or by a function that prints something else than hex. */
export function oddForms(digest: string): readonly DigestForm[] {
  const usual = [
    ...separated(digest),
    ...quoted(digest),
    ...signedBytes(digest),
    ...hexTwice(digest),
  ];
  return usual.length > 0 ? usual : [...asNumbers(digest), ...inBase32(digest)];
}

/** As languages print a list of bytes or a buffer, or the digest as one decimal number. */
function asNumbers(digest: string): readonly DigestForm[] {
  const hex = /^\d{65,78}$/.test(digest)
    ? BigInt(digest).toString(16).padStart(ALGORITHMS.sha256, "0")
    : Buffer.from((HEX.test(digest) ? undefined : bytesOfDump(digest)) ?? []).toString("hex");
  if (hex.length !== ALGORITHMS.sha256) return [];
  return [{ algorithm: "sha256", hex, causes: [cause("digest_separated", "as numbers")] }];
}

function inBase32(digest: string): readonly DigestForm[] {
  const hex = /^[A-Z2-7]{52}(?:={4})?$/i.test(digest)
    ? Buffer.from(fromBase32(digest) ?? []).toString("hex")
    : "";
  if (hex.length !== ALGORITHMS.sha256) return [];
  return [{ algorithm: "sha256", hex, causes: [cause("digest_separated", "in base32")] }];
}

/** As `openssl dgst -c` and `BitConverter.ToString` of .NET print it, or as a number with `0x`. */
function separated(digest: string): readonly DigestForm[] {
  const hex = digest.replace(/0x|\\x|[^0-9a-f]/gi, "");
  const whole = /^(?:0x|\\x)[0-9a-f]+$/i.test(digest);
  if (!(whole || SEPARATED.test(digest)) || hex.length !== ALGORITHMS.sha256) return [];
  // `BitConverter` has upper case and dashes: one habit, one cause.
  return [{ algorithm: "sha256", hex: hex.toLowerCase(), causes: [cause("digest_separated")] }];
}

/** Bytes shown as Python shows them: `b'…'`. */
function quoted(digest: string): readonly DigestForm[] {
  const inside = /^b(["'])([\w+/=]+)\1$/.exec(digest)?.[2];
  if (inside === undefined) return [];
  const causes = [cause("header_extra_text", "as Python shows bytes")];
  if (/^[0-9a-f]{64}$/.test(inside)) return [{ algorithm: "sha256", hex: inside, causes }];
  const hex = Buffer.from(inside, "base64").toString("hex");
  if (hex.length !== ALGORITHMS.sha256) return [];
  return [{ algorithm: "sha256", hex, causes: [cause("digest_base64"), ...causes] }];
}

/**
 * As `Integer.toHexString` of Java prints a byte that is not masked: negative ones with eight
 * digits.
 */
function signedBytes(digest: string): readonly DigestForm[] {
  if (
    !/^[0-9a-f]+$/i.test(digest) ||
    !/ffffff/i.test(digest) ||
    digest.length > 4 * ALGORITHMS.sha256
  )
    return [];
  const hex = digest.toLowerCase();
  const extend = (short: boolean) => (printed: string) =>
    printed.replace(/../g, (pair) => {
      if (Number.parseInt(pair, 16) >= 0x80) return `ffffff${pair}`;
      return short ? pair.replace(/^0/, "") : pair;
    });
  return [true, false].map((short) => ({
    algorithm: "sha256" as const,
    hex,
    print: extend(short),
    causes: [cause("digest_signed_bytes")],
  }));
}

function hexTwice(digest: string): readonly DigestForm[] {
  if (!/^(?:3[0-9]|6[1-6]){64}$/.test(digest)) return [];
  const hex = Buffer.from(digest, "hex").toString("latin1");
  return [{ algorithm: "sha256", hex, causes: [cause("digest_hex_twice")] }];
}
