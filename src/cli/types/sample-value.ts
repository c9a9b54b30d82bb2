import type { DataType, Place } from "./data-type.ts";

const DAY = 86_400_000;
/** Dates are from the years after this. */
const FROM = Date.UTC(2024, 0, 1);
const DAYS = 730;

/** Random numbers from 0 up to 1. */
type Random = () => number;

/**
 * Returns data that fits a place, made up: the same for the same random numbers. Fields that are
 * absent or `null` at times are so here, too.
 */
export function sampleValue(place: Place, random: Random): unknown {
  if (place.isNullable && (place.types.length === 0 || random() < 0.1)) return null;
  const type = place.types[Math.floor(random() * place.types.length)];
  return type === undefined ? {} : valueOfType(type, random);
}

function valueOfType(type: DataType, random: Random): unknown {
  if (type.type === "boolean") return random() < 0.5;
  if (type.type === "integer") return upTo(2000, random);
  if (type.type === "number") return upTo(200_000, random) / 100;
  if (type.type === "string") return stringOf(type, random);
  if (type.type === "array") return list(type.items, random);
  if (type.type === "map")
    return Object.fromEntries(
      list(type.values, random).map((value) => [`key_${digits(random)}`, value]),
    );
  const fields = type.fields.filter(({ isOptional }) => !isOptional || random() < 0.7);
  return Object.fromEntries(fields.map(({ name, place }) => [name, sampleValue(place, random)]));
}

function list(place: Place, random: Random): readonly unknown[] {
  return Array.from({ length: upTo(3, random) + 1 }, () => sampleValue(place, random));
}

function stringOf({ format, values }: DataType & { type: "string" }, random: Random): string {
  if (values !== undefined) return values[upTo(values.length, random)] ?? "";
  if (format === undefined) return `sample text ${upTo(1000, random)}`;
  const at = new Date(FROM + upTo(DAYS, random) * DAY + upTo(DAY, random)).toISOString();
  if (format === "date") return at.slice(0, 10);
  if (format === "date-time") return at;
  // Addresses are in domains that belong to nobody.
  if (format === "email") return `sample.${digits(random)}@sample.invalid`;
  if (format === "url") return `https://sample.invalid/${digits(random)}`;
  if (format === "uuid") return `00000000-0000-4000-8000-${digits(random).padStart(12, "0")}`;
  if (format === "decimal") return (upTo(200_000, random) / 100).toFixed(2);
  return `${format.slice("id:".length)}sample_${digits(random)}`;
}

function digits(random: Random): string {
  return String(upTo(900_000_000, random) + 100_000_000);
}

/** An integer from 0 up to a limit. */
function upTo(limit: number, random: Random): number {
  return Math.floor(random() * limit);
}
