/**
 * The characters of the bytes 0x80 to 0x9f. Written down, since `TextDecoder` of some Node versions reads Latin-1 instead.
 * The five bytes without a character stay control characters, as browsers read them.
 */
const UPPER =
  "\u20ac\x81\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\x8d\u017d\x8f" +
  "\x90\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\x9d\u017e\u0178";
const BYTES = new Map([...UPPER].map((character, low) => [character, 0x80 + low]));

/** Reads every byte as a character of Windows-1252. */
export function decodeWindows1252(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString("latin1");
  return text.replace(/[\x80-\x9f]/g, (character) => UPPER[character.charCodeAt(0) - 0x80] ?? character);
}

/** The bytes of a text; `undefined` if Windows-1252 lacks one of its characters. */
export function encodeWindows1252(text: string): Uint8Array | undefined {
  const bytes = Buffer.alloc(text.length);
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const byte = code < 0x80 || (code >= 0xa0 && code <= 0xff) ? code : BYTES.get(text[at] ?? "");
    if (byte === undefined) return undefined;
    bytes[at] = byte;
  }
  return bytes;
}
