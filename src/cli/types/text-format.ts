import * as z from "zod";

/**
 * A format of text that is recognised: `id:` is followed by the prefix that all have, as in
 * `id:wh_`.
 */
export type TextFormat =
  | "date"
  | "date-time"
  | "email"
  | "url"
  | "uuid"
  | "decimal"
  | `id:${string}`;

/**
 * A prefix and an underscore; what follows may have underscores itself, as in `prop_sample_0001`.
 */
const PREFIXED = /^([a-z]{2,12}_)(\w+)$/;
/** Digits alone at the end, after parts of letters and digits. */
const NUMBERED = /^(?:[A-Za-z0-9]+_)*\d{3,}$/;

/**
 * A number written as text, as for amounts of money. No exponent, since nobody writes money so, and
 * no leading zeros, which the code of a place or a telephone number has.
 */
export const DECIMAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

/**
 * Texts longer than this have no format. Patterns would take longer than the rest of an event, and
 * an address or a date is shorter.
 */
const LONGEST = 500;

/** The formats that have no prefix of their own. */
type Fixed = Exclude<TextFormat, `id:${string}`>;

// The schemas that generated code uses, so that what was recognised always fits.
const DATE = z.iso.date();
const DATE_TIME = z.iso.datetime({ offset: true });
const EMAIL = z.email();
const UUID = z.uuid();
const URL = z.url();

/** Each looks first at what costs next to nothing, since most strings have no format. */
const CHECKS: Readonly<Record<Fixed, (text: string) => boolean>> = {
  "date-time": (text) => text.length > 10 && text[4] === "-" && DATE_TIME.safeParse(text).success,
  date: (text) => text.length === 10 && text[4] === "-" && DATE.safeParse(text).success,
  uuid: (text) => text.length === 36 && UUID.safeParse(text).success,
  email: (text) => text.includes("@") && EMAIL.safeParse(text).success,
  url: (text) => text.includes("://") && URL.safeParse(text).success,
  decimal: (text) => DECIMAL.test(text),
};
const FIXED = Object.keys(CHECKS) as readonly Fixed[];

/** Returns the formats that a text has. Most have none or one. */
export function formatsOf(text: string): readonly TextFormat[] {
  if (text.length > LONGEST) return [];
  const formats: TextFormat[] = FIXED.filter((format) => CHECKS[format](text));
  const [, prefix, rest = ""] = PREFIXED.exec(text) ?? [];
  if (prefix !== undefined && isGenerated(rest)) formats.push(`id:${prefix}`);
  return formats;
}

/** Whether a letter follows a digit (`31e243`, not `line2`), or three digits and more end it. */
function isGenerated(rest: string): boolean {
  const digit = rest.search(/\d/);
  return NUMBERED.test(rest) || (digit !== -1 && /[A-Za-z]/.test(rest.slice(digit)));
}

export function formatCheck(format: TextFormat): (text: string) => boolean {
  if (format.startsWith("id:")) {
    const prefix = format.slice("id:".length);
    return (text) => text.startsWith(prefix);
  }
  return (text) => text.length <= LONGEST && CHECKS[format as Fixed](text);
}

/** The most characters of a field's name. A longer key is taken for text. */
const LONGEST_NAME = 60;
/**
 * In any script, with a digit or two before, such as `2nd_phone`, or a few words, such as
 * `code postal`.
 */
const NAME =
  /^\d{0,2}[\p{ID_Start}_$@][\p{ID_Continue}\p{Sc}.:-]*(?: [\p{ID_Continue}\p{Sc}.:-]+){0,3}$/u;

/**
 * Whether a key looks like the name of a field. A number, an id, a date, an address or a sentence
 * does not: an object with such keys is a map, and its keys are values, which are never written
 * anywhere. Nor is a key that every object inherits (`constructor`, `__proto__`), as a schema would
 * find the inherited value if it is absent.
 */
export function looksLikeName(key: string): boolean {
  if (
    key in Object.prototype ||
    key.length > LONGEST_NAME ||
    !NAME.test(key) ||
    /^[0-9a-f]{16,}$/i.test(key)
  )
    return false;
  return formatsOf(key).length === 0;
}
