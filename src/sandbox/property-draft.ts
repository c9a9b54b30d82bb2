import { type ApiError, invalid } from "./api-error.ts";
import type { PropertyDraft } from "./property.ts";
import { isObject } from "./read-json.ts";

const isText = (value: unknown) => typeof value === "string" && value.trim() !== "";
const isAmount = (value: unknown) => typeof value === "number" && Number.isFinite(value) && value >= 0;
const isWhole = (value: unknown) => isAmount(value) && Number.isInteger(value);

/** The valid values of each field of a draft; the type requires every field. */
const FIELDS: Readonly<Record<keyof PropertyDraft, { fits(value: unknown): boolean; expected: string }>> = {
  type: { fits: isText, expected: "a text" },
  address: { fits: isText, expected: "a text" },
  surface: { fits: isAmount, expected: "a number from 0" },
  rooms: { fits: isWhole, expected: "a whole number from 0" },
  purchase_price: { fits: isAmount, expected: "a number from 0" },
};

/** Reads a property draft; an error names the invalid `field`. */
export function readDraft(value: unknown): { readonly draft: PropertyDraft } | { readonly error: ApiError } {
  if (!isObject(value)) return { error: invalid("expected a JSON object with property fields") };
  for (const [name, content] of Object.entries(value)) {
    const known = Object.entries(FIELDS).find(([field]) => field === name)?.[1];
    if (known === undefined) {
      return { error: invalid(`expected the fields ${Object.keys(FIELDS).join(", ")}`, name) };
    }
    if (!known.fits(content)) return { error: invalid(`expected ${name} to be ${known.expected}`, name) };
  }
  return { draft: value };
}
