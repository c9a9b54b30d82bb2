import { type BodyVariant, variant } from "./body-variant.ts";
import { cause } from "./causes.ts";

/** The work to append one part; hashing one byte is 1. */
const PART_WORK = 100;

/** The same text in other character encodings, and with bytes that a decoder lost. */
export function charsetVariants(body: Uint8Array, text: string | undefined): readonly BodyVariant[] {
  const bytes = Buffer.from(body);
  if (!bytes.some((byte) => byte >= 0x80)) return text === undefined ? [] : [utf16(text)];
  const read = (detail: string, decode: () => string) =>
    variant([cause("charset", detail)], decode, body.byteLength * 4);
  const misread = [
    read("its UTF-8 read as Latin-1 before it was signed", () => bytes.toString("latin1")),
    read("its UTF-8 read as Windows-1252 before it was signed", () => decodeWindows1252(bytes)),
  ];
  if (text === undefined) {
    const replaced = () => bytes.toString("utf8");
    return [...misread, variant([cause("undecodable", "on the signing side")], replaced)];
  }
  return [
    ...misread,
    variant([cause("charset", "signed as Latin-1")], () => encodeLatin1(text), text.length * 4),
    variant([cause("charset", "signed as Windows-1252")], () => encodeWindows1252(text), text.length * 30),
    utf16(text),
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

function utf16(text: string): BodyVariant {
  return variant([cause("charset", "signed as UTF-16")], () => Buffer.from(text, "utf16le"));
}

function encodeLatin1(text: string): Uint8Array | undefined {
  return /^[\0-\xff]*$/.test(text) ? Buffer.from(text, "latin1") : undefined;
}

function decodeWindows1252(bytes: Uint8Array): string {
  return new TextDecoder("windows-1252", { ignoreBOM: true }).decode(bytes);
}

function encodeWindows1252(text: string): Uint8Array | undefined {
  const upper = decodeWindows1252(Buffer.from(Array.from({ length: 128 }, (_, low) => 0x80 + low)));
  const codes = new Map([...upper].map((character, low) => [character, 0x80 + low]));
  const bytes = Buffer.alloc(text.length);
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at) < 0x80 ? text.charCodeAt(at) : codes.get(text[at] ?? "");
    if (code === undefined) return undefined;
    bytes[at] = code;
  }
  return bytes;
}
