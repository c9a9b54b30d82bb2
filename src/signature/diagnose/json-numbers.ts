import { grouped } from "../../base/grouped.ts";
import type { Spelling } from "./json-spelling.ts";

/** How a language prints a floating-point number. */
interface Style {
  readonly scientific: (exponent: number, digits: number) => boolean;
  readonly mark: "e" | "E";
  /** Before a positive exponent. */
  readonly plus: "" | "+";
  /** The least number of digits of an exponent. */
  readonly width: 1 | 2;
  /** After a single digit before the exponent. */
  readonly point: "" | ".0";
  /** After a whole number without an exponent. */
  readonly whole: "" | ".0";
}

const PRINTF_STYLE: Omit<Style, "scientific"> = {
  mark: "e",
  plus: "+",
  width: 2,
  point: "",
  whole: "",
};
const outsideExponents = (lowest: number, highest: number) => (exponent: number) =>
  exponent < lowest || exponent > highest;

const PYTHON: Style = { ...PRINTF_STYLE, scientific: outsideExponents(-4, 15), whole: ".0" };
const RUBY: Style = {
  ...PYTHON,
  point: ".0",
  scientific: (exponent, digits) =>
    exponent < -4 || exponent > 15 || (exponent === 15 && digits <= 16),
};
const RUST: Style = {
  ...PRINTF_STYLE,
  scientific: outsideExponents(-5, 15),
  plus: "",
  width: 1,
  whole: ".0",
};
const JAVA: Style = {
  mark: "E",
  plus: "",
  width: 1,
  point: ".0",
  whole: ".0",
  scientific: outsideExponents(-3, 6),
};
const PHP: Style = { ...PRINTF_STYLE, scientific: outsideExponents(-4, 16), width: 1, point: ".0" };
const NET: Style = {
  ...PRINTF_STYLE,
  mark: "E",
  scientific: (exponent, digits) => exponent < -4 || exponent >= Math.max(digits, 15),
};
const JQ: Style = {
  ...PRINTF_STYLE,
  scientific: (exponent, digits) => exponent < -4 || exponent >= digits + 15,
};

/**
 * How languages print the numbers that they have parsed. Most keep integers as they are, of any
 * size; JavaScript, Go and jq read every number as a double, and Gson prints it as one, too.
 */
export const NUMBERS = {
  javascript: { name: "JavaScript", spell: (number) => JSON.stringify(Number(number)) },
  python: {
    name: "Python",
    spell: (number) => (isInteger(number) ? integer(number) : python(number)),
  },
  php: { name: "PHP", spell: php },
  java: { name: "Java", spell: floats(JAVA) },
  gson: { name: "Gson", spell: (number) => printDouble(number, JAVA) },
  ruby: { name: "Ruby", spell: floats(RUBY) },
  net: { name: ".NET", spell: floats(NET) },
  newtonsoft: { name: "Newtonsoft", spell: floats({ ...NET, whole: ".0" }) },
  go: {
    name: "Go",
    spell: (number) => (Object.is(Number(number), -0) ? "-0" : JSON.stringify(Number(number))),
  },
  rust: { name: "Rust and orjson", spell: floats(RUST) },
  jq: { name: "jq", spell: (number) => printDouble(number, JQ) },
  bigDecimal: {
    name: "a Java BigDecimal",
    spell: (number) => (isInteger(number) ? number : bigDecimal(number)),
  },
  postgres: { name: "PostgreSQL", spell: withoutExponent },
} as const satisfies Readonly<Record<string, Spelling>>;

/**
 * The styles that print the numbers among these tokens differently from each other and from how
 * they are, each under the names of all languages that print them so, and with the numbers in this
 * style.
 */
export function distinctNumbers(
  tokens: readonly string[],
  styles: readonly Spelling[] = Object.values<Spelling>(NUMBERS),
) {
  const numbers = tokens.filter((token) => /^[-\d]/.test(token));
  if (numbers.length === 0) return [];
  const spelt = [...new Set(styles)].map(({ name, spell }) => ({
    name,
    spell,
    spelt: numbers.map(spell),
  }));
  const groups = grouped(spelt, (style) => style.spelt.join());
  groups.delete(numbers.join());
  return [...groups.values()].map((similar) => ({
    ...similar[0],
    name: nameOf(similar.map(({ name }) => name)),
  }));
}

function nameOf(names: readonly string[]): string {
  const [first = "", second, third] = names;
  if (second === undefined) return `as ${first} prints them`;
  if (third === undefined) return `as ${first} and ${second} print them`;
  const others = names.length > 3 ? "others" : third;
  return `as ${first}, ${second} and ${others} print them`;
}

