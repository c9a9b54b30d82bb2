import { tryOr } from "../../base/try-or.ts";
import { type BodyVariant, variant } from "./body-variant.ts";
import { cause } from "./causes.ts";

/** A longer text is not read as a dump, and a longer body is not printed as one. */
const LONGEST = 500_000;
const LONGEST_PRINTED = 100_000;
/** `hexdump` and `xxd` print this many bytes a line. */
const PER_LINE = 16;
/** Node shows this many bytes of a `Buffer`. */
const SHOWN = 50;

/** The body from a dump of it on this side, and dumps of the body that the signing side signed. */
export function dumpVariants(body: Uint8Array, text: string | undefined): readonly BodyVariant[] {
  const here = (what: string) => [cause("body_dump", `${what} on this side`)];
  const there = (what: string) => [cause("body_dump", `${what} on the signing side`)];
  const read =
    text === undefined
      ? []
      : [
          variant(here("as numbers"), () => bytesOfDump(text)),
          variant(here("as numbers"), () => swapped(bytesOfDump(text))),
          variant(here("as Python shows bytes"), () => bytesOfPython(text)),
        ];
  if (body.byteLength > LONGEST_PRINTED) return read;
  const bytes = Buffer.from(body);
  const list = () => Array.from(bytes);
  const pairs = () => bytes.toString("hex").match(/../g) ?? [];
  return [
    ...read,
    variant(there("as hex"), () => bytes.toString("hex")),
    variant(there("as hex"), () => bytes.toString("hex").toUpperCase()),
    variant(there("as hex"), () => pairs().join(" ")),
    variant(there("as hex"), () => pairs().join("-").toUpperCase()),
    variant(there("as JSON of a buffer"), () => JSON.stringify(bytes)),
    variant(there("as JSON of bytes"), () => JSON.stringify(list())),
    variant(there("as JSON of bytes"), () => JSON.stringify(Object.fromEntries(list().entries()))),
    variant(there("as numbers"), () => list().join()),
    variant(there("as numbers"), () => list().join(" ")),
    variant(there("as numbers"), () => `[${list().join(" ")}]`),
    variant(there("as numbers"), () => `[${list().join(", ")}]`),
    variant(there("as numbers"), () => `[${Array.from(new Int8Array(bytes)).join(", ")}]`),
    variant(there("as Node shows a buffer"), () => shownBuffer(bytes)),
    variant(there("as Python shows bytes"), () => pythonBytes(bytes)),
  ];
}

/** The bytes that a text shows as numbers; `undefined` if it shows none. */
export function bytesOfDump(text: string): Uint8Array | undefined {
  if (text.length > LONGEST) return undefined;
  const whole = text.trim();
  return ofMembers(whole) ?? ofDecimals(whole) ?? ofHex(whole);
}

/** As `JSON.stringify` prints a `Uint8Array` or a `Buffer`. */
function ofMembers(text: string): Uint8Array | undefined {
  if (!/^\{\s*"(?:0|type)"/.test(text)) return undefined;
  const value: unknown = tryOr(() => JSON.parse(text), undefined);
  if (typeof value !== "object" || value === null) return undefined;
  const listed = "data" in value && Array.isArray(value.data) ? value.data : Object.values(value);
  return asBytes(listed);
}

/** As JavaScript, Go, Java and Python print a list. */
function ofDecimals(text: string): Uint8Array | undefined {
  const start = text.slice(0, 100).search(/\[/);
  const inside = start === -1 ? text : text.slice(start + 1).replace(/\]\)?$/, "");
  const parts = inside.trim().split(/[\s,]+/);
  if (parts.length < 2 || !parts.every((part) => /^-?\d{1,3}$/.test(part))) return undefined;
  return asBytes(parts.map(Number));
}

