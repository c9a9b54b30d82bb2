import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { eventKinds } from "../../src/entries/index.ts";
import { readEnvelope } from "../../src/event/read-envelope.ts";
import { sampleEvent } from "../../src/event/sample.ts";
import { checkData } from "../../src/event/schemas.ts";
import { type TriggerOptions, triggerBody } from "../../src/relay/trigger.ts";
import { AT } from "./sample.ts";

const invalid = expect.objectContaining({ code: "input_invalid" });
const text = (kind: string, options: Partial<TriggerOptions> = {}) =>
  triggerBody(kind, { timestamp: AT, ...options }).toString("utf8");
const parsed = (kind: string, options: Partial<TriggerOptions> = {}) =>
  JSON.parse(text(kind, options));
const set = (path: string, value: string) => ({ set: [{ path, value }] });

describe("triggerBody", () => {
  it.each(eventKinds)(
    "creates an envelope of %s that a receiver accepts, with the given timestamp",
    async (kind) => {
      const read = readEnvelope(triggerBody(kind, { timestamp: AT }));
      expect(read).toMatchObject({ ok: true, timestamp: AT, envelope: { event: kind } });
      if (read.ok) expect((await checkData(kind, read.envelope.data, {})).ok).toBe(true);
    },
  );

  it.each(["lease.signed", "__proto__", "toString", 'a"b', "é"])(
    "creates one of an unknown kind: %s",
    (kind) => {
      const read = readEnvelope(triggerBody(kind, { timestamp: AT }));
      expect(read).toMatchObject({ ok: true, envelope: { event: kind } });
    },
  );

  it("does not change the sample for the next call", () => {
    const before = sampleEvent("payment.received");
    text("payment.received", set("data.amount", "0"));
    text("payment.received", { data: "{}" });
    expect(sampleEvent("payment.received")).toEqual(before);
  });

  describe("with data of the user's", () => {
    it.each([
      '{"id":1234567890123456789012345,"amount":1.50,"rate":1e400,"zero":-0}',
      '{ "a" : "\\u00e9\\/" ,\n\t"b":[ 1 , 2 ] }',
      '{"é":"😀","a":{"a":{}}}',
      "{}",
    ])("keeps the text exactly: %s", (data) => {
      const body = text("payment.received", { data: `\n ${data} \r\n` });
      expect(body).toContain(`"data":${data}`);
      expect(parsed("payment.received", { data })).toEqual({
        ...sampleEvent("payment.received", { timestamp: AT }),
        data: JSON.parse(data),
      });
    });

    it("keeps it if another value is set", () => {
      const data = '{"id":1234567890123456789012345}';
      const body = text("payment.received", { data, ...set("webhook.id", "wh_other") });
      expect(body).toContain(`"data":${data}`);
      expect(JSON.parse(body).webhook.id).toBe("wh_other");
    });

    it("can be changed inside", () => {
      expect(parsed("lease.signed", { data: '{"a":1,"b":2}', ...set("data.b", "3") }).data).toEqual(
        {
          a: 1,
          b: 3,
        },
      );
      expect(parsed("lease.signed", { data: '{"a":1}', ...set("data", '{"c":1}') }).data).toEqual({
        c: 1,
      });
    });

    it("keeps the text of any JSON object", () => {
      fc.assert(
        fc.property(
          fc.dictionary(fc.string(), fc.jsonValue()),
          fc.nat({ max: 4 }),
          (value, spaces) => {
            const data = JSON.stringify(value, null, spaces);
            const body = text("payment.received", { data });
            return (
              body.includes(`"data":${data}`) &&
              JSON.stringify(JSON.parse(body).data) === JSON.stringify(value)
            );
          },
        ),
      );
    });

    it.each(["", "x", "{", "[]", "null", "1", '"x"', "{} {}", "{'a':1}"])("refuses %j", (data) => {
      expect(() => text("payment.received", { data })).toThrow(invalid);
    });
  });

  describe("with values by path", () => {
    it.each<[string, string, unknown]>([
      ["data.amount", "1200", 1200],
      ["data.amount", '"1200"', "1200"],
      ["data.amount", "12,00", "12,00"],
      ["data.paid", "true", true],
      ["data.paid", "null", null],
      ["data.note", "", ""],
      ["data.note", "late = yes", "late = yes"],
      ["data.parts", '[{"a":1}]', [{ a: 1 }]],
      ["data.new.and.deep", "x", "x"],
      ["data.constructor", "x", "x"],
      ["data.toString.x", "x", "x"],
      ["webhook.id", "wh_2", "wh_2"],
      ["event", "lease.signed", "lease.signed"],
      ["timestamp", "never", "never"],
      ["id", "evt_own", "evt_own"],
    ])("sets %s=%s", (path, value, expected) => {
      const body = parsed("payment.received", set(path, value));
      const found = path.split(".").reduce((holder, step) => holder[step], body);
      expect(found).toEqual(expected);
    });

    it.each([
      ["data.x", "12345678901234567890123"],
      ["data.x", "-9007199254740993"],
      ["data.x", "1.50"],
      ["data.x", "0.1234567890123456789"],
      ["data.x", "1e400"],
      ["data.x", '{"deep":[12345678901234567890123,1.0]}'],
      ["data", '{"x":12345678901234567890123}'],
    ])("keeps a number as written: %s=%s", (path, value) => {
      expect(text("payment.received", set(path, value))).toContain(value);
    });

    it("keeps the numbers of --data if a value inside it is set", () => {
      const data = '{"big": 12345678901234567890123, "note": "1.50", "rate": 1.50}';
      const body = text("payment.received", {
        data,
        ...set("data.note", "12345678901234567890123 kept"),
      });
      expect(body).toContain(
        '"data":{"big":12345678901234567890123,"note":"12345678901234567890123 kept","rate":1.50}',
      );
    });

    it.each(["01", "1.", "+1", "0x10", "1_000", "NaN", "12345678901234567890123x"])(
      "treats %s, which is not a JSON number, as text",
      (value) => {
        expect(parsed("payment.received", set("data.x", value)).data.x).toBe(value);
      },
    );

    it("leaves everything else unchanged", () => {
      const sample = sampleEvent("property.created", { timestamp: AT });
      const body = parsed("property.created", set("data.owner.name", "Other"));
      expect(body).toEqual({
        ...sample,
        data: { ...sample.data, owner: { id: "user_sample_0001", name: "Other" } },
      });
    });

    it("applies values in order, so that the last one wins, also in lists", () => {
      const body = parsed("payment.received", {
        set: [
          { path: "data.list", value: "[1,2]" },
          { path: "data.list.0", value: "9" },
          { path: "data.amount", value: "1" },
          { path: "data.amount", value: "2" },
        ],
      });
      expect(body.data).toMatchObject({ list: [9, 2], amount: 2 });
    });

    it.each([
      "",
      ".",
      "data.",
      ".data",
      "data..x",
      "__proto__",
      "data.__proto__",
      "data.__proto__.x",
      "event.x",
    ])("refuses the path %j", (path) => {
      expect(() => text("payment.received", set(path, "1"))).toThrow(invalid);
      expect(Object.keys(Object.prototype)).toEqual([]);
    });

    it.each(["length", "3", "-1", "x"])("refuses the place %s in a list of two", (place) => {
      const list = { path: "data.list", value: "[1,2]" };
      const set = [list, { path: `data.list.${place}`, value: "-1" }];
      expect(() => text("payment.received", { set })).toThrow(invalid);
      expect(
        parsed("payment.received", { set: [list, { path: "data.list.2", value: "3" }] }).data.list,
      ).toEqual([1, 2, 3]);
    });
  });
});

describe("the resource of an event", () => {
  it("is in the sample's own id, unless data has another", () => {
    const idOf = (options: Partial<TriggerOptions>) => parsed("payment.received", options).data.id;
    expect(idOf({ resource: "ab12" })).toBe("payment_sample_ab12");
    expect(idOf({})).toMatch(/^payment_sample_[0-9]+$/);
    expect(idOf({ resource: "ab12", data: '{"id":7}' })).toBe(7);
    expect(idOf({ resource: "ab12", ...set("data.id", "own") })).toBe("own");
  });

  it("data that is no JSON object is refused with what it is", () => {
    const said = (data: string) => () => triggerBody("lead.created", { timestamp: AT, data });
    expect(said("{")).toThrow("expected data to be a JSON object, got text that is not JSON");
    for (const data of ["[1]", "null", "7", '"x"'])
      expect(said(data)).toThrow("expected data to be a JSON object, got another JSON value");
  });
});
