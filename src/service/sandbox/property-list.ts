import { DEFAULT_ASSUMPTIONS } from "../client/assumptions.ts";
import { type ApiError, invalid } from "./api-error.ts";
import type { ListedProperty } from "./property.ts";

/** Page sizes: the description shows neither the default nor the maximum ("Limits"). */
export const DEFAULT_PER_PAGE = 20;
export const MAX_PER_PAGE = 100;

/** Every field of a listed property; the type requires every field. */
const FIELDS: Readonly<Record<keyof ListedProperty, true>> = {
  id: true,
  type: true,
  address: true,
  surface: true,
  rooms: true,
  rent: true,
  yield: true,
  tenant: true,
};

/**
 * One page of properties, as `GET /v1/properties` returns it (service description, "List
 * envelope"), or an error for an invalid query.
 */
export function listProperties(properties: readonly ListedProperty[], query: URLSearchParams) {
  const { pageParameter, perPageParameter, fieldsSeparator } = DEFAULT_ASSUMPTIONS;
  const fields = readFields(query, fieldsSeparator);
  if ("error" in fields) return fields;
  const page = readWhole(query, pageParameter, { fallback: 1, most: Number.MAX_SAFE_INTEGER });
  if (typeof page !== "number") return page;
  const perPage = readWhole(query, perPageParameter, {
    fallback: DEFAULT_PER_PAGE,
    most: MAX_PER_PAGE,
  });
  if (typeof perPage !== "number") return perPage;
  const data = properties.slice((page - 1) * perPage, page * perPage);
  const meta = { total: properties.length, page, per_page: perPage };
  const { names } = fields;
  const restrict = (property: ListedProperty): Partial<ListedProperty> =>
    names === undefined
      ? property
      : Object.fromEntries(Object.entries(property).filter(([name]) => names.includes(name)));
  return { envelope: { data: data.map(restrict), meta } };
}

/** `fields` restricts the returned fields; that its value is a list of names is assumed. */
function readFields(
  query: URLSearchParams,
  separator: string,
): { readonly names?: readonly string[] } | { error: ApiError } {
  const given = query.getAll("fields");
  if (given.length === 0) return {};
  const names = given.flatMap((text) => text.split(separator)).map((name) => name.trim());
  const wrong = names.find((name) => !Object.hasOwn(FIELDS, name));
  if (wrong === undefined) return { names };
  const known = Object.keys(FIELDS).join(separator);
  return { error: invalid(`expected field names separated by ${separator}: ${known}`, "fields") };
}

function readWhole(
  query: URLSearchParams,
  name: string,
  { fallback, most }: { fallback: number; most: number },
): number | { error: ApiError } {
  const text = query.get(name);
  if (text === null) return fallback;
  const value = /^\d{1,15}$/.test(text) ? Number(text) : 0;
  if (value >= 1 && value <= most) return value;
  return { error: invalid(`expected ${name} to be a whole number from 1 to ${most}`, name) };
}
