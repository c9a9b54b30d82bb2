import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { createContext, runInContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createVerifier, eventKinds } from "../../src/entries/verify.ts";
import { readEnvelope } from "../../src/event/read-envelope.ts";
import { sampleEvent } from "../../src/event/sample.ts";
import { readVectors } from "../signature/vectors.ts";

const SECRET = "a-secret-that-only-this-test-knows";
const verifier = createVerifier({ secret: SECRET });
const sign = (body: string | Uint8Array, secret: string | Uint8Array = SECRET) =>
  `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
const bytes = (text: string) => new TextEncoder().encode(text);
const envelope = (parts: object = {}) => JSON.stringify({ ...sampleEvent("payment.received"), ...parts });

/** What the receiver's own code makes of a body. */
function expected(body: Uint8Array) {
  const read = readEnvelope(body);
  if (!read.ok) return { ok: false, status: 400, ...read.rejection };
  const { event: kind, timestamp, data, webhook } = read.envelope;
  const event = { id: read.eventId, kind, timestamp, data, webhook, envelope: read.envelope };
  return { ok: true, status: 200, secret: "current", event };
}

describe("the signature", () => {
  it.each(readVectors())("of $name is valid, and is not with another secret or body", async (vector) => {
    const { secret, body, signature } = vector;
    expect((await createVerifier({ secret }).verify(body, signature)).status).not.toBe(401);
    const wrong = { ok: false, status: 401, reason: "signature_mismatch", message: expect.any(String) };
    expect(await createVerifier({ secret: `${secret}x` }).verify(body, signature)).toEqual(wrong);
    expect(await createVerifier({ secret }).verify(Buffer.concat([body, bytes(" ")]), signature)).toEqual(
      wrong,
    );
  });

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
    expect(await verifier.verify(bytes("{}"), headers)).toMatchObject({ ok: false, status: 401, reason });
  });

  it("is found in any kind of headers, under the name of the option", async () => {
    const body = envelope();
    const headers = { "X-Other": sign(body) };
    const other = createVerifier({ secret: SECRET, signatureHeader: "x-other" });
    for (const given of [headers, new Headers(headers), headers["X-Other"]])
      expect((await other.verify(bytes(body), given)).ok).toBe(true);
    expect((await verifier.verify(bytes(body), headers)).status).toBe(401);
  });

  it("may be made with any of several secrets, text or bytes", async () => {
    const body = envelope();
    const old = new Uint8Array([0, 255, 1, 254, 2, 253, 3, 252, 4, 251, 5, 250, 6, 249, 7, 248]);
    const both = createVerifier({ secret: [`${SECRET}\n`, old] });
    expect(await both.verify(bytes(body), sign(body))).toMatchObject({ ok: true, secret: "current" });
    expect(await both.verify(bytes(body), sign(body, old))).toMatchObject({ ok: true, secret: "previous" });
    const before = sign(body, old);
    old.fill(0);
    expect(await both.verify(bytes(body), before)).toMatchObject({ ok: true });
  });

  it.each([undefined, [], "", "  \n", new Uint8Array(), [SECRET, ""], [SECRET, undefined]])(
    "needs a secret: %j is refused",
    (secret) => {
      const create = () => createVerifier({ secret: secret as string });
      expect(create).toThrow(
        expect.objectContaining({ code: expect.stringMatching(/^secret_(missing|empty)$/) }),
      );
    },
  );

  it("a secret that can be guessed causes a warning", () => {
    const warnings: string[] = [];
    createVerifier({ secret: ["changeme", "short"], warn: (message) => warnings.push(message) });
    expect(warnings).toEqual([
      expect.stringContaining("placeholder"),
      expect.stringContaining("only 5 bytes"),
    ]);
  });
});

describe("the event", () => {
  it.each(eventKinds)("%s has the id that a receiver gives it", async (kind) => {
    const body = bytes(JSON.stringify(sampleEvent(kind)));
    expect(await verifier.verify(body.buffer, sign(body))).toEqual(expected(body));
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
    expect(await verifier.verify(body, sign(body))).toEqual(expected(body));
  });

  it("bytes that are not UTF-8 are refused as by a receiver", async () => {
    for (const body of [[0xff], [0xed, 0xa0, 0x80], [0xef, 0xbb, 0xbf, 0xef, 0xbb, 0xbf], [0xc0, 0xaf]]) {
      const given = new Uint8Array(body);
      expect(await verifier.verify(given, sign(given))).toEqual(expected(given));
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
        expect(await verifier.verify(body, sign(body))).toEqual(expected(body));
      }),
      { numRuns: 300 },
    );
  });
});

it("the built file runs where nothing but web standards exist", async () => {
  const source = readFileSync(new URL("../../dist/verify.js", import.meta.url), "utf8");
  expect(source).not.toMatch(/\b(?:import|require)\b\s*[("{']|\bBuffer\b|\bprocess\b|node:/);
  const script = `${source.replace(/export \{[\s\S]*\};?\s*$/, "")}\ncreateVerifier;`;
  const web = createContext({ crypto, TextEncoder, TextDecoder, Headers });
  const create = runInContext(script, web) as typeof createVerifier;
  const body = bytes(envelope());
  expect(await create({ secret: SECRET }).verify(body, sign(body))).toMatchObject({ ok: true });
  expect(await create({ secret: "another-secret-of-some-length" }).verify(body, sign(body))).toMatchObject({
    status: 401,
  });
});
