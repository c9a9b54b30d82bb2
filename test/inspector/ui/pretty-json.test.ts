import fc from "fast-check";
import { expect, it } from "vitest";
import { comparableLines, prettyJson } from "../../../src/inspector/ui/pretty-json.ts";

const shown = (text: string) =>
  prettyJson(text)
    ?.map((line) => line.map((token) => token.text).join(""))
    .join("\n");

it("indentation equals that of JSON.stringify for any value", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(shown(JSON.stringify(JSON.parse(text)))).toBe(JSON.stringify(JSON.parse(text), null, 2));
    }),
  );
});

it("numbers, escapes and key order stay as they were sent", () => {
  const text = '{"b":12345678901234567890.10,"a":"\\u00e9\\/","n":1.50e+10,"e":{},"l":[]}';
  expect(shown(text)).toBe(
    '{\n  "b": 12345678901234567890.10,\n  "a": "\\u00e9\\/",\n  "n": 1.50e+10,\n  "e": {},\n  "l": []\n}',
  );
  expect(
    prettyJson(text)
      ?.flat()
      .filter(({ kind }) => kind === "key"),
  ).toHaveLength(5);
});

it("text that is not JSON stays unchanged", () => {
  expect(prettyJson("{")).toBeUndefined();
  expect(comparableLines("one\ntwo")).toEqual(["one", "two"]);
});
