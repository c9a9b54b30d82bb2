import { expect, it } from "vitest";
import {
  LIBRARIES,
  namesOf,
  printedText,
  printJson,
} from "../../../src/signature/diagnose/json-libraries.ts";

const TEXT =
  '{"t":"2026-01-15T09:30:00.500Z","address":"12/14 rue de l’Église, <Zürich> & \'Sons\' = 1 + 1 😀","rooms":3,"at":"2026-01-15T09:30:00.000Z","list":[1,"a"]}';

const ENVELOPE = `{"event":"e","timestamp":"t","data":${TEXT},"webhook":{"url":"https://x","id":"w"}}`;

/**
 * Written by Python 3, PHP 8.2, Gson 2.11 and Jackson 2.17, that of Go and .NET by their
 * documentation.
 */
const PRINTED: Readonly<Record<string, string>> = {
  "Python's `json.dumps`":
    '{"t": "2026-01-15T09:30:00.500Z", "address": "12/14 rue de l\\u2019\\u00c9glise, <Z\\u00fcrich> & \'Sons\' = 1 + 1 \\ud83d\\ude00", "rooms": 3, "at": "2026-01-15T09:30:00.000Z", "list": [1, "a"]}',
  "PHP's `json_encode`":
    '{"t":"2026-01-15T09:30:00.500Z","address":"12\\/14 rue de l\\u2019\\u00c9glise, <Z\\u00fcrich> & \'Sons\' = 1 + 1 \\ud83d\\ude00","rooms":3,"at":"2026-01-15T09:30:00.000Z","list":[1,"a"]}',
  "Gson's `toJson` of a map":
    '{"t":"2026-01-15T09:30:00.500Z","address":"12/14 rue de l’Église, \\u003cZürich\\u003e \\u0026 \\u0027Sons\\u0027 \\u003d 1 + 1 😀","rooms":3.0,"at":"2026-01-15T09:30:00.000Z","list":[1.0,"a"]}',
  "Go's `json.Encoder` of a map":
    '{"address":"12/14 rue de l’Église, \\u003cZürich\\u003e \\u0026 \'Sons\' = 1 + 1 😀","at":"2026-01-15T09:30:00.000Z","list":[1,"a"],"rooms":3,"t":"2026-01-15T09:30:00.500Z"}\n',
  ".NET's `JsonSerializer.Serialize`":
    '{"t":"2026-01-15T09:30:00.500Z","address":"12/14 rue de l\\u2019\\u00C9glise, \\u003CZ\\u00FCrich\\u003E \\u0026 \\u0027Sons\\u0027 = 1 \\u002B 1 \\uD83D\\uDE00","rooms":3,"at":"2026-01-15T09:30:00.000Z","list":[1,"a"]}',
  "Json.NET's `JsonConvert.SerializeObject`":
    '{"t":"2026-01-15T09:30:00.5Z","address":"12/14 rue de l’Église, <Zürich> & \'Sons\' = 1 + 1 😀","rooms":3,"at":"2026-01-15T09:30:00Z","list":[1,"a"]}',
};

it.each(Object.entries(PRINTED))("%s is printed as by the library", (name, printed) => {
  const library = LIBRARIES.find((library) => library.name === name);
  expect(library && printJson(TEXT, library)).toBe(printed);
});

it("what a library has printed, it prints again unchanged", () => {
  const texts = LIBRARIES.map((library) => printJson(ENVELOPE, library) ?? "");
  expect(LIBRARIES.map((library, index) => printJson(texts[index] ?? "", library))).toEqual(texts);
});

it("keys are in the order in which Java's HashMap keeps them", () => {
  const data = [
    "id",
    "type",
    "address",
    "surface",
    "rooms",
    "purchase_price",
    "created_at",
    "owner",
  ];
  const member = (name: string, value: string) => `"${name}":${value}`;
  const text = `{"event":1,"timestamp":2,"data":{${data.map((name) => member(name, "1")).join()}},"webhook":3}`;
  const keys = (name: string) => {
    const library = LIBRARIES.find((library) => library.name === name);
    return [...((library && printJson(text, library)) ?? "").matchAll(/"(\w+)":/g)].map(
      ([, key]) => key,
    );
  };
  const hashed = [
    "owner",
    "rooms",
    "address",
    "surface",
    "purchase_price",
    "created_at",
    "id",
    "type",
  ]; // by Java 17
  expect(keys("Java's `org.json`")).toEqual(["webhook", "data", ...hashed, "event", "timestamp"]);
  expect(keys("Jackson's `writeValueAsString` of a `HashMap`")).toEqual([
    "webhook",
    "data",
    ...data,
    "event",
    "timestamp",
  ]);
});

it("a text that is not JSON is not printed", () => {
  expect(LIBRARIES.map((library) => printJson("{", library))).toEqual(
    LIBRARIES.map(() => undefined),
  );
});

it("names up to three libraries, each once", () => {
  const names = namesOf(["A", "A", "B", "C", "D"].map((name) => ({ name })));
  expect(printedText(names)).toBe("as A, B or C prints it");
  expect(printedText(["A", "B"])).toBe("as A or B prints it");
});
