import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Delivery } from "../../src/entries/index.ts";
import { fixtureName, formatDelivery, parseFixture } from "../../src/relay/fixture.ts";
import { savedDelivery } from "./sample.ts";

const invalid = expect.objectContaining({ code: "fixture_invalid" });
const parse = (text: string | Uint8Array) => parseFixture(Buffer.from(text as string), "x.json");

/** A fixture as a file, with some of its members changed or removed. */
function fixtureText(changes: Record<string, unknown>): string {
  return JSON.stringify({ ...JSON.parse(formatDelivery(savedDelivery())), ...changes });
}

function roundTrip(delivery: Delivery): Delivery {
  const fixture = parse(formatDelivery(delivery));
  if (fixture.type !== "delivery") throw new Error("expected a delivery");
  return { ...fixture.delivery, body: Buffer.from(fixture.delivery.body) };
}

describe("a saved delivery", () => {
  const anyBody = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc.string({ unit: "binary" }).map((text) => Buffer.from(text)),
    fc
      .string({ unit: fc.constantFrom("\u0000", "\r\n", "\uFEFF", "\u2028", '"', "\\", "é", "😀") })
      .map((text) => Buffer.from(text)),
  );
  const anyHeaderValue = fc.string({ unit: fc.constantFrom(...'\t aZ9~="\\\u0080\u00ff') });
  const anyHeaders = fc.dictionary(
    fc.string({ unit: fc.constantFrom(..."abcxyz-0123456789"), minLength: 1 }),
    fc.oneof(anyHeaderValue, fc.array(anyHeaderValue, { maxLength: 3 })),
  );

  it("is read back byte for byte, whatever its body and headers", () => {
    fc.assert(
      fc.property(
        anyBody,
        anyHeaders,
        fc.string({ unit: fc.constantFrom(..."/aZ.:%;\u00ff\"'\\") }).map((text) => `/${text}`),
        fc.integer({ min: 0, max: 8e12 }),
        (bytes, headers, target, receivedAt) => {
          const delivery = savedDelivery({ body: Buffer.from(bytes), headers, target, receivedAt });
          expect(roundTrip(delivery)).toEqual(delivery);
        },
      ),
      { numRuns: 500 },
    );
  });

  it("has the names of its query, but not the values", () => {
    const text = formatDelivery(
      savedDelivery({ target: "/webhooks?code=hunter2&tenant=7&hunter2" }),
    );
    expect(JSON.parse(text)).toMatchObject({ target: "/webhooks?code=…&tenant=…&…" });
    expect(text).not.toContain("hunter2");
  });

  it("is readable: text as text, a time as a time, a newline at the end", () => {
    const text = formatDelivery(savedDelivery({ body: Buffer.from('{"a":"é"}\r\n') }));
    expect(JSON.parse(text)).toEqual({
      format: "hookporter-delivery/1",
      receivedAt: "2026-01-15T10:00:00.000Z",
      method: "POST",
      target: "/webhooks",
      headers: savedDelivery().headers,
      bodyEncoding: "utf8",
      body: '{"a":"é"}\r\n',
    });
    expect(text.endsWith("}\n")).toBe(true);
  });

  it.each([
    ["a byte that is no UTF-8", [0x7b, 0xff, 0x7d]],
    ["half a surrogate pair", [0xed, 0xa0, 0x80]],
    ["a spelling too long", [0xc0, 0x80]],
    ["half a character at the end", [0x61, 0xc3]],
  ])("stores %s as base64", (_, bytes) => {
    const delivery = savedDelivery({ body: Buffer.from(bytes) });
    expect(JSON.parse(formatDelivery(delivery))).toMatchObject({
      bodyEncoding: "base64",
      body: Buffer.from(bytes).toString("base64"),
    });
    expect(roundTrip(delivery)).toEqual(delivery);
  });

  it("keeps a byte order mark in its body, and ignores one in the file", () => {
    const body = Buffer.from([0xef, 0xbb, 0xbf, 0x7b, 0x7d]);
    const text = formatDelivery(savedDelivery({ body }));
    const fixture = parse(`\uFEFF${text}`);
    expect(fixture).toMatchObject({ type: "delivery" });
    expect(roundTrip(savedDelivery({ body })).body).toEqual(body);
  });
});

