import { type BodyVariant, variant } from "./body-variant.ts";
import { cause } from "./causes.ts";
import { SPACING } from "./json-spacing.ts";
import { ESCAPES } from "./json-spelling.ts";

/** The work to read and write one byte; hashing one byte is 1. */
const BYTE_WORK = 8;
/** The work to escape the characters as well. */
const ESCAPE_WORK = 30;
/** A longer body is not written again, to keep the memory in bounds. */
export const LONGEST = 20_000_000;

/** JSON in one line, with and without a space after each comma and colon, made without splitting it into tokens. */
export function respacedVariants(body: Uint8Array): readonly BodyVariant[] {
  const [first] = body;
  if (body.byteLength > LONGEST || (first !== 0x7b && first !== 0x5b)) return [];
  const work = body.byteLength * BYTE_WORK;
  return [
    variant([cause("json_spacing", SPACING.oneLine.name)], () => respaced(body, true), work),
    variant(
      [cause("json_spacing", SPACING.oneLine.name), cause("json_escapes", ESCAPES.ascii.name)],
      () => escaped(respaced(body, true)),
      body.byteLength * ESCAPE_WORK,
    ),
    variant([cause("json_spacing", SPACING.compact.name)], () => respaced(body, false), work),
  ];
}

function respaced(json: Uint8Array, spaced: boolean): Uint8Array {
  const made = Buffer.allocUnsafe(spaced ? json.byteLength * 2 : json.byteLength);
  let length = 0;
  let inString = false;
  for (let at = 0; at < json.byteLength; at++) {
    const byte = json[at] ?? 0;
    if (!inString && (byte === 0x20 || (byte >= 0x09 && byte <= 0x0d))) continue;
    made[length++] = byte;
    if (byte === 0x22) inString = !inString;
    else if (inString && byte === 0x5c) made[length++] = json[++at] ?? 0;
    else if (spaced && !inString && (byte === 0x2c || byte === 0x3a)) made[length++] = 0x20;
  }
  return made.subarray(0, length);
}

/** Outside strings, JSON has no character that is escaped. */
function escaped(json: Uint8Array): string | undefined {
  const text = Buffer.from(json).toString("utf8");
  const made = ESCAPES.ascii.spell(text);
  return made === text ? undefined : made;
}
