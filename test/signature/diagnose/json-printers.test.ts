import { expect, it } from "vitest";
import { JSON_PRINTERS, printJson } from "../../../src/signature/diagnose/json-printers.ts";

const TEXT =
  '{"t":"2026-01-15T09:30:00.500Z","address":"12/14 rue de l’Église, <Zürich> & \'Sons\' = 1 + 1 😀","rooms":3,"at":"2026-01-15T09:30:00.000Z","list":[1,"a"]}';

const ENVELOPE = `{"event":"e","timestamp":"t","data":${TEXT},"webhook":{"url":"https://x","id":"w"}}`;

/** Written by Python 3, PHP 8.2, Gson 2.11 and Jackson 2.17, that of Go and .NET by their documentation. */
const PRINTED: Readonly<Record<string, string>> = {
  "Python's `json.dumps`":
    '{"t": "2026-01-15T09:30:00.500Z", "address": "12/14 rue de l\\u2019\\u00c9glise, <Z\\u00fcrich> & \'Sons\' = 1 + 1 \\ud83d\\ude00", "rooms": 3, "at": "2026-01-15T09:30:00.000Z", "list": [1, "a"]}',
  "PHP's `json_encode`":
    '{"t":"2026-01-15T09:30:00.500Z","address":"12\\/14 rue de l\\u2019\\u00c9glise, <Z\\u00fcrich> & \'Sons\' = 1 + 1 \\ud83d\\ude00","rooms":3,"at":"2026-01-15T09:30:00.000Z","list":[1,"a"]}',
  "Gson's `toJson` of a map":
    '{"t":"2026-01-15T09:30:00.500Z","address":"12/14 rue de l’Église, \\u003cZürich\\u003e \\u0026 \\u0027Sons\\u0027 \\u003d 1 + 1 😀","rooms":3.0,"at":"2026-01-15T09:30:00.000Z","list":[1.0,"a"]}',
  "Jackson with `ESCAPE_NON_ASCII`":
    '{"t":"2026-01-15T09:30:00.500Z","address":"12/14 rue de l\\u2019\\u00C9glise, <Z\\u00FCrich> & \'Sons\' = 1 + 1 \\uD83D\\uDE00","rooms":3,"at":"2026-01-15T09:30:00.000Z","list":[1,"a"]}',
  "Go's `json.Encoder` of a map":
    '{"address":"12/14 rue de l’Église, \\u003cZürich\\u003e \\u0026 \'Sons\' = 1 + 1 😀","at":"2026-01-15T09:30:00.000Z","list":[1,"a"],"rooms":3,"t":"2026-01-15T09:30:00.500Z"}\n',
  ".NET's `JsonSerializer.Serialize`":
    '{"t":"2026-01-15T09:30:00.500Z","address":"12/14 rue de l\\u2019\\u00C9glise, \\u003CZ\\u00FCrich\\u003E \\u0026 \\u0027Sons\\u0027 = 1 \\u002B 1 \\uD83D\\uDE00","rooms":3,"at":"2026-01-15T09:30:00.000Z","list":[1,"a"]}',
  "Json.NET's `JsonConvert.SerializeObject`":
    '{"t":"2026-01-15T09:30:00.5Z","address":"12/14 rue de l’Église, <Zürich> & \'Sons\' = 1 + 1 😀","rooms":3,"at":"2026-01-15T09:30:00Z","list":[1,"a"]}',
};

it.each(Object.entries(PRINTED))("%s is printed as by the library", (name, printed) => {
  const printer = JSON_PRINTERS.find((one) => one.name === name);
  expect(printer && printJson(TEXT, printer)).toBe(printed);
});

it("every printer prints its own bytes, and prints them again unchanged", () => {
  const texts = JSON_PRINTERS.map((printer) => {
    const text = printer.keepsFractions === true ? ENVELOPE.replace('"rooms":3', '"rooms":3.0') : ENVELOPE;
    return printJson(text, printer) ?? "";
  });
  expect(new Set(texts).size).toBe(JSON_PRINTERS.length);
  const again = JSON_PRINTERS.map((printer, index) => printJson(texts[index] ?? "", printer));
  expect(again).toEqual(texts);
});

it("the first printer that accepts what another prints is never one that changes more", () => {
  // A receiver with one printer accepts every text that this printer leaves unchanged: the first must be its own.
  const wrong = JSON_PRINTERS.flatMap((printer) => {
    const first = JSON_PRINTERS.find((other) => {
      const text = other.keepsFractions === true ? ENVELOPE.replace('"rooms":3', '"rooms":3.0') : ENVELOPE;
      const sent = printJson(text, other) ?? "";
      const isJavaScript = printer.name.includes("JSON.stringify") || printer.name.includes("PHP");
      const parsed = isJavaScript ? sent.replace("3.0", "3") : sent;
      return printJson(parsed, printer) === sent;
    });
    return first === printer ? [] : [`${printer.name}: ${first?.name}`];
  });
  expect(wrong).toEqual([]);
});

it("keys are in the order in which Java's HashMap keeps them", () => {
  const data = ["id", "type", "address", "surface", "rooms", "purchase_price", "created_at", "owner"];
  const member = (name: string, value: string) => `"${name}":${value}`;
  const text = `{"event":1,"timestamp":2,"data":{${data.map((name) => member(name, "1")).join()}},"webhook":3}`;
  const keys = (name: string) => {
    const printer = JSON_PRINTERS.find((one) => one.name === name);
    return [...((printer && printJson(text, printer)) ?? "").matchAll(/"(\w+)":/g)].map(([, key]) => key);
  };
  const hashed = ["owner", "rooms", "address", "surface", "purchase_price", "created_at", "id", "type"]; // by Java 17
  expect(keys("Java's `org.json`")).toEqual(["webhook", "data", ...hashed, "event", "timestamp"]);
  expect(keys("Jackson's `writeValueAsString` of a `HashMap`")).toEqual([
    ...["webhook", "data", ...data, "event", "timestamp"],
  ]);
});

it("a text that is not JSON is not printed", () => {
  expect(JSON_PRINTERS.map((printer) => printJson("{", printer))).toEqual(JSON_PRINTERS.map(() => undefined));
});