describe("parseFixture", () => {
  it.each([
    '{"event":"x"}',
    ' {"event":"x","a": 1e400}\n',
    '{"event":"","format":"other","body":"x","headers":{}}',
    '{"timestamp":"2026-01-15T09:30:00Z","data":{},"webhook":{}}',
    '{"event":7,"data":{},"webhook":{"id":1}}',
  ])("reads what is meant as an envelope, as its raw bytes: %s", (text) => {
    expect(parse(text)).toEqual({ type: "envelope", body: Buffer.from(text) });
  });

  it.each<[string, string | Uint8Array, string]>([
    ["a HAR", '{"log":{"version":"1.2","entries":[{"request":{}}]}}', "a HAR with 1 entry: save"],
    ["a longer HAR", '{"log":{"entries":[{},{}]}}', "a HAR with 2 entries: save"],
    [
      "a Postman collection",
      '{"info":{"name":"x"},"item":[{},{}]}',
      "a Postman collection with 2 items",
    ],
    ["a package.json", '{"name":"x","version":"1.0.0"}', "a package.json"],
    ["a tsconfig.json", '{"compilerOptions":{}}', "a tsconfig.json"],
    ["an OpenAPI description", '{"openapi":"3.1.0","info":{}}', "an OpenAPI description"],
    ["a JSON Schema", '{"$schema":"http://json-schema.org/draft-07/schema#"}', "a JSON Schema"],
    ["a CloudEvent", '{"specversion":"1.0","type":"x","data":{}}', "a CloudEvent"],
    ["a request", '{"headers":{"a":"b"},"body":"{}"}', "a request with its headers"],
    ["ngrok's requests", '{"requests":[{"uri":"/x"}]}', "requests that another program recorded"],
    ["another object", '{"inbox":"a.db"}', 'a JSON object without "event"'],
    ["another format", '{"format":"other"}', 'a JSON object without "event"'],
    ["another schema", '{"$schema":"https://app.test"}', 'a JSON object without "event"'],
    ["null", "null", "JSON that is no object"],
    ["a text in JSON", '"text"', "JSON that is no object"],
    [
      "a later version",
      '{"format":"hookporter-delivery/2"}',
      "a saved delivery of another version",
    ],
    ["a list", '[{"event":"x"}]', "a list of 1 value: write one a line"],
    ["lines", '{"event":"x"}\n{"event":"y"}\n', "several JSON objects, one a line: rename it"],
    ["UTF-16", Buffer.from('\uFEFF{"event":"x"}', "utf16le"), "text in UTF-16: save it as UTF-8"],
    ["UTF-16 without a mark", Buffer.from('{"event":"x"}', "utf16le"), "text in UTF-16"],
    ["gzip", gzipSync('{"event":"x"}'), "gzip: unpack it"],
    ["nothing", "", "an empty file"],
    ["a blank", " ", "text that is no JSON"],
    ["a text", "x", "text that is no JSON"],
    ["a broken object", "{", "text that is no JSON"],
    ["an object and a text", '{"event":"x"}\nx', "text that is no JSON"],
    ["a zero byte", "\0", "text in UTF-16"],
    ["bytes of no encoding", Buffer.from([0xff, 0x7b, 0xfe]), "text that is no JSON"],
    ["other bytes of no encoding", Buffer.from([0x7b, 0xfe, 0xff]), "text that is no JSON"],
  ])("refuses %s by its name", (_, bytes, looksLike) => {
    expect(() => parse(bytes)).toThrow(invalid);
    expect(() => parse(bytes)).toThrow(
      `x.json: expected a saved delivery or an envelope, got what looks like ${looksLike}`,
    );
  });

  it("names the file, never its content", () => {
    expect(() => parseFixture(Buffer.from("[hunter2"), "sub/x.json")).toThrow(/^sub\/x\.json: /);
    expect(() => parseFixture(Buffer.from("[hunter2"), "x.json")).not.toThrow(/hunter2/);
  });

  it.each<[string, unknown]>([
    ["method", undefined],
    ["method", 1],
    ["method", ""],
    ["method", ["POST"]],
    ["method", "post"],
    ["method", "POST\r\nx: y"],
    ["target", undefined],
    ["target", 1],
    ["headers", undefined],
    ["headers", null],
    ["headers", "x"],
    ["headers", { a: 1 }],
    ["headers", { a: null }],
    ["headers", { a: ["x", 1] }],
    ["headers", { a: { b: "c" } }],
    ["headers", []],
    ["headers", ["x-a", "1"]],
    ["headers", { "": "x" }],
    ["headers", { "a b": "x" }],
    ["headers", { "x\r\ny": "x" }],
    ["headers", { é: "x" }],
    ["headers", { a: "x\r\nb: y" }],
    ["headers", { a: "\u0000" }],
    ["headers", { a: "€" }],
    ["headers", { a: ["x", "\n"] }],
    ["receivedAt", undefined],
    ["receivedAt", 1_700_000_000],
    ["receivedAt", "yesterday"],
    ["receivedAt", "2026"],
    ["receivedAt", "2026-02-30T00:00:00Z"],
    ["receivedAt", "2026-01-15T10:00:00"],
    ["receivedAt", "Thu, 15 Jan 2026 10:00:00 GMT"],
    ["body", undefined],
    ["body", {}],
    ["body", null],
    ["bodyEncoding", undefined],
    ["bodyEncoding", "hex"],
    ["bodyEncoding", "UTF8"],
  ])("refuses a saved delivery whose %s is %j", (field, value) => {
    expect(() => parse(fixtureText({ [field]: value }))).toThrow(invalid);
    expect(() => parse(fixtureText({ [field]: value }))).toThrow(field);
  });

  it.each(["e30", "e30=\n", " e30=", "e3 0=", "e30=x", "e31=", "_-A=", "e30==", "not base64!"])(
    "refuses base64 that is not the canonical encoding of its bytes: %j",
    (body) => {
      expect(() => parse(fixtureText({ bodyEncoding: "base64", body }))).toThrow(invalid);
    },
  );

  it("refuses text that no bytes can decode to", () => {
    expect(() => parse(fixtureText({ body: "\ud800" }))).toThrow(invalid);
  });

  it("reads header names in lower case, and keeps both values of a name in two spellings", () => {
    const headers = {
      "Content-Type": "text/plain",
      "X-A": "1",
      "x-a": ["2", "3"],
      ["__proto__"]: "x",
    };
    const fixture = parse(fixtureText({ headers }));
    if (fixture.type !== "delivery") throw new Error("expected a delivery");
    expect(Object.entries(fixture.delivery.headers)).toEqual([
      ["content-type", "text/plain"],
      ["x-a", ["1", "2", "3"]],
      ["__proto__", "x"],
    ]);
  });

  it("throws only its own error, whatever the bytes", () => {
    const anyBytes = fc.oneof(
      fc.uint8Array(),
      fc.json().map((text) => Buffer.from(text)),
      fc
        .record(
          {
            method: fc.anything(),
            target: fc.anything(),
            headers: fc.anything(),
            receivedAt: fc.anything(),
            body: fc.anything(),
            bodyEncoding: fc.anything(),
          },
          { requiredKeys: [] },
        )
        .map((changes) =>
          Buffer.from(
            JSON.stringify({ ...JSON.parse(fixtureText({})), ...changes }, (_, value) =>
              typeof value === "bigint" ? 1 : value,
            ),
          ),
        ),
    );
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        try {
          parseFixture(bytes, "x.json");
        } catch (thrown) {
          expect(thrown).toMatchObject({ code: "fixture_invalid" });
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe("the name of a saved delivery", () => {
  const AT = Date.UTC(2026, 0, 15, 10, 0, 0, 7);

  it.each([
    [
      "payment.received",
      "evt_1_0123456789abcdef0123456789",
      "payment.received-evt_1_0123456789abcd",
    ],
    [null, "raw_1_0123", "rejected-raw_1_0123"],
    ["a/b", "é 1", "a_b-__1"],
  ])("of kind %s and id %s has the time, the order and %s", (kind, id, end) => {
    expect(fixtureName(AT, 3, kind, id)).toBe(`20260115T100000.007Z-000003-${end}.json`);
  });

  it("sorts by arrival, then by order", () => {
    const moment = fc.tuple(fc.integer({ min: 0, max: 2e12 }), fc.nat({ max: 999_999 }));
    fc.assert(
      fc.property(moment, moment, ([at, order], [otherAt, otherOrder]) => {
        const earlier = at < otherAt || (at === otherAt && order < otherOrder);
        const name = fixtureName(at, order, "z", "z");
        const other = fixtureName(otherAt, otherOrder, "a", "a");
        if (earlier) expect(name < other).toBe(true);
      }),
    );
  });

  it("is safe for file systems and shells, and never too long", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: "binary" }),
          fc.constantFrom("../../etc/passwd", "a/b", "a\\b", "\0", "", ".."),
        ),
        fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("../x", "con", "x".repeat(5000))),
        (kind, id) => {
          const name = fixtureName(AT, 1, kind.repeat(30), id);
          expect(name).toMatch(/^20260115T100000\.007Z-000001-[A-Za-z0-9._-]*\.json$/);
          expect(name.length).toBeLessThan(130);
        },
      ),
    );
  });
});
