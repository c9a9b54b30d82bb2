import { isUtf8 } from "../../base/package/builtins.ts";
import { type BodyVariant, variant } from "./body-variant.ts";
import { type Cause, cause } from "./causes.ts";

/**
 * The same text in other character encodings, and with bytes that a decoder lost. UTF-16 there: see
 * `lineVariants`.
 */
export function charsetVariants(
  body: Uint8Array,
  text: string | undefined,
): readonly BodyVariant[] {
  const bytes = Buffer.from(body);
  const sent = sentAsUtf16(bytes);
  if (!bytes.some((byte) => byte >= 0x80)) return sent;
  return [...sent, ...(text === undefined ? sentAsOneByte(bytes) : signedAsOneByte(bytes, text))];
}

/**
 * The body is not UTF-8: the text was signed as UTF-8, or by a program that had lost the unreadable
 * bytes.
 */
function sentAsOneByte(bytes: Buffer): readonly BodyVariant[] {
  const replaced = () => bytes.toString("utf8");
  return [
    ...oneByteNames(bytes).flatMap(([name, { decode }]) =>
      withEnds([cause("charset", `sent as ${name}`)], () => decode(bytes)),
    ),
    variant([cause("undecodable", "on the signing side")], replaced),
  ];
}

/**
 * The body is UTF-8, once or twice over: it was signed in one byte for each character, or those
 * bytes were read so.
 */
function signedAsOneByte(bytes: Buffer, text: string): readonly BodyVariant[] {
  const misread = oneByteNames(bytes).map(([name, { decode }]) =>
    variant([cause("charset", `its UTF-8 read as ${name} before it was signed`)], () =>
      decode(bytes),
    ),
  );
  const encodings = ONE_BYTE.map(([name, { encode }]) => ({ name, bytes: encode(text) }));
  const [latin1, windows] = encodings.map((encoding) => encoding.bytes);
  const same =
    latin1 !== undefined && windows !== undefined && Buffer.compare(latin1, windows) === 0;
  const named = same ? [{ name: EITHER, bytes: latin1 }] : encodings;
  const signed = named.flatMap(({ name, bytes: made }) => {
    if (made === undefined) return [];
    const utf8 = isUtf8(made);
    const detail = utf8 ? `its UTF-8 read as ${name} on the way here` : `signed as ${name}`;
    return withEnds(
      [cause("charset", detail)],
      () => Buffer.from(made).toString("latin1"),
      "latin1",
    );
  });
  return [...misread, ...signed];
}

/**
 * The characters of the bytes 0x80 to 0x9f. Written down, since `TextDecoder` of some Node versions
 * reads Latin-1 instead. The five bytes without a character stay control characters, as browsers
 * read them.
 */
const UPPER =
  "\u20ac\x81\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\x8d\u017d\x8f" +
  "\x90\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\x9d\u017e\u0178";
const BYTES = new Map([...UPPER].map((character, low) => [character, 0x80 + low]));

const ONE_BYTE = [
  ["Latin-1", { decode: (bytes: Buffer) => bytes.toString("latin1"), encode: encodeLatin1 }],
  ["Windows-1252", { decode: decodeWindows1252, encode: encodeWindows1252 }],
] as const;
const EITHER = "Latin-1 or Windows-1252";

/** Only the bytes 0x80 to 0x9f differ between the two. */
function oneByteNames(bytes: Buffer) {
  const [latin1, windows] = ONE_BYTE;
  const differ = bytes.some((byte) => byte >= 0x80 && byte < 0xa0);
  return differ ? [latin1, windows] : [[EITHER, latin1[1]] as const];
}

/** A text with its end as it is, and with another one, as editors and PowerShell write it. */
function withEnds(causes: readonly Cause[], make: () => string, encoding: BufferEncoding = "utf8") {
  const end = (detail: string, change: (text: string) => string | undefined) =>
    variant([...causes, cause("newline_at_end", detail)], () => {
      const changed = change(make());
      return changed === undefined ? undefined : Buffer.from(changed, encoding);
    });
  return [
    variant(causes, () => Buffer.from(make(), encoding)),
    end("none on the signing side", (text) => (/[\r\n]$/.test(text) ? text.trimEnd() : undefined)),
    end("LF on the signing side", (text) =>
      text.endsWith("\r\n") ? `${text.slice(0, -2)}\n` : undefined,
    ),
    end("one on the signing side", (text) => (/[\r\n]$/.test(text) ? undefined : `${text}\n`)),
    end("one on the signing side", (text) => (/[\r\n]$/.test(text) ? undefined : `${text}\r\n`)),
  ];
}

/**
 * A decoder replaces each unreadable byte with U+FFFD. Assumes that all of them were the same
 * Latin-1 byte, such as a frequent accented letter, and tries each such byte.
 */
export function lostByteVariants(text: string): readonly BodyVariant[] {
  if (!text.includes("\uFFFD")) return [];
  const around = text.split("\uFFFD").map((part) => Buffer.from(part, "utf8"));
  return Array.from({ length: 128 }, (_, low) => {
    const lost = Buffer.from([0x80 + low]);
    const parts = () => around.flatMap((part, index) => (index === 0 ? [part] : [lost, part]));
    return variant([cause("undecodable", "on the way here")], () => Buffer.concat(parts()));
  });
}

const little = (text: string) => Buffer.from(text, "utf16le");

/** UTF-16 with and without a byte order mark, as PowerShell and Windows programs write it. */
export const UTF16: readonly {
  readonly detail: string;
  readonly encode: (text: string) => Buffer;
}[] = [
  { detail: "signed as UTF-16", encode: little },
  { detail: "signed as UTF-16 with a byte order mark", encode: (text) => little(`\uFEFF${text}`) },
];

function sentAsUtf16(bytes: Buffer): readonly BodyVariant[] {
  const read = readUtf16(bytes);
  if (read === undefined) return [];
  const text = read.replace(/^\uFEFF/, "");
  return withEnds([cause("charset", "sent as UTF-16")], () => text);
}

/**
 * The text of a body in UTF-16: one with a byte order mark, or one that begins with a character of
 * ASCII.
 */
function readUtf16(bytes: Buffer): string | undefined {
  const [first, second] = bytes;
  if (bytes.byteLength < 2 || bytes.byteLength % 2 !== 0) return undefined;
  const isMarked = first === 0xff && second === 0xfe;
  return isMarked || (first !== 0 && second === 0) ? bytes.toString("utf16le") : undefined;
}

function encodeLatin1(text: string): Uint8Array | undefined {
  return /^[\0-\xff]*$/.test(text) ? Buffer.from(text, "latin1") : undefined;
}

/** Reads every byte as a character of Windows-1252. */
function decodeWindows1252(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString("latin1");
  return text.replace(
    /[\x80-\x9f]/g,
    (character) => UPPER[character.charCodeAt(0) - 0x80] ?? character,
  );
}

/** The bytes of a text; `undefined` if Windows-1252 lacks one of its characters. */
function encodeWindows1252(text: string): Uint8Array | undefined {
  const bytes = Buffer.alloc(text.length);
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const byte = code < 0x80 || (code >= 0xa0 && code <= 0xff) ? code : BYTES.get(text[at] ?? "");
    if (byte === undefined) return undefined;
    bytes[at] = byte;
  }
  return bytes;
}
