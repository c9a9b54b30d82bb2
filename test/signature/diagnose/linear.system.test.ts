import { expect, it } from "vitest";
import { adviceFor } from "../../../src/signature/diagnose/advice.ts";
import {
  bodyVariants,
  decode,
  rareBodyVariants,
} from "../../../src/signature/diagnose/body-variants.ts";
import { lostByteVariants } from "../../../src/signature/diagnose/charset-variants.ts";
import { nulVariants } from "../../../src/signature/diagnose/cut-variants.ts";
import { diagnoseSignature } from "../../../src/signature/diagnose/diagnose.ts";
import { readForms } from "../../../src/signature/diagnose/header-form.ts";
import { printersOf } from "../../../src/signature/diagnose/json-libraries.ts";
import { peeled } from "../../../src/signature/diagnose/key-peeling.ts";
import { jsonOfNative } from "../../../src/signature/diagnose/native-printing.ts";
import { rareSchemes } from "../../../src/signature/diagnose/rare-schemes.ts";
import { schemeVariants } from "../../../src/signature/diagnose/scheme-variants.ts";
import { plainText } from "../../../src/signature/diagnose/typeset.ts";
import { readSecrets } from "../../../src/signature/secrets.ts";
import { repeated, slowOf } from "../../growth.ts";
import { processorTimeOf } from "../../processor-time.ts";

/** Milliseconds that count as no time. */
const LEAST = 60;

const RUNS = {
  blanks: [" ", "\t", "\n", "\r\n", " \n", "\0", "\u2028", "\uFEFF"],
  words: ["a", "0", "9", "1-", "1:", "A=", "null", "T", "."],
  quotes: ["\\", '\\"', '"', "'", "\\'", "{", "[", "[]"],
  encoded: ["=", "+", "/", "%", "%41", "&", "&amp;", "#", "#{"],
  beyond: ["é", "\u0301", "\uFFFD"],
};

const PAIRS = ["{'", '{"a" => "', '"timestamp"', "\u{1f600}"];
const OPENINGS = ["", "a", "&", "&#", '"', "'", "%", "=", ...PAIRS];

/** JSON whose strings, numbers, keys or gaps are long, or of which there are many. */
const JSON_SHAPES: Readonly<Record<string, (size: number) => string>> = {
  "a fraction of zeros in a date": (size) => `{"t":"2026-01-01T00:00:00.${"0".repeat(size)}"}`,
  "a fraction of zeros that do not end it": (size) =>
    `{"t":"2026-01-01T00:00:00.${"0".repeat(size)}1Z"}`,
  "a date without end": (size) => `{"t":"${"1-".repeat(size / 2)}T${"1:".repeat(size / 2)}"}`,
  "a number of zeros": (size) => `{"t":0.${"0".repeat(size)}}`,
  "a number of digits": (size) => `{"t":${"9".repeat(size)}}`,
  "an exponent": (size) => `{"t":1.5e-${"9".repeat(size)}}`,
  "spaces between tokens": (size) => `{"a":${" ".repeat(size)}1}`,
  "white space around it": (size) => `${"\t".repeat(size / 2)}{"a":1}${" ".repeat(size / 2)}`,
  "empty lists": (size) => `[${"[],".repeat(size / 3)}[]]`,
  "equal keys": (size) => `{${'"a":1,'.repeat(size / 6)}"a":1}`,
  keys: (size) => `{${Array.from({ length: size / 12 }, (_, index) => `"${index}":null`).join()}}`,
  "a key": (size) => `{"${"a".repeat(size)}":1,"data":{}}`,
  "a wrapped text": (size) => `{"Message":"${"ab+".repeat(size / 3)}!"}`,
  "strings of escapes": (size) => `["${"\\u00e9\\/\\\\".repeat(size / 10)}"]`,
  "a string of quotes": (size) => `["${'\\"'.repeat(size / 2)}"]`,
  "joined lines": (size) => `{  ${'"a": "b",  '.repeat(size / 12)}"z":1}`,
};

const SHAPES: readonly (readonly [string, (size: number) => Uint8Array])[] = [
  ...Object.values(RUNS)
    .flat()
    .flatMap((run) =>
      OPENINGS.map((opening) => {
        const name = `${JSON.stringify(opening)} and ${JSON.stringify(run)} repeated`;
        return [name, (size: number) => Buffer.from(`${opening}${repeated(run, size)}!`)] as const;
      }),
    ),
  ...Object.entries(JSON_SHAPES).map(
    ([name, make]) => [name, (size: number) => Buffer.from(make(size))] as const,
  ),
  ...[0x80, 0xff, 0x0e].map(
    (byte) => [`bytes ${byte}`, (size: number) => Buffer.alloc(size, byte)] as const,
  ),
  [
    "line breaks in Latin-1",
    (size) => Buffer.concat([Buffer.from([0xe9]), Buffer.alloc(size, "\n"), Buffer.from("!")]),
  ],
  ["spaces in UTF-16", (size) => Buffer.from(`a${" ".repeat(size / 2)}a`, "utf16le")],
  [
    "what begins as gzip",
    (size) => Buffer.concat([Buffer.from([0x1f, 0x8b]), Buffer.alloc(size, 1)]),
  ],
];

/**
 * All that a diagnosis does with a body and a header, but for the hashing, whose work is limited.
 */
function makeAll(body: Uint8Array): void {
  const text = decode(body) ?? "";
  const { variants } = bodyVariants(body);
  const rare = rareBodyVariants(body);
  for (const { bytes } of [
    ...variants,
    ...rare,
    ...nulVariants(body),
    ...schemeVariants(body, {}, "/w?a"),
  ])
    bytes();
  printersOf(body, body);
  lostByteVariants(text);
  jsonOfNative(text);
  readForms(text === "" ? "x" : text);
  adviceFor(body, [], [], false, { "content-length": text });
  schemeVariants(Buffer.from("{}"), { "x-timestamp": text, host: text }, `/${text}`);
  rareSchemes(body, { "x-id": text, host: "a.example" }, "/w?a");
  // A secret is taken apart at each of its characters only if it is short.
  peeled(text);
  plainText(text);
}

it("no function of a diagnosis takes more than twice as long for a body that is twice as long", async () => {
  expect(await slowOf(SHAPES, makeAll, LEAST)).toEqual([]);
}, 600_000);

it("a body is hashed once, however many headers look like its signature", () => {
  const body = Buffer.alloc(4 * 1024 * 1024);
  const secrets = readSecrets("a secret that is long enough");
  const withHeaders = (count: number) => {
    const names = Array.from({ length: count }, (_, index) => `x-${index}`);
    const headers = Object.fromEntries(names.map((name) => [name, `sha256=${"0".repeat(64)}`]));
    return processorTimeOf(() => diagnoseSignature(body, undefined, secrets, { headers }));
  };
  withHeaders(1); // warm up
  expect(withHeaders(200) / withHeaders(1)).toBeLessThan(20);
});
