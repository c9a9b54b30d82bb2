import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { OWN_IDENTITY, ownEventId, REJECTED, rejectedKey } from "../../src/event/identity.ts";
import { readEnvelope } from "../../src/event/read-envelope.ts";
import {
  anyDraw,
  anyMembers,
  changed,
  type Draw,
  exactForm,
  type Tree,
  write,
} from "./json-text.ts";

const AT = "2024-01-15T10:30:00.123Z";

describe("the derived event id", () => {
  it("stays the same from version to version", () => {
    const body =
      '{"event":"payment.received","timestamp":"2024-01-15T10:30:00Z","data":{"b":1.0,"a":"é"},"webhook":{"id":"wh_1","url":"u"}}';
    const digest = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 40);
    const content = digest('["payment.received",{"a":"é","b":1}]');
    expect(idOf(body)).toBe(`evt_1_${digest(`["${content}","2024-01-15T10:30:00.000Z"]`)}`);
  });

  it("[case 41] ignores key order, spacing, escapes, spelling of numbers and `webhook`", () => {
    fc.assert(
      fc.property(anyMembers, fc.string(), anyDraw, anyDraw, (data, event, draw, again) => {
        const id = idOf(bodyOf({ event, data, webhook: "wh_1" }, draw));
        expect(idOf(bodyOf({ event, data, webhook: "wh_2" }, again))).toBe(id);
      }),
      { numRuns: 400 },
    );
  });

  it.each([
    ["1", "2"],
    ["1", '"1"'],
    ["12345678901234567890", "12345678901234567891"],
    ["1e400", "1e401"],
    ["null", "false"],
    ["[]", "{}"],
    ["[1,2]", "[2,1]"],
    ["[[1],2]", "[1,[2]]"],
    ['""', "null"],
    ['"\\ud800"', '"\\udc00"'],
    ['"\\ud800"', '"\\ufffd"'],
    ['"e\\u0301"', '"\\u00e9"'],
    ['{"a":null}', "{}"],
    ['{"a":1,"b":2}', '{"a":2,"b":1}'],
    ['"a,b"', '["a","b"]'],
    ['{"id":"prop_1","rooms":2}', '{"id":"prop_1","rooms":3}'], // [case 61]
  ])("[case 35] differs for %s and %s", (a, b) => {
    expect(idOfNumber(a)).not.toBe(idOfNumber(b));
  });

  it("differs after any one change of a value", () => {
    fc.assert(
      fc.property(anyMembers, anyDraw, (data, draw) => {
        const other = changed(data, draw);
        const a = data;
        const b = wrapped(other);
        fc.pre(exactForm(a) !== exactForm(b));
        expect(idOf(bodyOf({ data: a }, draw))).not.toBe(idOf(bodyOf({ data: b }, draw)));
      }),
      { numRuns: 400 },
    );
  });

  it("is equal for two values exactly if they are equal", () => {
    const small = fc.constantFrom<Tree>(
      null,
      "",
      "1",
      [],
      { digits: 1n, power: 0 },
      { digits: 10n, power: -1 },
      { members: [["a", null]] },
    );
    const few = fc.array(small, { maxLength: 2 });
    fc.assert(
      fc.property(few, few, anyDraw, (a, b, draw) => {
        const ids = [a, b].map((list) => idOf(bodyOf({ data: wrapped(list) }, draw)));
        expect(ids[0] === ids[1]).toBe(exactForm(a) === exactForm(b));
      }),
    );
  });

  it("differs for another kind and for another millisecond, but not for another spelling of one", () => {
    const at = (event: string, timestamp: string) =>
      idOf(JSON.stringify({ event, timestamp, data: {}, webhook: { id: "wh_1", url: "" } }));
    const ids = [at("a", AT), at("b", AT), at("a", "2024-01-15T10:30:00.124Z"), at("", AT)];
    expect(new Set(ids).size).toBe(4);
    for (const spelled of [
      "2024-01-15T10:30:00.123000Z",
      "2024-01-15T10:30:00.123+00:00",
      "2024-01-15T10:30:00.123z",
      "2024-01-15T10:30:00.123+0000",
    ])
      expect(at("a", spelled)).toBe(ids[0]);
  });
});

