import { createHmac } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sign } from "../../src/entries/index.ts";
import { readSecrets } from "../../src/signature/secrets.ts";
import { verify } from "../../src/signature/verify.ts";
import { readVectors } from "./vectors.ts";

const SECRET = "whsec_0123456789abcdef";
const OLD = "whsec_fedcba9876543210";
const BODY = Buffer.from('{"event":"payment.received","data":{"amount":850}}\n');
const GOOD = sign(BODY, SECRET);
const HEX = GOOD.slice("sha256=".length);
const secrets = readSecrets(SECRET);

describe("verify accepts", () => {
  it.each(readVectors())("the signature of $name", ({ secret, body, signature }) => {
    expect(verify(body, signature, readSecrets(secret))).toMatchObject({ ok: true });
  });

  it("[case 11] the signature of an empty body", () => {
    expect(verify(new Uint8Array(), sign(new Uint8Array(), SECRET), secrets)).toMatchObject({
      ok: true,
    });
  });

  it.each([
    [SECRET, "current"],
    [OLD, "previous"],
  ] as const)(
    "[case 9] either secret of a list during a rotation, and returns which",
    (signer, role) => {
      const rotating = readSecrets([SECRET, OLD]);
      expect(verify(BODY, sign(BODY, signer), rotating)).toMatchObject({
        ok: true,
        secret: { role },
      });
    },
  );

  it("the first of two equal secrets", () => {
    expect(verify(BODY, GOOD, readSecrets([SECRET, SECRET]))).toMatchObject({
      secret: { role: "current" },
    });
  });
});

describe("verify refuses as missing", () => {
  it.each([
    ["no header", undefined],
    ["an empty header", ""],
    ["only spaces", "   "],
    ["only tabs", "\t\t"],
    ["no values", []],
    ["null, from plain JavaScript", null as never],
  ])("[case 1] %s", (_, header) => {
    expect(verify(BODY, header, secrets)).toEqual({ ok: false, reason: "signature_missing" });
  });
});

describe("verify refuses as malformed", () => {
  it.each([
    ["[case 2] bare hex", HEX],
    ["[case 2] an upper-case prefix", `SHA256=${HEX}`],
    ["[case 2] a mixed-case prefix", `Sha256=${HEX}`],
    ["[case 2] sha1", `sha1=${HEX.slice(0, 40)}`],
    ["[case 2] sha512", `sha512=${HEX}${HEX}`],
    ["[case 2] a colon", `sha256:${HEX}`],
    ["[case 2] a double equals sign", `sha256==${HEX}`],
    ["[case 2] base64", `sha256=${Buffer.from(HEX, "hex").toString("base64")}`],
    ["[case 2] a version prefix", `v1,${GOOD}`],
    ["[case 3] a double prefix", `sha256=${GOOD}`],
    ["[case 3] a truncated digest", "sha256=c4faf8"],
    ["[case 3] no digest", "sha256="],
    ["[case 3] 63 digits", GOOD.slice(0, -1)],
    ["[case 3] 65 digits", `${GOOD}0`],
    ["[case 3] 128 digits", `${GOOD}${HEX}`],
    ["[case 3] an inner space", `${GOOD.slice(0, 30)} ${GOOD.slice(30)}`],
    ["[case 3] a space for a digit", `${GOOD.slice(0, 30)} ${GOOD.slice(31)}`],
    ["[case 3] a space after the prefix", `sha256= ${HEX}`],
    ["[case 3] a space before", ` ${GOOD}`],
    ["[case 3] a space after", `${GOOD} `],
    ["[case 3] a newline after", `${GOOD}\n`],
    ["[case 3] a newline before", `\n${GOOD}`],
    ["[case 3] a good line among others", `x\n${GOOD}\nx`],
    ["[case 4] junk after the digits", `${GOOD}zz`],
    ["[case 4] junk for the last digits", `${GOOD.slice(0, -2)}zz`],
    ["[case 4] a NUL after", `${GOOD}\u0000`],
    ["[case 5] upper-case hex", `sha256=${HEX.toUpperCase()}`],
    [
      "[case 5] one upper-case digit",
      `sha256=${HEX.replace(/[a-f]/, (digit) => digit.toUpperCase())}`,
    ],
    ["[case 6] two values joined", `${GOOD}, ${GOOD}`],
    ["[case 6] a bad and a good value joined", `sha256=${"0".repeat(64)}, ${GOOD}`],
    ["[case 6] two values joined without space", `${GOOD},${GOOD}`],
    ["[case 14] 64 letters outside ASCII", `sha256=${"é".repeat(64)}`],
    ["[case 14] 32 letters of two bytes", `sha256=${"é".repeat(32)}`],
    ["[case 14] full-width digits", `sha256=${"０".repeat(64)}`],
    ["[case 12] 16 kB", `sha256=${"a".repeat(16_384)}`],
  ])("%s", (_, header) => {
    expect(verify(BODY, header, secrets)).toEqual({ ok: false, reason: "signature_malformed" });
  });

  it("[case 7] an array, even of only the right value", () => {
    expect(verify(BODY, [GOOD], secrets)).toEqual({ ok: false, reason: "signature_malformed" });
    expect(verify(BODY, [GOOD, GOOD], secrets)).toEqual({
      ok: false,
      reason: "signature_malformed",
    });
  });
});

