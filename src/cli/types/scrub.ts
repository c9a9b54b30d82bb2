import { createHmac } from "node:crypto";
import { formatsOf, looksLikeName } from "./text-format.ts";

const DAY = 86_400_000;
/** Dates move by up to this many days. */
const FURTHEST = 2000;

export interface ScrubTerms {
  /** Decides about what becomes what: the same key makes the same of the same values. */
  readonly key: string;
  /** Whether the value at a path, as in `data.status`, stays. */
  readonly keeps: (path: string) => boolean;
}

/**
 * Replaces the values of data, and keeps its shape: types, formats, fields, lengths of lists. The
 * same value becomes the same again, so that ids of a set of events still belong together; dates
 * all move by the same number of days.
 */
export function scrubberOf({ key, keeps }: ScrubTerms) {
  const digest = (text: string) => createHmac("sha256", key).update(text).digest("hex");
  const number = (text: string) => Number.parseInt(digest(text).slice(0, 8), 16);
  const days = -1 - (number("days") % FURTHEST);
  /**
   * Another instant, at the same time of day; one that JavaScript cannot hold becomes a fixed one.
   */
  const moved = (text: string): string => {
    const at = new Date(Date.parse(text) + days * DAY);
    return Number.isNaN(at.getTime()) ? "2026-01-01T00:00:00.000Z" : at.toISOString();
  };
  /**
   * Other digits at the same places; the first is not zero, as it was not, or is the only one
   * before the point.
   */
  const digits = (text: string): string => {
    const from = createHmac("sha512", key).update(text).digest();
    return text.replace(/\d/g, (digit, at: number) => {
      const other = (from[at % from.length] ?? 0) % 9;
      return digit === "0" ? digit : String(other + 1);
    });
  };
  const amount = (value: number): number => {
    const text = String(value);
    const scrubbed = Number(digits(text));
    // An exponent, or too many digits to hold them exactly.
    return /e/.test(text) || String(scrubbed).length !== text.length
      ? number(text) % 1000
      : scrubbed;
  };
  const textOf = (text: string): string => {
    if (text === "") return text;
    const [format] = formatsOf(text);
    const name = digest(text);
    if (format === undefined) return `sample ${name.slice(0, 8)}`;
    if (format === "date") return moved(text).slice(0, 10);
    if (format === "date-time") return moved(text);
    if (format === "email") return `${name.slice(0, 8)}@sample.invalid`;
    if (format === "url") return `https://sample.invalid/${name.slice(0, 8)}`;
    if (format === "decimal") return digits(text);
    if (format === "uuid")
      return `${name.slice(0, 8)}-${name.slice(8, 12)}-4${name.slice(13, 16)}-8${name.slice(17, 20)}-${name.slice(20, 32)}`;
    return `${format.slice("id:".length)}sample_0${name.slice(0, 11)}`;
  };
  const scrub = (value: unknown, path = "data"): unknown => {
    if (value === null || typeof value === "boolean" || keeps(path)) return value;
    if (typeof value === "string") return textOf(value);
    if (typeof value === "number") return amount(value);
    if (Array.isArray(value)) return value.map((item) => scrub(item, `${path}[]`));
    const members = Object.entries(value as object).map(([name, inner]) =>
      looksLikeName(name)
        ? [name, scrub(inner, `${path}.${name}`)]
        : [textOf(name), scrub(inner, `${path}.*`)],
    );
    return Object.fromEntries(members);
  };
  /** A name for a value, the same whenever it comes. */
  const nameOf = (text: string) => digest(text).slice(0, 8);
  return { scrub, nameOf };
}

export type Scrubber = ReturnType<typeof scrubberOf>;
