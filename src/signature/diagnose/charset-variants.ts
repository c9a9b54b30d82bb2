import { type BodyVariant, variant } from "./body-variant.ts";
import { cause } from "./causes.ts";
import { decodeWindows1252, encodeWindows1252 } from "./windows-1252.ts";

/** The work to append one part; hashing one byte is 1. */
const PART_WORK = 100;

/** The same text in other character encodings, and with bytes that a decoder lost. */
export function charsetVariants(body: Uint8Array, text: string | undefined): readonly BodyVariant[] {
  const bytes = Buffer.from(body);
  if (!bytes.some((byte) => byte >= 0x80)) return text === undefined ? [] : utf16Variants(bytes, text);
  const read = (detail: string, decode: () => string) =>
    variant([cause("charset", detail)], decode, body.byteLength * 4);
  const misread = [
    read("its UTF-8 read as Latin-1 before it was signed", () => bytes.toString("latin1")),
    read("its UTF-8 read as Windows-1252 before it was signed", () => decodeWindows1252(bytes)),
  ];
  if (text === undefined) {
    const replaced = () => bytes.toString("utf8");
    return [
      ...misread,
      variant([cause("undecodable", "on the signing side")], replaced),
      ...utf16Variants(bytes, text),
    ];
  }
  return [
    ...misread,
    variant([cause("charset", "signed as Latin-1")], () => encodeLatin1(text), text.length * 4),
    variant([cause("charset", "signed as Windows-1252")], () => encodeWindows1252(text), text.length * 30),
    ...utf16Variants(bytes, text),
  ];
}

/**
 * A decoder replaces each unreadable byte with U+FFFD. Assumes that all of them were the same Latin-1 byte, such as a
 * frequent accented letter, and tries each such byte.
 */
export function lostByteVariants(text: string): readonly BodyVariant[] {
  if (!text.includes("\uFFFD")) return [];
  const around = text.split("\uFFFD").map((part) => Buffer.from(part, "utf8"));
  const work = around.length * PART_WORK;
  return Array.from({ length: 128 }, (_, low) => {
    const lost = Buffer.from([0x80 + low]);
    const parts = () => around.flatMap((part, index) => (index === 0 ? [part] : [lost, part]));
    return variant([cause("undecodable", "on the way here")], () => Buffer.concat(parts()), work);
  });
}

/** UTF-16 in both byte orders, with and without a byte order mark, as PowerShell and Windows programs write it. */
function utf16Variants(bytes: Buffer, text: string | undefined): readonly BodyVariant[] {
  const work = bytes.byteLength * 4;
  const read = sentAsUtf16(bytes);
  const sent =
    read === undefined
      ? []
      : [variant([cause("charset", "sent as UTF-16")], () => read.replace(/^\uFEFF/, ""), work)];
  if (text === undefined) return sent;
  const signed = (detail: string, make: () => Buffer) =>
    variant([cause("charset", `signed as UTF-16${detail}`)], make, work);
  return [
    ...sent,
    signed("", () => Buffer.from(text, "utf16le")),
    signed(" with a byte order mark", () => Buffer.from(`\uFEFF${text}`, "utf16le")),
    signed(", big-endian", () => Buffer.from(text, "utf16le").swap16()),
    signed(", big-endian with a byte order mark", () => Buffer.from(`\uFEFF${text}`, "utf16le").swap16()),
  ];
}

/** The text of a body in UTF-16: one with a byte order mark, or one that begins with a character of ASCII. */
function sentAsUtf16(bytes: Buffer): string | undefined {
  const [first, second] = bytes;
  if (bytes.byteLength < 2 || bytes.byteLength % 2 !== 0) return undefined;
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return bytes.toString("utf16le");
  if ((first === 0xfe && second === 0xff) || (first === 0 && second !== 0))
    return Buffer.from(bytes).swap16().toString("utf16le");
  return undefined;
}

function encodeLatin1(text: string): Uint8Array | undefined {
  return /^[\0-\xff]*$/.test(text) ? Buffer.from(text, "latin1") : undefined;
}
