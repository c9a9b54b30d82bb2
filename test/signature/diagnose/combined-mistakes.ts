import { gzipSync } from "node:zlib";
import type { CauseCode } from "../../../src/entries/testing.ts";
import { signed } from "./made.ts";
import { bytes, type Mistake, sentAs, signedAs } from "./mistake.ts";

const lines = (json: string) => JSON.stringify(JSON.parse(json), null, 2);
const crlf = (text: string) => text.replaceAll("\n", "\r\n");
const utf16 = (text: string) => Buffer.from(`\uFEFF${text}`, "utf16le");
const ascii = (text: string) =>
  text.replace(
    /[^\0-\x7f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
/** The text as a file with line breaks, signed in one form and sent in another. */
const file =
  (
    sent: (text: string) => string | Uint8Array,
    there: (text: string) => string | Uint8Array,
  ): Mistake =>
  (json, secret) => ({ body: sent(lines(json)), header: signed(there(lines(json)), secret) });

/**
 * Several changes at once, as one program or one habit makes them: their codes, and the mistake in
 * words.
 */
export const COMBINED_MISTAKES: readonly (readonly [readonly CauseCode[], string, Mistake])[] = [
  [
    ["charset", "newline_at_end"],
    "PowerShell 5: a file made with >, sent as it is",
    sentAs((json) => utf16(`${json}\r\n`)),
  ],
  [
    ["charset", "newline_at_end"],
    "PowerShell 5: a file made with >, signed as it is",
    signedAs((json) => utf16(`${json}\r\n`)),
  ],
  [
    ["charset", "line_endings"],
    "a file saved as Unicode in Notepad, and signed",
    file(
      (text) => text,
      (text) => utf16(crlf(text)),
    ),
  ],
  [
    ["byte_order_mark", "newline_at_end"],
    "Set-Content -Encoding utf8, sent",
    sentAs((json) => `\uFEFF${json}\r\n`),
  ],
  [
    ["byte_order_mark", "newline_at_end"],
    "Set-Content -Encoding utf8, signed",
    signedAs((json) => `\uFEFF${json}\r\n`),
  ],
  [
    ["byte_order_mark", "line_endings"],
    "a file saved by an editor on Windows, sent",
    file(
      (text) => `\uFEFF${crlf(text)}`,
      (text) => text,
    ),
  ],
  [
    ["byte_order_mark", "line_endings"],
    "a file saved by an editor on Windows, signed",
    file(
      (text) => text,
      (text) => `\uFEFF${crlf(text)}`,
    ),
  ],
  [
    ["line_endings", "newline_at_end"],
    "unix2dos, and the last line break lost",
    file(
      (text) => crlf(text),
      (text) => `${text}\n`,
    ),
  ],
  [
    ["line_endings", "newline_at_end"],
    "dos2unix, and a last line break added",
    file(
      (text) => `${text}\n`,
      (text) => crlf(text),
    ),
  ],
  [
    ["line_endings"],
    "git changed all line breaks",
    file(
      (text) => `${crlf(text)}\r\n`,
      (text) => `${text}\n`,
    ),
  ],
  [
    ["line_endings"],
    "curl --data @file",
    file(
      (text) => text.replace(/\n/g, ""),
      (text) => `${text}\n`,
    ),
  ],
  [
    ["newline_at_end"],
    "an editor added the last line break",
    file(
      (text) => `${text}\n`,
      (text) => text,
    ),
  ],
  [
    ["json_spacing", "newline_at_end"],
    "jq . without -j, signed",
    signedAs((json) => `${json.includes("\n") ? json : lines(json)}\n`),
  ],
  [
    ["json_spacing", "json_escapes", "newline_at_end"],
    "print(json.dumps(indent=2)), sent",
    sentAs((json) => `${ascii(lines(json))}\n`),
  ],
  [
    ["json_spacing", "secret_quotes"],
    "signed with indent and a quoted secret",
    (json, secret) => ({ body: json, header: signed(lines(json), `"${secret}"`) }),
  ],
  [
    ["newline_at_end", "digest_upper_case"],
    "echo, and upper case",
    (json, secret) => ({ body: json, header: signed(`${json}\n`, secret).toUpperCase() }),
  ],
  [
    ["newline_at_end", "prefix_missing"],
    "echo | openssl dgst, the digest alone",
    (json, secret) => ({ body: json, header: signed(`${json}\n`, secret).slice(7) }),
  ],
  [
    ["newline_at_end", "secret_whitespace"],
    "echo for the body and the secret",
    (json, secret) => ({ body: json, header: signed(`${json}\n`, `${secret}\n`) }),
  ],
  [
    ["body_base64"],
    "base64 of a file with a line break",
    (json, secret) => ({
      body: `${bytes(json).toString("base64")}\n`,
      header: signed(json, secret),
    }),
  ],
  [
    ["digest_base64", "prefix_missing"],
    "base64 without the prefix",
    (json, secret) => ({
      body: json,
      header: Buffer.from(signed(json, secret).slice(7), "hex").toString("base64"),
    }),
  ],
  [
    ["digest_separated", "prefix_missing"],
    "openssl dgst -c",
    (json, secret) => ({
      body: json,
      header: signed(json, secret)
        .slice(7)
        .replace(/..(?=.)/g, "$&:"),
    }),
  ],
  [
    ["digest_separated", "prefix_missing", "header_extra_text"],
    "openssl dgst -c, with all that it prints",
    (json, secret) => ({
      body: json,
      header: `HMAC-SHA2-256(f)= ${signed(json, secret)
        .slice(7)
        .replace(/..(?=.)/g, "$&:")}`,
    }),
  ],
  [
    ["body_not_json", "newline_at_end"],
    "puts of a hash in Ruby",
    (_, secret) => ({ body: '{"a":[null,"b"]}', header: signed('{"a"=>[nil, "b"]}\n', secret) }),
  ],
  [
    ["body_compressed", "prefix_missing"],
    "gzip here, and no prefix",
    (json, secret) => ({ body: gzipSync(json), header: signed(json, secret).slice(7) }),
  ],
  [
    ["charset", "newline_at_end"],
    "Set-Content in the code page of Windows, sent",
    (_, secret) => ({
      body: Buffer.from('{"a":"é"}\r\n', "latin1"),
      header: signed('{"a":"é"}', secret),
    }),
  ],
  [
    ["charset", "newline_at_end"],
    "Set-Content in the code page of Windows, signed",
    (_, secret) => ({
      body: '{"a":"é"}',
      header: signed(Buffer.from('{"a":"é"}\r\n', "latin1"), secret),
    }),
  ],
];
