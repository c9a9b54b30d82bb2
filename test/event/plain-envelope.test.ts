import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readPlainEnvelope } from "../../src/event/plain-envelope.ts";
import { factsOf, readEnvelope, readFacts } from "../../src/event/read-envelope.ts";
import { anyDraw, anyMembers, type Draw, write } from "./json-text.ts";

const TIMESTAMP = "2024-01-15T10:30:00.123Z";
const WEBHOOK = { id: "wh_1", url: "https://example.com" };

/** Whole numbers and amounts, words, and a few characters that JSON or sorting might treat in a special way. */
const word = fc.oneof(
  fc.string({ maxLength: 6 }),
  fc.constantFrom("", "a", "a!", "a b", "a~", "\u007f", "é", "😀", "constructor", "__proto_", "wh_"),
);
const number = fc.oneof(
  fc.integer(),
  fc.integer({ min: -20, max: 20 }).map((tens) => tens * 10),
  fc.integer().map((cents) => cents / 100),
);
const value = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    word,
    number,
    fc.constantFrom(null, true, false),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(word, tie("value"), { maxKeys: 5 }),
  ),
})).value;
const data = fc.dictionary(word, value, { maxKeys: 8 });

describe("the reader of plain envelopes", () => {
  it("finds the same facts as the reader of all JSON, if it does not give up", () => {
    let plain = 0;
    fc.assert(
      fc.property(data, word, fc.constantFrom(undefined, 1), (data, event, space) => {
        const body = bytesOf(
          JSON.stringify({ event, timestamp: TIMESTAMP, data, webhook: WEBHOOK }, null, space),
        );
        if (isPlain(body)) plain++;
        expectSame(body);
      }),
      { numRuns: 1500 },
    );
    expect(plain).toBeGreaterThan(500);
  });

  it("finds the same facts in JSON of any form", () => {
    fc.assert(
      fc.property(anyMembers, anyDraw, (data, draw) => {
        const members = [
          `"event":"sold"`,
          `"timestamp":"${TIMESTAMP}"`,
          `"data":${write(data, draw)}`,
          `"webhook":${JSON.stringify(WEBHOOK)}`,
        ];
        expectSame(bytesOf(`{${members.join(" ,\n")}}`));
      }),
      { numRuns: 700 },
    );
  });

  it("accepts no bytes that the reader of all JSON refuses, and reads none in another way", () => {
    fc.assert(
      fc.property(data, anyDraw, fc.integer({ min: 1, max: 3 }), (data, draw, changes) => {
        let body = bytesOf(JSON.stringify({ event: "sold", timestamp: TIMESTAMP, data, webhook: WEBHOOK }));
        for (let change = 0; change < changes; change++) body = damaged(body, draw);
        expectSame(body);
      }),
      { numRuns: 5000 },
    );
  });

  it.each([
    '{"b":1,"a":2}',
    '{"a":1,"a!":2,"a b":3,"":4}',
    '{"n":[0,-0,1,-1,10,100,-1200,1.5,1.50,0.001,-0.0,12345678901234567890,1000000000000000000000]}',
    '{ "a" : [ ] , "b" : { } ,\n\t"c" : [ true , false , null ]\r}',
    '{"constructor":{"a":1}}',
    '{"é":1}',
    '{"a":"é漢😀\u007f"}',
    `{"a":${"[".repeat(10)}${"]".repeat(10)}}`,
  ])("agrees with the other reader on data of %s", (text) => {
    expectSame(bodyOf(text));
  });

  it.each([
    '{"b":1,"a":2}',
    '{"a":"é漢😀\u007f","n":[0,-0,10,1.50,12345678901234567890]}',
    '{ "a" : [ ] , "b" : { } ,\n\t"c" : [ true , false , null ]\r}',
  ])("reads data of %s", (text) => {
    expect(isPlain(bodyOf(text))).toBe(true);
  });

  it.each([
    '{"a":1,"a":2}',
    '{"b":1,"a":2,"b":3}',
    '{"b":1,"c":1,"a":2,"b":3}',
    '{"__proto__":1}',
    '{"constructor":{"prototype":1}}',
    '{"a":"\\u0041"}',
    '{"a":"\n"}',
    '{"a":"\u0000"}',
    '{"é":1}',
    '{"a":01}',
    '{"a":-}',
    '{"a":1.}',
    '{"a":.5}',
    '{"a":+1}',
    '{"a":1e5}',
    '{"a":1E5}',
    '{"a":0x1}',
    '{"a":NaN}',
    '{"a":tru}',
    '{"a":truex}',
    '{"a":nul}',
    '{"a":1,}',
    '{"a":[1,]}',
    '{"a":[1 2]}',
    '{"a" 1}',
    "{a:1}",
    '{"a":1}}',
    '{"a":\u000b1}',
    '{"a":\u00a01}',
    `{"a":${"[".repeat(70)}${"]".repeat(70)}}`,
    `{${Array.from({ length: 40 }, (_, index) => `"k${index}":1`).join()}}`,
    `{"a":[${"1,".repeat(2000)}1]}`,
  ])("leaves data of %s to the other reader", (text) => {
    expect(isPlain(bodyOf(text))).toBe(false);
    expectSame(bodyOf(text));
  });

  it.each([
    "",
    "{",
    "[]",
    '"x"',
    "null",
    "{}",
    '{"event":"sold"}',
    `{"event":1,"timestamp":"${TIMESTAMP}","data":{},"webhook":{"id":"wh_1","url":"u"}}`,
    `{"event":"sold","timestamp":"yesterday","data":{},"webhook":{"id":"wh_1","url":"u"}}`,
    `{"event":"sold","timestamp":"${TIMESTAMP}","data":[],"webhook":{"id":"wh_1","url":"u"}}`,
    `{"event":"sold","timestamp":"${TIMESTAMP}","data":{},"webhook":{"id":"hook","url":"u"}}`,
    `{"event":"sold","timestamp":"${TIMESTAMP}","data":{},"webhook":{"id":"wh_1","url":1}}`,
    `{"event":"sold","timestamp":"${TIMESTAMP}","data":{},"webhook":{"id":"wh_1","url":"u"}} x`,
  ])("leaves the body %s to the other reader", (text) => {
    expect(isPlain(bytesOf(text))).toBe(false);
    expectSame(bytesOf(text));
  });

  it.each(["", "own-1", "é", "a\u007f", "x".repeat(300)])(
    "takes the envelope's own id %j as the other reader does",
    (id) => {
      expectSame(
        bytesOf(JSON.stringify({ id, event: "sold", timestamp: TIMESTAMP, data: {}, webhook: WEBHOOK })),
      );
    },
  );

  it.each([null, 7, true, {}, []])("ignores the envelope's own id %j as the other reader does", (id) => {
    expectSame(
      bytesOf(JSON.stringify({ id, event: "sold", timestamp: TIMESTAMP, data: {}, webhook: WEBHOOK })),
    );
  });

  it("refuses bytes that are not UTF-8", () => {
    const body = Buffer.concat([bodyOf('{"a":"é"}')]);
    body[body.indexOf("é")] = 0xff;
    expect(isPlain(body)).toBe(false);
    expectSame(body);
  });

  it("sees every byte that ends a string or is not allowed in one, wherever it is", () => {
    const after = [0x00, 0x0a, 0x1f, 0x20, 0x21, 0x22, 0x23, 0x5b, 0x5c, 0x5d, 0x7f, 0x80, 0xff];
    for (const byte of after) {
      for (let at = 60; at < 76; at++) {
        const body = bodyOf(`{"a":"${"x".repeat(90)}"}`);
        body[body.indexOf("xxx") + at] = byte;
        expectSame(body);
        expect(isPlain(body)).toBe(byte >= 0x20 && byte < 0x80 && byte !== 0x22 && byte !== 0x5c);
      }
    }
  });

  it("reads a long string whose last bytes it follows, with characters of two to four bytes", () => {
    for (let length = 60; length < 76; length++) {
      for (const end of ["", "é", "漢", "😀"]) {
        const body = bodyOf(`{"a":"${"x".repeat(length)}${end}","${"k".repeat(length)}":1}`);
        expect(isPlain(body)).toBe(true);
        expectSame(body);
      }
    }
  });

  it("gives up at the end of bytes within a long string", () => {
    for (let length = 60; length < 76; length++) {
      const body = bytesOf(`{"event":"${"x".repeat(length)}`);
      expect(isPlain(body)).toBe(false);
      expectSame(body);
    }
  });

  it.each([31, 32, 33, 64, 100, 300])("hashes long data of %i kB as the other reader does", (kilobytes) => {
    const length = kilobytes * 1024;
    for (const text of [
      `{"b":"${"x".repeat(length)}","a":1}`,
      `{"a":${"7".repeat(length)}0,"b":"y"}`,
      `{"z":[${Array.from({ length: 30 }, (_, index) => `"${"é".repeat(length / 60)}${index}"`).join()}],"a":10}`,
    ]) {
      expect(isPlain(bodyOf(text))).toBe(true);
      expectSame(bodyOf(text));
    }
  });

  it("reads the data of a kind for which it is needed", () => {
    const body = bodyOf('{"b":[1.50,"é"],"a":{}}');
    expect(readFacts(body, () => true)).toMatchObject({ data: { b: [1.5, "é"], a: {} } });
    expect(readFacts(body, () => false)).toMatchObject({ data: undefined });
    expect(readFacts(body, (kind) => kind === "sold")).toMatchObject({ data: { a: {} } });
  });
});