describe("ownEventId", () => {
  it.each(["evt_1", "a", "0", "été", "😀", "with space", "x".repeat(255)])("keeps %j", (id) => {
    expect(ownEventId(id)).toBe(id);
  });

  it.each(["", undefined, null, 0, 17, true, {}, [], ["evt_1"]])("finds none in %j", (id) => {
    expect(ownEventId(id)).toBeUndefined();
  });

  it("[case 36] replaces each id that cannot be stored exactly with its own digest", () => {
    const nasty = [
      "\ud800",
      "\udc00",
      "\ud801",
      "\ufffd\ud800",
      "a\u0000",
      "a\u0000\u0000",
      "\u0000",
      "a\nb",
      "\u001b[2J",
      "\u0085",
      "x".repeat(256),
      "x".repeat(1_000_000),
      `${"x".repeat(999_999)}y`,
    ];
    const ids = nasty.map(ownEventId);
    for (const id of ids) expect(id).toMatch(/^evt_1_[0-9a-f]{40}$/);
    expect(new Set(ids).size).toBe(nasty.length);
    // the same from version to version
    const text = `["id","${"x".repeat(256)}"]`;
    const digest = createHash("sha256").update(text).digest("hex").slice(0, 40);
    expect(ownEventId("x".repeat(256))).toBe(`evt_1_${digest}`);
  });

  it("never returns one id for two different texts", () => {
    const id = fc.string({
      unit: fc.constantFrom("a", "\u0000", "\ud800", "\udc00", "\ufffd", "é"),
      minLength: 1,
    });
    fc.assert(
      fc.property(id, id, (a, b) => {
        expect(ownEventId(a) === ownEventId(b)).toBe(a === b);
      }),
    );
  });

  it("returns ids that are safe for a store and a terminal", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", minLength: 1 }), (text) => {
        const id = ownEventId(text) ?? "";
        expect(Buffer.from(id, "utf8").toString("utf8")).toBe(id);
        expect(id).not.toMatch(/\p{Cc}/u);
      }),
    );
  });
});

describe("the key of what is no event", () => {
  it("has a timestamp that stays the same from version to version, before those of four-digit years", () => {
    expect([REJECTED, OWN_IDENTITY]).toEqual([-1_000_000_000_000_000, -1_000_000_000_000_001]);
    expect(REJECTED).toBeLessThan(Date.parse("0000-01-01T00:00:00Z"));
  });

  it("[case 25] is the same for the same bytes only, even if others decode to the same text", () => {
    const keys = [[0xff], [0xfe], [0xef, 0xbf, 0xbd], [0xff]].map((bytes) =>
      rejectedKey("a", Buffer.from(bytes)),
    );
    expect(new Set(keys.map(({ eventId }) => eventId)).size).toBe(3);
    expect(keys[0]).toEqual(keys[3]);
    expect(keys[0]).toMatchObject({ source: "a", timestamp: REJECTED });
  });
});

/** Writes an envelope; omitted parts are fixed. */
function bodyOf(parts: { event?: string; data: Tree; webhook?: string }, draw: Draw): string {
  const { event = "payment.received", data, webhook = "wh_1" } = parts;
  const members: [string, Tree][] = [
    ["event", event],
    ["timestamp", AT],
    ["data", data],
    [
      "webhook",
      {
        members: [
          ["id", webhook],
          ["url", `https://${webhook}.example`],
        ],
      },
    ],
  ];
  return write({ members }, draw);
}

function wrapped(tree: Tree): Tree {
  const isObject = typeof tree === "object" && tree !== null && "members" in tree;
  return isObject ? tree : { members: [["value", tree]] };
}

function idOfNumber(text: string): string {
  return idOf(
    `{"event":"a","timestamp":"${AT}","data":{"value":${text}},"webhook":{"id":"wh_1","url":""}}`,
  );
}

function idOf(body: string): string {
  const result = readEnvelope(Buffer.from(body, "utf8"));
  if (!result.ok) throw new Error(`rejected: ${result.rejection.reason} for ${body}`);
  return result.eventId;
}
