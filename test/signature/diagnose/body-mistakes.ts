import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { signed } from "./made.ts";
import { bytes, type Mistakes, sentAs, signedAs } from "./mistake.ts";

/** JSON printed with an indent, with its numbers unchanged. */
export const spaced = (indent: number | string) => (json: string) => {
  // Numbers stay as written, so that only spacing changes.
  const text = JSON.stringify(JSON.parse(json.replaceAll("1450.50", '"##"')), null, indent);
  return text.replaceAll('"##"', "1450.50");
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
  json.replace(/[^\0-\x7e]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
const sorted = (json: string) => {
  const { data, event, webhook } = JSON.parse(json.replaceAll("1450.50", '"##"'));
  const keys = Object.fromEntries(Object.entries(data).sort(([a], [b]) => (a < b ? -1 : 1)));
  return JSON.stringify({ data: keys, event, webhook }).replaceAll('"##"', "1450.50");
};
const simple = (json: string) => json.replace(/"list":.*(?=\},"webhook")/, '"list":[]');

/** Mistakes in the body. */
export const BODY_MISTAKES: Mistakes = [
  ...[2, 4, "\t"].flatMap((indent) => [
    ["json_spacing", `sent with indent ${JSON.stringify(indent)}`, sentAs(spaced(indent))] as const,
    ["json_spacing", `signed with indent ${JSON.stringify(indent)}`, signedAs(spaced(indent))] as const,
  ]),
  [
    "json_spacing",
    "signed as Python prints",
    (_, secret) => ({ body: pythonSpaced().replaceAll(" ", ""), header: signed(pythonSpaced(), secret) }),
  ],
  [
    "json_spacing",
    "sent as Python prints",
    (_, secret) => ({ body: pythonSpaced(), header: signed(pythonSpaced().replaceAll(" ", ""), secret) }),
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
      const data = '"data":{"address":"1 Rue","id":"prop_1","owner":{"id":"user_1","name":"é"},"type":"a"}';
      const described =
        '"data":{"id":"prop_1","type":"a","address":"1 Rue","owner":{"id":"user_1","name":"é"}}';
      const hook = '"webhook":{"id":"wh_1","url":"u"}';
      return {
        body: `{${data},"event":"e","timestamp":"t",${hook}}`,
        header: signed(`{"event":"e","timestamp":"t",${described},${hook}}`, secret),
      };
    },
  ],
  [
    "json_key_order",
    "signed with sorted keys in data alone",
    (_, secret) => ({
      body: '{"event":"e","data":{"b":[{"d":1,"c":2}],"a":0},"a":{"z":1,"y":2}}',
      header: signed('{"event":"e","data":{"a":0,"b":[{"c":2,"d":1}]},"a":{"z":1,"y":2}}', secret),
    }),
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
    (json, secret) => ({ body: simple(json).replaceAll("/", "\\/"), header: signed(simple(json), secret) }),
  ],
  [
    "json_numbers",
    "signed as JavaScript prints numbers",
    signedAs((json) => json.replaceAll("1450.50", "1450.5")),
  ],
  [
    "json_spacing",
    "signed as Jackson prints",
    (_, secret) => ({ body: jacksonSpaced.replace(/\s/g, ""), header: signed(jacksonSpaced, secret) }),
  ],
  [
    "json_spacing",
    "sent as Jackson prints",
    (_, secret) => ({ body: jacksonSpaced, header: signed(jacksonSpaced.replace(/\s/g, ""), secret) }),
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
    "json_escapes",
    "signed as Jackson escapes",
    (_, secret) => ({ body: '{"a":"é<Ü"}', header: signed('{"a":"\\u00E9<\\u00DC"}', secret) }),
  ],
  ["newline_at_end", "signed with a newline", signedAs((json) => `${json}\n`)],
  ["newline_at_end", "signed with CRLF at the end", signedAs((json) => `${json}\r\n`)],
  ["newline_at_end", "sent with a newline", sentAs((json) => `${json}\n`)],
  ["newline_at_end", "sent with CRLF at the end", sentAs((json) => `${json}\r\n`)],
  [
    "line_endings",
    "CRLF became LF",
    (json, secret) => ({ body: `{\n"a":${json}}`, header: signed(`{\r\n"a":${json}}`, secret) }),
  ],
  [
    "line_endings",
    "LF became CRLF",
    (json, secret) => ({ body: `{\r\n"a":${json}}`, header: signed(`{\n"a":${json}}`, secret) }),
  ],
  ["byte_order_mark", "signed with one", signedAs((json) => `\uFEFF${json}`)],
  ["byte_order_mark", "sent with one", sentAs((json) => `\uFEFF${json}`)],
  [
    "charset",
    "UTF-8 read as Latin-1 and encoded again on the way",
    sentAs((json) => Buffer.from(bytes(json).toString("latin1"), "utf8")),
  ],
  [
    "charset",
    "UTF-8 read as Latin-1 and encoded again before signing",
    signedAs((json) => bytes(json).toString("latin1")),
  ],
  [
    "charset",
    "UTF-8 taken for Windows-1252 before signing",
    // Written down, since `TextDecoder` of some Node versions reads Latin-1 instead.
    (_, secret) => ({ body: '{"a":"€"}', header: signed('{"a":"\u00e2\u201a\u00ac"}', secret) }),
  ],
  [
    "charset",
    "signed as Windows-1252",
    (_, secret) => {
      const all = "€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ é";
      const hex = "8082838485868788898a8b8c8e9192939495969798999a9b9c9e9f20e9";
      return { body: all, header: signed(Buffer.from(hex, "hex"), secret) };
    },
  ],
  [
    "charset",
    "signed as UTF-16 with a byte order mark",
    signedAs((json) => Buffer.from(`\uFEFF${json}`, "utf16le")),
  ],
  [
    "charset",
    "signed as big-endian UTF-16 with a byte order mark",
    signedAs((json) => Buffer.from(`\uFEFF${json}`, "utf16le").swap16()),
  ],
  ["charset", "sent as UTF-16", sentAs((json) => Buffer.from(json, "utf16le"))],
  [
    "charset",
    "sent as UTF-16 with a byte order mark",
    sentAs((json) => Buffer.from(`\uFEFF${json}`, "utf16le")),
  ],
  [
    "charset",
    "sent as big-endian UTF-16 with a byte order mark",
    sentAs((json) => Buffer.from(`\uFEFF${json}`, "utf16le").swap16()),
  ],
  ["charset", "signed as UTF-16", signedAs((json) => Buffer.from(json, "utf16le"))],
  [
    "charset",
    "signed as Latin-1",
    (_, secret) => ({ body: '{"a":"é"}', header: signed(Buffer.from('{"a":"é"}', "latin1"), secret) }),
  ],
  [
    "undecodable",
    "decoded before signing",
    (_, secret) => ({ body: Buffer.from('{"a":"é"}', "latin1"), header: signed('{"a":"\uFFFD"}', secret) }),
  ],
  [
    "undecodable",
    "decoded on the way",
    (_, secret) => ({
      body: '{"a":"\uFFFDt\uFFFD"}',
      header: signed(Buffer.from('{"a":"été"}', "latin1"), secret),
    }),
  ],
  ["body_empty", "signed empty", signedAs(() => "")],
  ["body_placeholder", "signed as an object's name", signedAs(() => "[object Object]")],
  ["body_placeholder", "signed as an empty object", signedAs(() => "{}")],
  ["body_string", "signed inside a string", signedAs((json) => JSON.stringify(json))],
  ["body_string", "sent inside a string", sentAs((json) => JSON.stringify(json))],
  [
    "body_html",
    "signed with entities",
    signedAs((json) =>
      json
        .replaceAll("&", "&amp;")
        .replaceAll("<", "&lt;")
        .replaceAll(">", "&gt;")
        .replaceAll('"', "&quot;")
        .replaceAll("'", "&#x27;"),
    ),
  ],
  [
    "body_html",
    "sent with entities",
    (_, secret) => ({
      body: "{&quot;a&quot;:&#34;&amp;amp;&#x27;&#039;&lt;é&gt;&#34;}",
      header: signed(`{"a":"&amp;''<é>"}`, secret),
    }),
  ],
  ["body_compressed", "sent as gzip", sentAs((json) => gzipSync(json))],
  ["body_compressed", "sent as deflate", sentAs((json) => deflateSync(json))],
  ["body_compressed", "sent as Brotli", sentAs((json) => brotliCompressSync(json))],
  [
    "unicode_form",
    "signed decomposed",
    (_, secret) => ({ body: '{"a":"\u00e9"}', header: signed('{"a":"e\u0301"}', secret) }),
  ],
  [
    "unicode_form",
    "sent decomposed",
    (_, secret) => ({ body: '{"a":"e\u0301"}', header: signed('{"a":"\u00e9"}', secret) }),
  ],
  ["body_form", "sent as payload=", sentAs((json) => new URLSearchParams({ payload: json }).toString())],
  ["body_form", "signed as payload=", signedAs((json) => new URLSearchParams({ payload: json }).toString())],
  [
    "body_form",
    "signed as payload=, percent-encoded",
    signedAs((json) => `payload=${encodeURIComponent(json)}`),
  ],
  ["body_form", "sent percent-encoded", sentAs((json) => encodeURIComponent(json))],
  [
    "body_form",
    "signed percent-encoded, as Python quotes",
    (_, secret) => ({ body: `{"a":"/(é)"}`, header: signed("%7B%22a%22%3A%22/%28%C3%A9%29%22%7D", secret) }),
  ],
  [
    "body_form",
    "signed percent-encoded as an address",
    (_, secret) => ({ body: '{"a":"/(é)"}', header: signed("%7B%22a%22:%22/(%C3%A9)%22%7D", secret) }),
  ],
  [
    "body_form",
    "sent percent-encoded as an address",
    (_, secret) => ({ body: "%7B%22a%22:%22/+(%C3%A9)%22%7D", header: signed('{"a":"/+(é)"}', secret) }),
  ],
  ["body_base64", "sent in base64", sentAs((json) => bytes(json).toString("base64"))],
  ["body_base64", "signed in base64", signedAs((json) => bytes(json).toString("base64"))],
  [
    "body_data_only",
    "signed data alone",
    signedAs((json) => json.slice(json.indexOf('"data":') + 7, json.lastIndexOf(',"webhook"'))),
  ],
];