function isInteger(number: string): boolean {
  return !/[.eE]/.test(number);
}

/** Prints floating-point numbers in a style, and keeps integers of any size. */
function floats(style: Style): Spelling["spell"] {
  return (number) => (isInteger(number) ? integer(number) : printDouble(number, style));
}

/** An integer has no negative zero. */
function integer(number: string): string {
  return number === "-0" ? "0" : number;
}

function python(number: string): string {
  const value = Number(number);
  // Python prints what no other parser accepts.
  if (!Number.isFinite(value)) return value < 0 ? "-Infinity" : "Infinity";
  return printDouble(number, PYTHON);
}

/** The digits and the sign of the longest integer of 64 bits. */
const LONGEST_INT64 = 20;

/** PHP reads integers beyond 64 bits as doubles. */
function php(number: string): string {
  return isInteger(number) && isInt64(number) ? integer(number) : printDouble(number, PHP);
}

function isInt64(integer: string): boolean {
  // The length first: the time that `BigInt` takes grows faster than the number of digits.
  if (integer.length > LONGEST_INT64) return false;
  return BigInt.asIntN(64, BigInt(integer)) === BigInt(integer);
}

/** A number printed as a double; unchanged if it is too large for one. */
function printDouble(number: string, style: Style): string {
  const value = Number(number);
  if (!Number.isFinite(value)) return number;
  const { sign, digits, exponent } = decimalOf(value);
  if (value !== 0 && style.scientific(exponent, digits.length)) {
    const mantissa = digits.length === 1 ? digits + style.point : `${digits[0]}.${digits.slice(1)}`;
    const power = String(Math.abs(exponent)).padStart(style.width, "0");
    return `${sign}${mantissa}${style.mark}${exponent < 0 ? "-" : style.plus}${power}`;
  }
  const plain = plainDecimal(digits, exponent);
  return sign + (plain.includes(".") ? plain : plain + style.whole);
}

/**
 * A number in parts: the decimal digits without zeros around them, and the exponent of the first
 * one.
 */
function decimalOf(value: number) {
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  const [mantissa = "", exponent = "0"] = Math.abs(value).toExponential().split("e");
  return { sign, digits: mantissa.replace(".", ""), exponent: Number(exponent) };
}

function plainDecimal(digits: string, exponent: number): string {
  if (exponent < 0) return `0.${"0".repeat(-exponent - 1)}${digits}`;
  if (exponent >= digits.length - 1) return digits + "0".repeat(exponent - digits.length + 1);
  return `${digits.slice(0, exponent + 1)}.${digits.slice(exponent + 1)}`;
}

/** Longer numbers are not written in full. */
const LONGEST_EXPONENT = 400;

/** The digits of a number as it is written, and how many of them are after the point. */
function writtenDigits(
  number: string,
): { sign: string; digits: string; scale: number } | undefined {
  const [, sign, whole, fraction = "", power = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([-+]?\d+))?$/.exec(number) ?? [];
  if (sign === undefined || whole === undefined || Math.abs(Number(power)) > LONGEST_EXPONENT)
    return undefined;
  const digits = (whole + fraction).replace(/^0+(?=\d)/, "");
  return { sign, digits, scale: fraction.length - Number(power) };
}

/**
 * Decimal numbers are exact in PostgreSQL, with their zeros; only exponents and the sign of zero
 * are lost.
 */
function withoutExponent(number: string): string {
  const written = writtenDigits(number);
  if (written === undefined) return number;
  const { sign, digits, scale } = written;
  const signed = /[1-9]/.test(digits) ? sign : "";
  if (scale <= 0) return signed + (digits === "0" ? "0" : digits + "0".repeat(-scale));
  const padded = digits.padStart(scale + 1, "0");
  return `${signed}${padded.slice(0, -scale)}.${padded.slice(-scale)}`;
}

/** Exact, too, but with an exponent for very small and for shortened numbers. */
function bigDecimal(number: string): string {
  const written = writtenDigits(number);
  if (written === undefined) return number;
  const { sign, digits, scale } = written;
  const exponent = digits.length - 1 - scale;
  if (scale >= 0 && exponent >= -6) return withoutExponent(number);
  const mantissa = digits.length === 1 ? digits : `${digits[0]}.${digits.slice(1)}`;
  return `${sign}${mantissa}E${exponent < 0 ? "-" : "+"}${Math.abs(exponent)}`;
}
