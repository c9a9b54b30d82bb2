import { gzipSync } from "node:zlib";
import { signed } from "./made.ts";
import { bytes, type Mistakes, sentAs, signedAs } from "./mistake.ts";

/** The body in a buffer of a size, filled up with NUL bytes. */
const filled = (json: string, size: number) => Buffer.concat([bytes(json)], size);

/** Mistakes in the body, besides how JSON is printed. */
export const BODY_MISTAKES: Mistakes = [
  [
    "body_not_json",
    "signed as Python shows it",
    (_, secret) => ({
      body: '{"a":"it\'s","b":[true,null]}',
      header: signed(`{'a': "it's", 'b': [True, None]}`, secret),
    }),
  ],
  [
    "body_not_json",
    "sent as Python shows it",
    (_, secret) => ({
      body: `{'a': "it's", 'b': [True, None]}`,
      header: signed('{"a":"it\'s","b":[true,null]}', secret),
    }),
  ],
  [
    "body_not_json",
    "sent as Ruby shows it",
    (_, secret) => ({
      body: '{"a"=>nil, "b"=>"\\#{x} =>"}',
      header: signed('{"a":null,"b":"#{x} =>"}', secret),
    }),
  ],
  [
    "body_cut",
    "signed up to the first line break",
    (_, secret) => ({ body: '{"a":1,\n"b":2}', header: signed('{"a":1,', secret) }),
  ],
  [
    "body_cut",
    "signed as many bytes as there are characters",
    (_, secret) => ({ body: '{"a":"éé"}', header: signed('{"a":"éé', secret) }),
  ],
  [
    "body_cut",
    "signed up to the end of a buffer",
    (_, secret) => {
      const body = `{"a":"${"x".repeat(5000)}"}`;
      return { body, header: signed(body.slice(0, 4096), secret) };
    },
  ],
  ...[
    ["signed with each run of white space as a space", ""] as const,
    ["signed by `echo $BODY` without quotes", "\n"] as const,
  ].map(
    ([title, end]) =>
      [
        "white_space",
        title,
        (_, secret) => ({
          body: '{\n  "a": "b  c",\n  "d": [\n    1\n  ]\n}\n',
          header: signed(`{ "a": "b c", "d": [ 1 ] }${end}`, secret),
        }),
      ] as const satisfies Mistakes[number],
  ),
  [
    "body_wrapped",
    "sent by SNS",
    sentAs((json) => JSON.stringify({ Type: "Notification", Message: json })),
  ],
  [
    "body_wrapped",
    "sent by a gateway, in base64",
    sentAs((json) =>
      JSON.stringify({ body: bytes(json).toString("base64"), isBase64Encoded: true }),
    ),
  ],
  [
    "body_wrapped",
    "sent by EventBridge",
    sentAs((json) => `{"detail-type":"webhook","detail":${json}}`),
  ],
  ["newline_at_end", "signed with a newline", signedAs((json) => `${json}\n`)],
  ["newline_at_end", "signed with CRLF at the end", signedAs((json) => `${json}\r\n`)],
  ["newline_at_end", "sent with a newline", sentAs((json) => `${json}\n`)],
  ["newline_at_end", "sent with CRLF at the end", sentAs((json) => `${json}\r\n`)],
  ["nuls_at_end", "sent as a whole buffer", sentAs((json) => filled(json, 16_000))],
  ["nuls_at_end", "signed as a whole buffer", signedAs((json) => filled(json, 16_384))],
  ["nuls_at_end", "sent with the NUL of a text in C", sentAs((json) => `${json}\0`)],
  ["nuls_at_end", "signed with the NUL of a text in C", signedAs((json) => `${json}\0`)],
  [
    "nuls_at_end",
    "sent in a smaller buffer than was signed",
    (json, secret) => ({
      body: filled(json, 16_000),
      header: signed(filled(json, 32_768), secret),
    }),
  ],
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
  [
    "line_endings",
    "all line breaks became CRLF, also at the end",
    (json, secret) => ({
      body: `{\r\n"a":${json}}\r\n`,
      header: signed(`{\n"a":${json}}\n`, secret),
    }),
  ],
  [
    "line_endings",
    "curl --data removed all line breaks",
    (json, secret) => ({
      body: `{"a":${json}}`.replace("{", "{\n").concat("\n"),
      header: signed(`{"a":${json}}`, secret),
    }),
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
  ["charset", "sent as UTF-16", sentAs((json) => Buffer.from(json, "utf16le"))],
  [
    "charset",
    "sent as UTF-16 with a byte order mark",
    sentAs((json) => Buffer.from(`\uFEFF${json}`, "utf16le")),
  ],
  [
    "charset",
    "sent as Latin-1",
    (_, secret) => ({
      body: Buffer.from('{"a":"é"}', "latin1"),
      header: signed('{"a":"é"}', secret),
    }),
  ],
  [
    "charset",
    "sent as Windows-1252",
    (_, secret) => ({
      body: Buffer.from("7b2261223a2280227d", "hex"),
      header: signed('{"a":"€"}', secret),
    }),
  ],
  ["charset", "signed as UTF-16", signedAs((json) => Buffer.from(json, "utf16le"))],
  [
    "charset",
    "signed as Latin-1",
    (_, secret) => ({
      body: '{"a":"é"}',
      header: signed(Buffer.from('{"a":"é"}', "latin1"), secret),
    }),
  ],
  [
    "undecodable",
    "decoded before signing",
    (_, secret) => ({
      body: Buffer.from('{"a":"é"}', "latin1"),
      header: signed('{"a":"\uFFFD"}', secret),
    }),
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
  [
    "body_form",
    "sent as payload=",
    sentAs((json) => new URLSearchParams({ payload: json }).toString()),
  ],
  [
    "body_form",
    "signed as payload=",
    signedAs((json) => new URLSearchParams({ payload: json }).toString()),
  ],
  ["body_form", "sent percent-encoded", sentAs((json) => encodeURIComponent(json))],
  [
    "body_form",
    "signed percent-encoded, as Python quotes",
    (_, secret) => ({
      body: `{"a":"/(é)"}`,
      header: signed("%7B%22a%22%3A%22/%28%C3%A9%29%22%7D", secret),
    }),
  ],
  [
    "body_form",
    "its + became spaces before it was signed",
    (_, secret) => ({ body: '{"a":"1+1"}', header: signed('{"a":"1 1"}', secret) }),
  ],
  [
    "body_form",
    "its + became spaces on the way",
    (_, secret) => ({ body: '{"a":"1 1"}', header: signed('{"a":"1+1"}', secret) }),
  ],
  [
    "body_form",
    "percent-decoded before it was signed",
    (_, secret) => ({ body: '{"a":"x%20y+z"}', header: signed('{"a":"x y+z"}', secret) }),
  ],
  ["body_base64", "sent in base64", sentAs((json) => bytes(json).toString("base64"))],
  ["body_base64", "signed in base64", signedAs((json) => bytes(json).toString("base64"))],
  [
    "body_data_only",
    "signed data alone",
    signedAs((json) => json.slice(json.indexOf('"data":') + 7, json.lastIndexOf(',"webhook"'))),
  ],
];