function asBytes(numbers: readonly unknown[]): Uint8Array | undefined {
  const isByte = (one: unknown) =>
    Number.isInteger(one) && Number(one) >= -128 && Number(one) < 256;
  return numbers.length > 1 && numbers.every(isByte) ? Uint8Array.from(numbers, Number) : undefined;
}

/** As `xxd`, `hexdump -C`, `od`, a debugger and Node's `<Buffer …>` print it. */
function ofHex(text: string): Uint8Array | undefined {
  const inside = text.startsWith("<Buffer ") ? text.slice("<Buffer ".length, -1) : text;
  if (!/^(?:0x|\\x)?[0-9a-f]{2}/i.test(inside)) return undefined;
  const found: string[] = [];
  for (const line of inside.split(/\r?\n/)) {
    const digits = hexOfLine(line);
    if (digits === undefined) return undefined;
    found.push(digits);
  }
  const hex = found.join("");
  return hex.length > 2 ? Buffer.from(hex, "hex") : undefined;
}

/** The digits of one line, without its offset and its text; `undefined` if it is no such line. */
function hexOfLine(line: string): string | undefined {
  const [, offset, colon, rest = ""] =
    /^([0-9a-f]{4,8})(:?) +(?=[0-9a-f]{2})(.*)$/i.exec(line) ?? [];
  const isDump = offset !== undefined;
  const shown = isDump ? (colon === ":" ? rest.split("  ", 1)[0] : rest.split("|", 1)[0]) : line;
  const words = (shown ?? "").replace(/0x|\\x/gi, "").split(/[\s,:-]+/);
  const hex = words.join("");
  // The last line of a dump is an offset alone.
  if (!isDump && found0(line)) return "";
  if (!/^[0-9a-f]*$/i.test(hex) || hex.length % 2 === 1) return undefined;
  return isDump && hex.length > 2 * PER_LINE ? hex.slice(0, 2 * PER_LINE) : hex;
}

function found0(line: string): boolean {
  return /^[0-9a-f]{7,8}:?\s*$/i.test(line);
}

/** `hexdump` without `-C` and `od -x` print words of two bytes, the second one first. */
function swapped(bytes: Uint8Array | undefined): Uint8Array | undefined {
  if (bytes === undefined) return undefined;
  const even = Buffer.concat([bytes], bytes.length + (bytes.length % 2)).swap16();
  // A word that is half full ends in a zero.
  return even.at(-1) === 0 ? even.subarray(0, -1) : even;
}

function shownBuffer(bytes: Buffer): string {
  const shown = bytes
    .subarray(0, SHOWN)
    .toString("hex")
    .replace(/..(?=.)/g, "$& ");
  const more = bytes.length - SHOWN;
  return `<Buffer ${shown}${more > 0 ? ` ... ${more} more byte${more > 1 ? "s" : ""}` : ""}>`;
}

const PYTHON: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" };

function bytesOfPython(text: string): Uint8Array | undefined {
  const whole = text.trim();
  const quote = whole.charAt(1);
  if (!/^b["']/.test(whole) || !whole.endsWith(quote)) return undefined;
  const latin1 = whole
    .slice(2, -1)
    .replace(/\\(?:x([0-9a-f]{2})|(.))/gi, (_, hex: string | undefined, other: string) =>
      hex === undefined ? (PYTHON[other] ?? other) : String.fromCharCode(Number.parseInt(hex, 16)),
    );
  return Buffer.from(latin1, "latin1");
}

function pythonBytes(bytes: Buffer): string {
  const text = bytes.toString("latin1");
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const inside = text.replace(/[\\'\n\r\t]|[^ -~]/g, (character) => {
    if (character === "\\") return "\\\\";
    if (character === "'") return quote === "'" ? "\\'" : "'";
    const short = Object.entries(PYTHON).find(([, one]) => one === character)?.[0];
    return short === undefined
      ? `\\x${Buffer.from(character, "latin1").toString("hex")}`
      : `\\${short}`;
  });
  return `b${quote}${inside}${quote}`;
}
