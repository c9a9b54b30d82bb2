import { describe, expect, it } from "vitest";
import { readEnvelope, readEnvelopeAgain } from "../../src/event/read-envelope.ts";
import { REJECTION_REASONS, type rejected } from "../../src/event/rejection.ts";

const ENVELOPE = {
  event: "payment.received",
  timestamp: "2024-01-15T10:30:00Z",
  data: { id: "pay_1", amount: 850 },
  webhook: { id: "wh_1", url: "https://example.com/webhooks" },
};
const TEXT = JSON.stringify(ENVELOPE);
const DEEP = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;

describe("readEnvelope accepts", () => {
  it("an envelope, with its id and instant", () => {
    expect(read(ENVELOPE)).toEqual({
      ok: true,
      envelope: ENVELOPE,
      eventId: expect.stringMatching(/^evt_1_[0-9a-f]{40}$/),
      timestamp: Date.UTC(2024, 0, 15, 10, 30),
      content: expect.stringMatching(/^[0-9a-f]{40}$/),
      inexact: [],
    });
  });

  it("[case 23] a byte order mark, which does not change the id", () => {
    const marked = Buffer.concat([
      Buffer.from([0xef, 0xbb, 0xbf]),
      Buffer.from(JSON.stringify(ENVELOPE)),
    ]);
    expect(readEnvelope(marked)).toEqual(read(ENVELOPE));
  });

  it.each<[string, object]>([
    [
      "[case 36] NUL, lone surrogates and control characters",
      { data: { "a\u0000b": "\u0000\ud800" } },
    ],
    ["[case 37] extra fields", { version: 2, webhook: { ...ENVELOPE.webhook, tier: "pro" } }],
    ["[case 38] a kind of 1 MB", { event: "k".repeat(1_000_000) }],
    ["an empty data object", { data: {} }],
  ])("%s, and keeps them", (_, parts) => {
    expect(read({ ...ENVELOPE, ...parts })).toMatchObject({
      ok: true,
      envelope: { ...ENVELOPE, ...parts },
    });
  });

  it.each([
    "visit.booked",
    "toString",
    "__proto__",
    "*",
    "",
    "payment.received ",
    "Payment.Received",
  ])("[case 38] the unknown kind %j", (event) => {
    expect(read({ ...ENVELOPE, event })).toMatchObject({ ok: true, envelope: { event } });
  });

  it("the envelope's own id as event id", () => {
    expect(read({ ...ENVELOPE, id: "evt_live_77" })).toMatchObject({
      ok: true,
      eventId: "evt_live_77",
    });
  });

  it.each([null, 7, "", {}, ["evt_1"]])("no id in %j, and derives one", (id) => {
    const derived = read(ENVELOPE);
    expect(read({ ...ENVELOPE, id })).toMatchObject({
      ok: true,
      eventId: derived.ok ? derived.eventId : "",
    });
  });
});

