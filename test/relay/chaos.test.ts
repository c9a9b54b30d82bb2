import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sign } from "../../src/entries/index.ts";
import { type DisturbOptions, disturb, type Sendable, TAMPERINGS } from "../../src/relay/chaos.ts";
import { seededRandom } from "../../src/relay/random.ts";
import { readSecrets } from "../../src/signature/secrets.ts";
import { verify } from "../../src/signature/verify.ts";
import { SECRET } from "./sample.ts";

const header = "x-service-signature";
const secrets = readSecrets(SECRET);
const sendings = (bodies: readonly Uint8Array[]) =>
  bodies.map((body, at) => ({
    item: { label: `n${at}`, headers: { "x-other": "kept", [header]: sign(body, SECRET) }, body },
    at,
  }));
const anyBodies = fc.array(fc.uint8Array({ maxLength: 30 }), { maxLength: 20 });
const reasonOf = ({ headers, body }: Sendable) => {
  const result = verify(body, headers[header] as string | undefined, secrets);
  return result.ok ? null : result.reason;
};

describe("disturb", () => {
  it("leaves everything unchanged by default", () => {
    const given = sendings([Buffer.from("{}")]);
    expect(disturb(given, { header }, seededRandom(1))).toEqual(
      given.map((one) => ({ ...one, chaos: null })),
    );
  });

  it.each<[Partial<DisturbOptions>, string]>([
    [{ tamper: "signature" }, "signature_mismatch"],
    [{ tamper: "body" }, "signature_mismatch"],
    [{ tamper: "header" }, "signature_malformed"],
    [{ noSignature: true }, "signature_missing"],
  ])("with %j the receiver answers %s to every delivery, for any seed", (options, reason) => {
    fc.assert(
      fc.property(anyBodies, fc.nat(), (bodies, seed) => {
        const disturbed = disturb(sendings(bodies), { ...options, header }, seededRandom(seed));
        expect(disturbed.map(({ item }) => reasonOf(item))).toEqual(bodies.map(() => reason));
        for (const { item, chaos } of disturbed) {
          expect(item.headers["x-other"]).toBe("kept");
          expect(chaos).toBe(options.tamper ?? "no_signature");
        }
      }),
    );
  });

  it("repeats itself for the same seed, and does not change its input", () => {
    fc.assert(
      fc.property(anyBodies, fc.constantFrom(...TAMPERINGS), fc.nat(), (bodies, tamper, seed) => {
        const given = sendings(bodies.map((body) => Buffer.from(body)));
        const options = { drop: 0.5, tamper, header };
        const once = disturb(given, options, seededRandom(seed));
        expect(disturb(given, options, seededRandom(seed))).toEqual(once);
        expect(given).toEqual(sendings(bodies.map((body) => Buffer.from(body))));
      }),
    );
  });

  it("drops the given share, and the same deliveries whatever the other options", () => {
    const given = sendings(Array.from({ length: 2000 }, () => Buffer.from("x")));
    const lost = (options: Partial<DisturbOptions>) =>
      disturb(given, { drop: 0.1, ...options, header }, seededRandom(7)).map(
        ({ chaos }) => chaos === "drop",
      );
    const count = lost({}).filter(Boolean).length;
    expect(Math.abs(count - 200)).toBeLessThan(50);
    expect(lost({ tamper: "body" })).toEqual(lost({}));
    expect(lost({ drop: 0 })).not.toContain(true);
    expect(lost({ drop: 1 })).not.toContain(false);
  });

  /**
   * A delivery before and after it is tampered with; `draw` takes the place of each random number.
   */
  function tampered(
    tamper: (typeof TAMPERINGS)[number],
    draw: number,
    item: Partial<Sendable> = {},
  ) {
    const [given] = sendings([Buffer.from("body")]);
    const own = {
      at: 0,
      item: { label: "n", body: Buffer.from("body"), ...given?.item, ...item } as Sendable,
    };
    const [disturbed] = disturb([own], { tamper, header }, () => draw);
    return { before: own.item, after: disturbed?.item };
  }

  it("breaks the header's format by case, prefix, length or encoding", () => {
    const digest = sign(Buffer.from("body"), SECRET).slice("sha256=".length);
    const forms = [0, 1, 2, 3, 4, 5].map(
      (at) => tampered("header", at / 6 + 0.01).after?.headers[header],
    );
    expect(forms).toEqual([
      `SHA256=${digest.toUpperCase()}`,
      digest,
      `sha256=sha256=${digest}`,
      `sha256=${digest.slice(0, -1)}`,
      `sha256:${digest}`,
      `sha256=${Buffer.from(digest, "hex").toString("base64")}`,
    ]);
  });

  it("changes the first digit of a signature alone, to any other", () => {
    const digits = new Set<string>();
    for (let draw = 0; draw < 1; draw += 1 / 960) {
      const { before, after } = tampered("signature", draw);
      const [was, is] = [before, after].map((sendable) => String(sendable?.headers[header]));
      expect(is).toMatch(/^sha256=[0-9a-f]{64}$/);
      expect(is?.slice(8)).toBe(was?.slice(8));
      expect(is).not.toBe(was);
      digits.add(is?.[7] ?? "");
    }
    expect(digits.size).toBe(15);
  });

  it.each([
    [0, "cody"],
    [0.3, "bndy"],
    [0.99, "bodx"],
  ])("changes one bit of the body, at the place of %d", (draw, body) => {
    const { before, after } = tampered("body", draw);
    expect(String(after?.body)).toBe(body);
    expect(String(before.body)).toBe("body");
    expect(String(tampered("body", draw, { body: Buffer.alloc(0) }).after?.body)).toBe(" ");
  });

  it("tampers with the first of several signatures, and omits the header whatever its case", () => {
    const signature = sign(Buffer.from("body"), SECRET);
    const { after } = tampered("header", 0.2, { headers: { [header]: [signature, "other"] } });
    expect(after?.headers[header]).toBe(signature.slice("sha256=".length));
    const item = {
      label: "n",
      headers: { "X-Service-Signature": signature, "x-other": "kept" },
      body: Buffer.from(""),
    };
    const [omitted] = disturb([{ item, at: 0 }], { noSignature: true, header }, () => 0.5);
    expect(omitted?.item.headers).toEqual({ "x-other": "kept" });
  });

  it.each([{}, { [header]: "sha256=" }, { [header]: "sha1=00" }, { [header]: [] }])(
    "says of headers %j which signature it expected to tamper with",
    (headers) => {
      expect(() => tampered("signature", 0, { headers })).toThrow(
        expect.objectContaining({
          code: "fixture_invalid",
          message: expect.stringMatching(
            /^n0: expected a header x-service-signature that begins with sha256= to tamper with/,
          ),
        }),
      );
    },
  );
});
