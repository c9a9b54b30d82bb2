import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { createContext, runInContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { verifySync } from "../../../src/entries/index.ts";
import { eventKinds, type VerifyOptions, verify } from "../../../src/entries/verify.ts";
import { readEnvelope } from "../../../src/event/read-envelope.ts";
import { sampleEvent } from "../../../src/event/sample.ts";
import { readSecrets } from "../../../src/signature/secrets.ts";
import { readVectors } from "../../signature/vectors.ts";

const SECRET = "a-secret-that-only-this-test-knows";
const options = { secret: SECRET };
/** The result of both functions, which must be the same. */
async function verified(
  body: Uint8Array | ArrayBuffer,
  headers: Parameters<typeof verify>[1],
  given = options as VerifyOptions,
) {
  const result = await verify(body, headers, given);
  expect(verifySync(body, headers, given)).toEqual(result);
  return result;
}
const sign = (body: string | Uint8Array, secret: string | Uint8Array = SECRET) =>
  `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
const bytes = (text: string) => new TextEncoder().encode(text);
const envelope = (parts: object = {}) =>
  JSON.stringify({ ...sampleEvent("payment.received"), ...parts });

/** What the receiver's own code makes of a body. */
function expected(body: Uint8Array) {
  const read = readEnvelope(body);
  if (!read.ok) return { ok: false, status: 400, ...read.rejection };
  const { event: kind, timestamp, data, webhook } = read.envelope;
  const event = { id: read.eventId, kind, timestamp, data, webhook, envelope: read.envelope };
  return { ok: true, status: 200, secret: "current", event };
}

it("what is written into the memory of the body meanwhile is neither verified nor taken for the event", async () => {
  const body = bytes(envelope({ data: { amount: 1 } }));
  const other = bytes(envelope({ data: { amount: 9 } }));
  const signature = sign(body);
  for (let turns = 0; turns < 12; turns++) {
    const memory = new Uint8Array(body);
    const verifying = verify(memory, signature, options);
    for (let turn = 0; turn < turns; turn++) await undefined;
    memory.set(other);
    expect(await verifying).toMatchObject({ ok: true, event: { data: { amount: 1 } } });
  }
});

describe("the signature", () => {
  it.each(readVectors())(
    "of $name is valid, and is not with another secret or body",
    async (vector) => {
      const { secret, body, signature } = vector;
      expect((await verified(body, signature, { secret })).status).not.toBe(401);
      const wrong = {
        ok: false,
        status: 401,
        reason: "signature_mismatch",
        message: expect.any(String),
      };
      expect(await verified(body, signature, { secret: `${secret}x` })).toEqual(wrong);
      expect(await verified(Buffer.concat([body, bytes(" ")]), signature, { secret })).toEqual(
        wrong,
      );
    },
  );

  it.each([
    [undefined, "signature_missing"],
    [null, "signature_missing"],
    ["", "signature_missing"],
    [{}, "signature_missing"],
    [{ "x-service-signature": ["sha256=00", "sha256=00"] }, "signature_malformed"],
    [
      new Headers([
        ["x-service-signature", "a"],
        ["x-service-signature", "b"],
      ]),
      "signature_malformed",
    ],
    [sign("{}").toUpperCase(), "signature_malformed"],
    [sign("{}").slice(7), "signature_malformed"],
    [` ${sign("{}")}`, "signature_malformed"],
    [`${sign("{}")}\n`, "signature_malformed"],
    [sign("{} "), "signature_mismatch"],
  ] as const)("%j is refused as %s", async (headers, reason) => {
    expect(await verified(bytes("{}"), headers)).toMatchObject({ ok: false, status: 401, reason });
  });

  it("is found in any kind of headers, under the name of the option", async () => {
    const body = envelope();
    const headers = { "X-Other": sign(body) };
    const other = { secret: SECRET, signatureHeader: "x-other" };
    for (const given of [headers, new Headers(headers), headers["X-Other"]])
      expect((await verified(bytes(body), given, other)).ok).toBe(true);
    expect((await verified(bytes(body), headers)).status).toBe(401);
  });

  it("is checked with any of several secrets, text or bytes, or what a function returns", async () => {
    const body = envelope();
    const old = new Uint8Array([0, 255, 1, 254, 2, 253, 3, 252, 4, 251, 5, 250, 6, 249, 7, 248]);
    const secret = [`${SECRET}\n`, old];
    for (const both of [{ secret }, { secret: () => secret }]) {
      expect(await verified(bytes(body), sign(body), both)).toMatchObject({
        ok: true,
        secret: "current",
      });
      expect(await verified(bytes(body), sign(body, old), both)).toMatchObject({
        ok: true,
        secret: "previous",
      });
    }
  });

  it.each([
    undefined,
    [],
    "",
    "  \n",
    new Uint8Array(),
    [SECRET, ""],
    [SECRET, undefined],
    () => "",
  ])("needs a secret: %j is refused, even if the delivery has no signature", async (secret) => {
    const refused = expect.objectContaining({
      code: expect.stringMatching(/^secret_(missing|empty)$/),
    });
    const given = { secret: secret as string };
    await expect(verify(bytes("{}"), {}, given)).rejects.toEqual(refused);
    expect(() => verifySync(bytes("{}"), {}, given)).toThrow(refused);
  });

  it.each(["{}", {}, undefined, null, [1]])("needs the raw bytes: %j is refused", async (body) => {
    const refused = expect.objectContaining({ code: "body_already_parsed" });
    await expect(verify(body as never, sign("{}"), options)).rejects.toEqual(refused);
    expect(() => verifySync(body as never, sign("{}"), options)).toThrow(refused);
  });

  it("never reads as valid without await, nor in a call of the old form", async () => {
    const body = bytes(envelope());
    const forgotten = verify(body, sign(body), options);
    // @ts-expect-error a promise has no result
    expect(forgotten.ok).toBeUndefined();
    const old = readSecrets(SECRET);
    // @ts-expect-error the secrets have a name
    await expect(verify(body, sign(body), old)).rejects.toMatchObject({ code: "secret_missing" });
    // @ts-expect-error without options
    await expect(verify(body, sign(body))).rejects.toThrow(TypeError);
    expect((await forgotten).ok).toBe(true);
  });
});

describe("the event", () => {
  it.each(eventKinds)("%s has the id that a receiver gives it", async (kind) => {
    const body = bytes(JSON.stringify(sampleEvent(kind)));
    expect(await verified(body.buffer, sign(body))).toEqual(expected(body));
  });

  it.each([
    "",
    "[]",
    "null",
    "{bad",
    "{}",
    '{"event":"a"}',
    envelope({ webhook: { id: "x", url: "" } }),
    envelope({ webhook: { id: "wh_1" } }),
    envelope({ data: [] }),
    envelope({ timestamp: "2026-02-30T00:00:00Z" }),
    envelope().replace('"data":', '"event":"x","data":'),
    envelope().replace('"data":{', '"data":{"__proto__":1,'),
    envelope({ data: JSON.parse(`${'{"a":'.repeat(99)}1${"}".repeat(99)}`) }),
    envelope({ id: "own" }),
    envelope({ id: "x".repeat(300) }),
    envelope({ id: "\ud800" }),
    envelope({ data: { n: 1 } }).replace('"n":1', '"n":1234567890123456789'),
    `\uFEFF${envelope()}`,
    ` \n${envelope()}`,
  ])("is read, or refused, as by a receiver: %s", async (text) => {
    const body = bytes(text);
    expect(await verified(body, sign(body))).toEqual(expected(body));
  });

  it("bytes that are not UTF-8 are refused as by a receiver", async () => {
    for (const body of [
      [0xff],
      [0xed, 0xa0, 0x80],
      [0xef, 0xbb, 0xbf, 0xef, 0xbb, 0xbf],
      [0xc0, 0xaf],
    ]) {
      const given = new Uint8Array(body);
      expect(await verified(given, sign(given))).toEqual(expected(given));
    }
  });

  it("is what a receiver makes of it, for any bytes", { timeout: 60_000 }, async () => {
    const near = fc
      .tuple(fc.jsonValue(), fc.option(fc.string({ unit: "binary" })), fc.nat(400), fc.nat(255))
      .map(([data, id, at, byte]) => {
        const body = Buffer.from(envelope({ data: { data }, ...(id !== null && { id }) }));
        if (at < body.byteLength && byte > 127) body[at] = byte;
        return body;
      });
    await fc.assert(
      fc.asyncProperty(near, async (body) => {
        expect(await verified(body, sign(body))).toEqual(expected(body));
      }),
      { numRuns: 300 },
    );
  });
});

it("the built file runs where nothing but web standards exist", async () => {
  const source = readFileSync(new URL("../../../dist/verify.js", import.meta.url), "utf8");
  // asked of Node only where the global ones are missing
  const others = source.replaceAll(/process\.getBuiltinModule\("node:\w+"\)/g, "");
  expect(others).not.toBe(source);
  expect(others).not.toMatch(/\b(?:import|require)\b\s*[("{']|\bBuffer\b|\bprocess\b|node:/);
  const script = `${source.replace(/export \{[\s\S]*\};?\s*$/, "")}\nverify;`;
  const web = createContext({ crypto, TextEncoder, TextDecoder, Headers });
  const check = runInContext(script, web) as typeof verify;
  const body = bytes(envelope());
  expect(await check(body, sign(body), options)).toMatchObject({ ok: true });
  expect(await check(body, sign(body), { secret: "another-secret-of-some-length" })).toMatchObject({
    status: 401,
  });
});
