import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { comparableLines, JsonReader, readJson } from "../../../src/inspector/json/json-reader.ts";

const shown = (text: string) => comparableLines(text).join("\n");

/**
 * JSON with white space, from values without `__proto__`, which JSON.parse and spreading treat in
 * their own ways.
 */
const json = fc
  .tuple(fc.jsonValue(), fc.integer({ min: 0, max: 3 }))
  .map(([value, indent]) => JSON.stringify(value, null, indent));

/** Texts that are almost JSON. */
const almost = fc
  .tuple(json, fc.nat(), fc.constantFrom(...'{}[],:"\\0-.eEtu \u0001'))
  .map(([text, at, mark]) => {
    const place = at % (text.length + 1);
    return text.slice(0, place) + mark + text.slice(place + (at % 2));
  });

const accepts = (text: string) => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

describe("the reader", () => {
  it("indents any value as JSON.stringify does", () => {
    fc.assert(
      fc.property(json, (text) => {
        expect(shown(text)).toBe(JSON.stringify(JSON.parse(text), null, 2));
      }),
    );
  });

  it("accepts exactly the texts that JSON.parse accepts", () => {
    fc.assert(
      fc.property(
        fc.oneof(almost, fc.string({ unit: fc.constantFrom(...'{}[],:"\\0-1.eE+u ') })),
        (text) => {
          expect(readJson(text) !== undefined, text).toBe(accepts(text));
        },
      ),
      { numRuns: 3000 },
    );
  });

  it("reads the same lines in parts as at once", () => {
    fc.assert(
      fc.property(json, fc.integer({ min: 1, max: 20 }), (text, part) => {
        const reader = new JsonReader(text);
        let state = reader.read(part);
        while (state === "more") state = reader.read(part);
        expect(state).toBe("done");
        expect([...reader.lines.texts()].join("\n")).toBe(shown(text));
      }),
    );
  });

  it("keeps numbers, escapes, duplicate keys and order as they were sent", () => {
    const text = '{"b":12345678901234567890.10,"a":"\\u00e9\\/","b":1.50e+10,"e":{ },"l":[]}';
    expect(shown(text)).toBe(
      '{\n  "b": 12345678901234567890.10,\n  "a": "\\u00e9\\/",\n  "b": 1.50e+10,\n  "e": {},\n  "l": []\n}',
    );
  });

  it("reads a million brackets, a long string and a long number", () => {
    const deep = "[".repeat(500_000) + "]".repeat(500_000);
    expect(readJson(deep)?.count).toBe(999_999);
    expect(readJson(`"${"x".repeat(5_000_000)}"`)?.count).toBe(1);
    expect(readJson("1".repeat(5_000_000))?.count).toBe(1);
  });

  it("leaves text that is not JSON unchanged", () => {
    expect(readJson("{")).toBeUndefined();
    expect(comparableLines("one\ntwo")).toEqual(["one", "two"]);
  });
});

describe("a line", () => {
  /** Every value of a JSON value with its path, in order. */
  function* walk(value: unknown, path: string): Generator<readonly [string, unknown]> {
    yield [path === "" ? "$" : path.replace(/^\./, ""), value];
    if (typeof value !== "object" || value === null) return;
    for (const [key, member] of Object.entries(value)) {
      const isName = /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(key);
      const step = Array.isArray(value)
        ? `[${key}]`
        : isName
          ? `.${key}`
          : `[${JSON.stringify(key)}]`;
      yield* walk(member, path + step);
    }
  }

  it("has the path and the text of its value", () => {
    fc.assert(
      fc.property(json, (text) => {
        const lines = readJson(text);
        if (lines === undefined) throw new Error("expected JSON");
        const all = Array.from({ length: lines.count }, (_, line) => line);
        const values = all.filter((line) => lines.kind(line) !== "close");
        expect(values.map((line) => [lines.path(line), JSON.parse(lines.value(line))])).toEqual([
          ...walk(JSON.parse(text), ""),
        ]);
      }),
    );
  });

  it("at the end of an object or array has the path and the text of the whole", () => {
    const lines = readJson('{"a": [1, {"b c": 2.0}]}');
    expect(lines?.path(5)).toBe("a[1]");
    expect(lines?.value(5)).toBe('{"b c": 2.0}');
    expect(lines?.path(4)).toBe('a[1]["b c"]');
    expect(lines?.value(4)).toBe("2.0");
  });
});