function bodyOf(data: string): Buffer {
  return bytesOf(
    `{"event":"sold","timestamp":"${TIMESTAMP}","data":${data},"webhook":${JSON.stringify(WEBHOOK)}}`,
  );
}

function bytesOf(text: string): Buffer {
  return Buffer.from(text, "utf8");
}

function isPlain(body: Uint8Array): boolean {
  return readPlainEnvelope(body, () => false) !== undefined;
}

/** Compares the facts, or why there are none, with those of the reader of all JSON. */
function expectSame(body: Uint8Array): void {
  const all = readEnvelope(body);
  const expected = all.ok ? { ok: true, ...factsOf(all), data: all.envelope.data } : all;
  expect(readFacts(body, () => true)).toEqual(expected);
}

/** The same bytes with one of them removed, doubled or replaced. */
function damaged(body: Buffer, draw: Draw): Buffer {
  const at = draw(body.length);
  const bytes = Buffer.from(`{}[]",:\\0123456789-+.eEtrufalsn \n\u0001`);
  const drawn = draw(10) === 0 ? draw(256) : (bytes[draw(bytes.length)] ?? 0);
  const kept = draw(3) === 0 ? 0 : 1;
  const more = draw(4) === 0 ? [] : [drawn];
  return Buffer.concat([body.subarray(0, at), Buffer.from(more), body.subarray(at + kept)]);
}