describe("verify refuses as not matching", () => {
  it.each([
    ["[case 9] a rotated-out secret", BODY, sign(BODY, OLD)],
    ["[case 11] an empty body under another's signature", Buffer.alloc(0), GOOD],
    ["[case 11] the signature of an empty body", BODY, sign(Buffer.alloc(0), SECRET)],
    [
      "[case 10] re-serialised JSON",
      Buffer.from(JSON.stringify(JSON.parse(BODY.toString()))),
      GOOD,
    ],
    ["[case 10] other line ends", Buffer.from(BODY.toString().replace("\n", "\r\n")), GOOD],
    [
      "[case 8] the signature inside the body",
      Buffer.from(JSON.stringify({ signature: GOOD })),
      GOOD,
    ],
    ["[case 23] a byte order mark added", Buffer.concat([Buffer.from("\ufeff"), BODY]), GOOD],
    ["a plain digest without key", BODY, `sha256=${"0".repeat(64)}`],
    [
      "[case 22] an empty key's digest",
      BODY,
      `sha256=${createHmac("sha256", "").update(BODY).digest("hex")}`,
    ],
  ])("%s", (_, body, header) => {
    expect(verify(body, header, secrets)).toEqual({ ok: false, reason: "signature_mismatch" });
  });

  it("[case 25] bytes that decode to the same text", () => {
    const bad = Buffer.from([0x22, 0xff, 0x22]);
    const replaced = Buffer.from(bad.toString("utf8"));
    expect(verify(replaced, sign(bad, SECRET), secrets)).toMatchObject({ ok: false });
  });

  it("anything if there is no secret", () => {
    expect(verify(BODY, GOOD, [])).toEqual({ ok: false, reason: "signature_mismatch" });
  });
});

describe("verify for any input", () => {
  const body = fc.uint8Array({ maxLength: 200 });

  it("accepts exactly the digest of the body", () => {
    fc.assert(
      fc.property(body, (bytes) => {
        expect(verify(bytes, sign(bytes, SECRET), secrets).ok).toBe(true);
      }),
    );
  });

  it("[case 11] refuses the signature with any one bit of it flipped", () => {
    fc.assert(
      fc.property(body, fc.nat(255), (bytes, bit) => {
        const digest = Buffer.from(sign(bytes, SECRET).slice(7), "hex");
        expect(verify(bytes, `sha256=${flipped(digest, bit).toString("hex")}`, secrets).ok).toBe(
          false,
        );
      }),
    );
  });

  it("[case 11] refuses the body with any one bit of it flipped", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 200 }), fc.nat(), (bytes, at) => {
        const header = sign(bytes, SECRET);
        expect(verify(flipped(bytes, at % (bytes.length * 8)), header, secrets).ok).toBe(false);
      }),
    );
  });

  it("[case 13] never throws and never accepts a random header", () => {
    const digest = fc
      .uint8Array({ minLength: 32, maxLength: 32 })
      .map((bytes) => Buffer.from(bytes).toString("hex"));
    const header = fc.oneof(
      fc.string({ unit: "binary" }),
      digest.map((hex) => `sha256=${hex}`),
      digest,
      fc.array(digest),
    );
    fc.assert(
      fc.property(header, (value) => {
        expect(verify(BODY, value, secrets).ok).toBe(false);
      }),
      { numRuns: 500 },
    );
  });
});

function flipped(bytes: Uint8Array, bit: number): Buffer {
  const copy = Buffer.from(bytes);
  const at = bit >> 3;
  copy[at] = (copy[at] ?? 0) ^ (1 << (bit & 7));
  return copy;
}