describe("readEnvelope rejects", () => {
  it("[case 11] an empty body, with the reason's standard text and no field", () => {
    const rejection = { reason: "empty_body", message: REJECTION_REASONS.empty_body };
    expect(readEnvelope(new Uint8Array())).toStrictEqual({ ok: false, rejection });
  });

  it.each([
    ["[case 24] a lone continuation byte", [0x80]],
    ["[case 24] an overlong slash", [0xc0, 0xaf]],
    ["[case 24] an encoded surrogate", [0xed, 0xa0, 0x80]],
    ["[case 24] a cut sequence", [0xe2, 0x82]],
    ["[case 24] a code point past the end", [0xf4, 0x90, 0x80, 0x80]],
    ["[case 26] UTF-16 with a mark", Buffer.from("\ufeff{}", "utf16le")],
  ])("%s as not UTF-8", (_, bytes) => {
    const between = [Buffer.from('{"event":"'), Buffer.from(bytes), Buffer.from('"}')];
    expect(reasonOf(Buffer.concat(between))).toBe("invalid_utf8");
  });

  it.each([
    ["cut JSON", '{"event":'],
    ["NaN", '{"event":NaN}'],
    ["a trailing comma", '{"event":"x",}'],
    ["two documents", "{}{}"],
    ["a comment", "{}//"],
    ["only space", "  \n"],
    ["only a byte order mark", "\ufeff"],
    ["two byte order marks", `\ufeff\ufeff${JSON.stringify(ENVELOPE)}`],
    ["single quotes", "{'event':'x'}"],
    ["a control character in a string", '{"event":"a\nb"}'],
    ["a leading zero", '{"event":01}'],
    ["a form", "event=payment.received"],
    ["[case 26] UTF-16", Buffer.from("{}", "utf16le").toString()],
  ])("[case 30] %s, which is not JSON", (_, text) => {
    expect(reasonOf(Buffer.from(text))).toBe("invalid_json");
  });

  it.each(["[]", "null", "1", '"text"', "true", `[${JSON.stringify(ENVELOPE)}]`])(
    "[case 30] a top-level %s, which is not an envelope",
    (text) => {
      expect(reasonOf(Buffer.from(text))).toBe("invalid_envelope");
    },
  );

  it.each([
    ["[case 31] a duplicate key", TEXT.replace("{", '{"event":"a",'), "duplicate_key", "event"],
    ["[case 32] a key", TEXT.replace("amount", "__proto__"), "forbidden_key", "data.__proto__"],
    ["[case 33] 100 000 levels", TEXT.replace("850", DEEP), "too_deep", undefined],
  ])("%s, naming it", (_, text, reason, field) => {
    const { ok, rejection } = readEnvelope(Buffer.from(text)) as ReturnType<typeof rejected>;
    expect([ok, rejection.reason]).toEqual([false, reason]);
    if (field !== undefined) expect(rejection.field).toBe(field);
  });

  it.each([
    ["event", { ...ENVELOPE, event: undefined }],
    ["event", { ...ENVELOPE, event: 7 }],
    ["event", { ...ENVELOPE, event: null }],
    ["timestamp", { ...ENVELOPE, timestamp: undefined }],
    ["timestamp", { ...ENVELOPE, timestamp: 1_705_314_600 }],
    ["data", { ...ENVELOPE, data: undefined }],
    ["data", { ...ENVELOPE, data: null }],
    ["data", { ...ENVELOPE, data: [] }],
    ["data", { ...ENVELOPE, data: "{}" }],
    ["webhook", { ...ENVELOPE, webhook: undefined }],
    ["webhook", { ...ENVELOPE, webhook: "wh_1" }],
    ["webhook.id", { ...ENVELOPE, webhook: { url: "https://example.com" } }],
    ["webhook.id", { ...ENVELOPE, webhook: { ...ENVELOPE.webhook, id: "sub_1" } }],
    ["webhook.url", { ...ENVELOPE, webhook: { id: "wh_1" } }],
    ["webhook.url", { ...ENVELOPE, webhook: { id: "wh_1", url: 1 } }],
  ])("[case 37] a missing or mistyped %s by name", (field, value) => {
    expect(read(value)).toMatchObject({
      ok: false,
      rejection: { reason: "invalid_envelope", field },
    });
  });

  it.each(["", "yesterday", "2024-02-30T00:00:00Z", "2024-01-15T10:30:00", "1705314600"])(
    "[case 40] the timestamp %j",
    (timestamp) => {
      expect(read({ ...ENVELOPE, timestamp })).toMatchObject({
        ok: false,
        rejection: { reason: "invalid_timestamp", field: "timestamp" },
      });
    },
  );

  it("without revealing a value of the body", () => {
    const canary = "canary-7f3a";
    const bodies = [
      `{"event":"${canary}"}`,
      `{"event":"x","timestamp":"${canary}","data":{},"webhook":{"id":"wh_1","url":""}}`,
      `{"event":"x","timestamp":"x","data":"${canary}"}`,
      `${canary}`,
    ];
    for (const body of bodies) {
      const result = readEnvelope(Buffer.from(body));
      expect(result.ok).toBe(false);
      expect(JSON.stringify(result)).not.toContain(canary);
    }
  });
});

describe("readEnvelopeAgain", () => {
  it("returns the envelope of bytes that were accepted before", () => {
    const body = Buffer.from(JSON.stringify(ENVELOPE));
    expect(readEnvelopeAgain(body)).toEqual({ ok: true, envelope: ENVELOPE });
  });

  it.each([
    ["invalid_json", "{"],
    ["empty_body", ""],
    ["invalid_envelope", "{}"],
    ["invalid_envelope", "[]"],
  ])("rejects %s, as a damaged file may contain anything", (reason, text) => {
    expect(readEnvelopeAgain(Buffer.from(text))).toMatchObject({
      ok: false,
      rejection: { reason },
    });
  });
});

function read(value: unknown) {
  return readEnvelope(Buffer.from(JSON.stringify(value)));
}

function reasonOf(body: Uint8Array): string | undefined {
  const result = readEnvelope(body);
  return result.ok ? undefined : result.rejection.reason;
}
