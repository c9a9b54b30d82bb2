import { isRecord } from "../base/is-record.ts";
import { describeValue } from "../options/describe-value.ts";
import { didYouMean } from "../options/did-you-mean.ts";
import { type ApiError, invalid } from "./api-error.ts";
import type { PropertyDraft } from "./property.ts";

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
  if (!isRecord(value))
    return {
      error: invalid(
        `expected a JSON object with property fields, got ${describeValue(value)}: pass { address: … } or the like`,
      ),
    };
  for (const [name, content] of Object.entries(value)) {
    const known = Object.entries(FIELDS).find(([field]) => field === name)?.[1];
    if (known === undefined) {
      return { error: invalid(unknownField(name), name) };
    }
    if (!known.fits(content))
      return {
        error: invalid(
          `expected ${name} to be ${known.expected}, got ${describeValue(content)}: correct it, or leave it out`,
          name,
        ),
      };
  }
  return { draft: value };
}

function unknownField(name: string): string {
  const fields = Object.keys(FIELDS);
  const meant = didYouMean(name, fields);
  const fix = meant === undefined ? "leave it out" : `did you mean ${meant}?`;
  return `expected the fields ${fields.join(", ")}, got ${JSON.stringify(name)}: ${fix}`;
}
