import { createHmac, createSecretKey } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SIGNATURE_HEADER, sign } from "../../src/entries/index.ts";
import { readSecrets } from "../../src/signature/secrets.ts";
import { SIGNATURE_PREFIX } from "../../src/signature/signature-format.ts";
import { verify } from "../../src/signature/verify.ts";
import { readVectors } from "./vectors.ts";

const SECRET = "whsec_0123456789abcdef";
const OLD = "whsec_fedcba9876543210";
const BODY = Buffer.from('{"event":"payment.received","data":{"amount":850}}\n');
const GOOD = sign(BODY, SECRET);
const HEX = GOOD.slice("sha256=".length);
const secrets = readSecrets(SECRET);

describe("sign", () => {
  it("has vectors of three other programs to compare with", () => {
    const files = new Set(readVectors().map(({ name }) => name.split(" ")[0]));
    expect([...files].sort()).toEqual(["github.json", "openssl.json", "python.json"]);
  });

  it.each(readVectors())("agrees with $name, and so does verify", ({ secret, body, signature }) => {
    expect(sign(body, secret)).toBe(signature);
    expect(verify(body, signature, readSecrets(secret))).toMatchObject({ ok: true });
  });

  it("accepts the secret as a string, bytes or a key, and signs only what a view covers", () => {
    const secret = "clé secrète à rallonge €";
    const body = Buffer.from("body");
    const bytes = Buffer.from(secret, "utf8");
    expect(sign(body, bytes)).toBe(sign(body, secret));
    expect(sign(body, createSecretKey(bytes))).toBe(sign(body, secret));
    expect(sign(Buffer.from("..body..").subarray(2, 6), "k")).toBe(sign(body, "k"));
  });

  it("uses the header and prefix of the service description", () => {
    expect([SIGNATURE_HEADER, SIGNATURE_PREFIX]).toEqual(["x-service-signature", "sha256="]);
  });
});

it("[case 9] verify accepts either secret of a list during a rotation, and returns which", () => {
  const role = (header: string, list: readonly string[]) => {
    const verified = verify(BODY, header, readSecrets(list));
    return verified.ok && verified.secret.role;
  };
  expect(role(GOOD, [SECRET, OLD])).toBe("current");
  expect(role(sign(BODY, OLD), [SECRET, OLD])).toBe("previous");
  expect(role(GOOD, [SECRET, SECRET])).toBe("current");
});

it("[case 1] verify refuses a blank header, or none, as missing", () => {
  for (const header of [undefined, "", "   ", "\t\t", [], null as never])
    expect(verify(BODY, header, secrets)).toEqual({ ok: false, reason: "signature_missing" });
});

it("[case 2 to 7, 12, 14] verify refuses any other form as malformed", () => {
  const prefixes = ["", "SHA256=", "Sha256=", "sha1=", "sha256:", "sha256==", "sha256=sha256="];
  const digits = ["c4faf8", "", HEX.slice(1), `${HEX}0`, `${HEX}${HEX}`, HEX.toUpperCase()];
  const oneUpper = HEX.replace(/[a-f]/, (digit) => digit.toUpperCase());
  const inside = [`${HEX.slice(0, 30)} ${HEX.slice(30)}`, `${HEX.slice(0, 30)} ${HEX.slice(31)}`];
  const junk = [`${HEX}zz`, `${HEX.slice(0, -2)}zz`, `${HEX}\u0000`, "a".repeat(16_384)];
  const letters = ["é".repeat(64), "é".repeat(32), "０".repeat(64)];
  const around = [` ${GOOD}`, `${GOOD} `, `${GOOD}\n`, `\n${GOOD}`, `x\n${GOOD}\nx`, `v1,${GOOD}`];
  const several = [`${GOOD}, ${GOOD}`, `${GOOD},${GOOD}`, [GOOD], [GOOD, GOOD]];
  const all = [...digits, oneUpper, ...inside, ...junk, ...letters, ` ${HEX}`];
  for (const header of [
    ...prefixes.map((prefix) => prefix + HEX),
    ...all.map((hex) => `sha256=${hex}`),
    ...around,
    ...several,
  ])
    expect([header, verify(BODY, header, secrets)]).toEqual([
      header,
      { ok: false, reason: "signature_malformed" },
    ]);
});

it("[case 8 to 11, 22, 23, 25] verify refuses other bytes and other keys as not matching", () => {
  const bad = Buffer.from([0x22, 0xff, 0x22]);
  for (const [body, header, known = secrets] of [
    [BODY, sign(BODY, OLD)],
    [Buffer.alloc(0), GOOD],
    [BODY, sign(Buffer.alloc(0), SECRET)],
    [Buffer.from(JSON.stringify(JSON.parse(BODY.toString()))), GOOD],
    [Buffer.from(BODY.toString().replace("\n", "\r\n")), GOOD],
    [Buffer.from(JSON.stringify({ signature: GOOD })), GOOD],
    [Buffer.concat([Buffer.from("\ufeff"), BODY]), GOOD],
    [BODY, `sha256=${"0".repeat(64)}`],
    [BODY, `sha256=${createHmac("sha256", "").update(BODY).digest("hex")}`],
    [Buffer.from(bad.toString("utf8")), sign(bad, SECRET)], // which decode to the same text
    [BODY, GOOD, []],
  ] as const)
    expect(verify(body, header, known)).toEqual({ ok: false, reason: "signature_mismatch" });
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
