import fc from "fast-check";
import { expect, it } from "vitest";
import { parsePath, valueAt } from "../../../src/inspector/entries/value-path.ts";

it.each([
  ["data.id", ["data", "id"]],
  ["data.items[3].id", ["data", "items", 3, "id"]],
  ['data["a.b"].é', ["data", "a.b", "é"]],
  ["[0]", [0]],
  ["", undefined],
  ["data.", undefined],
  ["data..id", undefined],
  ["data[x]", undefined],
])("the path %s is read", (text, path) => {
  expect(parsePath(text)).toEqual(path);
});

const BODY =
  '{"event":"x", "data" : {"a":[1,{"id":"in\\"ner"}],"id":"pay_1","n":12.50,"t":true,"o":{},"z":null}}';

it.each([
  ["data.id", "pay_1"],
  ["data.a[1].id", 'in"ner'],
  ["data.a[0]", "1"],
  ["data.n", "12.50"],
  ["data.t", "true"],
  ["data.o", undefined],
  ["data.z", undefined],
  ["data.missing", undefined],
  ["data.id.more", undefined],
  ["event[0]", undefined],
])("the value at %s is %s", (path, value) => {
  expect(valueAt(BODY, parsePath(path) ?? [])).toBe(value);
});

it("a value is found in JSON that is cut after it, and not if it is cut before or within it", () => {
  const end = BODY.indexOf('"pay_1"') + '"pay_1"'.length;
  for (let length = 0; length <= BODY.length; length++) {
    expect(valueAt(BODY.slice(0, length), ["data", "id"]), String(length)).toBe(
      length < end ? undefined : "pay_1",
    );
  }
});

it("values of any JSON are found, and any text is read without a failure", () => {
  const key = fc.oneof(fc.string(), fc.constantFrom("id", "data"));
  fc.assert(
    fc.property(fc.dictionary(key, fc.jsonValue()), key, fc.string(), (value, name, id) => {
      const json = JSON.stringify({ ...value, data: { ...value, [name]: value, id } });
      expect(valueAt(json, ["data", "id"])).toBe(id);
    }),
  );
  const bits = fc.array(
    fc.constantFrom("{", "}", "[", "]", '"', "\\", ":", ",", "data", '"data"', '"id"', "1", " "),
  );
  fc.assert(fc.property(bits, (parts) => void valueAt(parts.join(""), ["data", "id"])));
});
