import { signed } from "./made.ts";
import { type Mistakes, sentAs, signedAs } from "./mistake.ts";

/** Stands for the number; longer than any text that a test draws. */
const NUMBER = `"${"number ".repeat(20)}"`;

/** JSON printed with an indent, with its numbers unchanged. */
export const spaced = (indent: number | string) => (json: string) => {
  // Numbers stay as written, so that only spacing changes.
  const text = JSON.stringify(JSON.parse(json.replaceAll("1450.50", NUMBER)), null, indent);
  return text.replaceAll(NUMBER, "1450.50");
};
/** As Python prints JSON without commas and colons in its strings. */
const pythonSpaced = () => '{"event": "e", "data": {"b": [1, 2, {}], "a": []}}';
/** As the pretty printer of Jackson prints JSON without white space in its strings. */
const jacksonSpaced = `{
  "event" : "e",
  "data" : {
    "b" : [ 1, [ 2, { } ], {
      "c" : null
    }, {
      "d" : [ ]
    } ]
  }
}`;
const ascii = (json: string) =>
  json.replace(
    /[^\0-\x7e]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
const sorted = (json: string) => {
  const { data, event, webhook } = JSON.parse(json.replaceAll("1450.50", NUMBER));
  const keys = Object.fromEntries(Object.entries(data).sort(([a], [b]) => (a < b ? -1 : 1)));
  return JSON.stringify({ data: keys, event, webhook }).replaceAll(NUMBER, "1450.50");
};
const simple = (json: string) => json.replace(/"list":.*(?=\},"webhook")/, '"list":[]');

/** Mistakes in how JSON is printed. */
export const JSON_MISTAKES: Mistakes = [
  ...[1, 2, 4, "\t"].flatMap((indent) => [
    ["json_spacing", `sent with indent ${JSON.stringify(indent)}`, sentAs(spaced(indent))] as const,
    [
      "json_spacing",
      `signed with indent ${JSON.stringify(indent)}`,
      signedAs(spaced(indent)),
    ] as const,
  ]),
  [
    "json_spacing",
    "signed as Python prints",
    (_, secret) => ({
      body: pythonSpaced().replaceAll(" ", ""),
      header: signed(pythonSpaced(), secret),
    }),
  ],
  [
    "json_spacing",
    "sent as Python prints",
    (_, secret) => ({
      body: pythonSpaced(),
      header: signed(pythonSpaced().replaceAll(" ", ""), secret),
    }),
  ],
  [
    "json_key_order",
    "signed after PHP's `ksort`, which sorts the envelope alone",
    (_, secret) => ({
      body: '{"event":"e","data":{"b":1,"a":2},"webhook":{"url":"u","id":"w"}}',
      header: signed('{"data":{"b":1,"a":2},"event":"e","webhook":{"url":"u","id":"w"}}', secret),
    }),
  ],
  [
    "json_key_order",
    "signed with sorted keys",
    (json, secret) => ({ body: simple(json), header: signed(sorted(simple(json)), secret) }),
  ],
  [
    "json_key_order",
    "sent with sorted keys, which the service describes in another order",
    (_, secret) => {
      const data =
        '"data":{"address":"1 Rue","id":"prop_1","owner":{"id":"user_1","name":"é"},"type":"a"}';
      const described =
        '"data":{"id":"prop_1","type":"a","address":"1 Rue","owner":{"id":"user_1","name":"é"}}';
      const hook = '"webhook":{"id":"wh_1","url":"u"}';
      return {
        body: `{${data},"event":"e","timestamp":"t",${hook}}`,
        header: signed(`{"event":"e","timestamp":"t",${described},${hook}}`, secret),
      };
    },
  ],
  ["json_escapes", "signed with \\u escapes", signedAs(ascii)],
  [
    "json_escapes",
    "sent with \\u escapes",
    (json, secret) => ({ body: ascii(simple(json)), header: signed(simple(json), secret) }),
  ],
  ["json_escapes", "signed with \\/", signedAs((json) => json.replaceAll("/", "\\/"))],
  [
    "json_escapes",
    "sent with \\/",
    (json, secret) => ({
      body: simple(json).replaceAll("/", "\\/"),
      header: signed(simple(json), secret),
    }),
  ],
  [
    "json_numbers",
    "signed as JavaScript prints numbers",
    signedAs((json) => json.replaceAll("1450.50", "1450.5")),
  ],
  [
    "json_spacing",
    "signed as Jackson prints",
    (_, secret) => ({
      body: jacksonSpaced.replace(/\s/g, ""),
      header: signed(jacksonSpaced, secret),
    }),
  ],
  [
    "json_spacing",
    "sent as Jackson prints",
    (_, secret) => ({
      body: jacksonSpaced,
      header: signed(jacksonSpaced.replace(/\s/g, ""), secret),
    }),
  ],
  [
    "json_escapes",
    "signed as Gson prints",
    (_, secret) => ({
      body: '{"a":"é<b>=\'&\'"}',
      header: signed('{"a":"é\\u003cb\\u003e\\u003d\\u0027\\u0026\\u0027"}', secret),
    }),
  ],
  [
    "json_nulls",
    "signed as Gson prints it, without null",
    (_, secret) => ({
      body: '{"a":null,"b":[null,{"c":null}],"d":{"e":1,"f":null}}',
      header: signed('{"b":[null,{}],"d":{"e":1}}', secret),
    }),
  ],
  [
    "json_empty_objects",
    "signed as PHP prints an array",
    (_, secret) => ({
      body: '{"a":{},"b":[],"c":{"d":{}}}',
      header: signed('{"a":[],"b":[],"c":{"d":[]}}', secret),
    }),
  ],
  [
    "json_empty_objects",
    "sent as PHP prints an array",
    (_, secret) => ({
      body: '{"a":[],"b":[],"c":{"d":[]}}',
      header: signed('{"a":{},"b":[],"c":{"d":{}}}', secret),
    }),
  ],
];
