import * as z from "zod";

const tenantSchema = z.looseObject({
  name: z.string().nullish(),
  /** `YYYY-MM-DD`. */
  lease_start: z.iso.date().nullish(),
});

/**
 * A property as the list returns it (service description, "Property (as returned by the property list)"). The values of
 * `type` and the units of `surface`, `rent` and `yield` are not shown there.
 *
 * The description has types, but does not say which fields are required, or never `null`. Only `id` must be there, since
 * it identifies the property; every other field may be absent or `null`.
 */
export const propertySchema = z.looseObject({
  id: z.string().startsWith("prop_"),
  type: z.string().nullish(),
  address: z.string().nullish(),
  surface: z.number().nullish(),
  rooms: z.int().nullish(),
  rent: z.number().nullish(),
  yield: z.number().nullish(),
  tenant: tenantSchema.nullish(),
});

/** A property with selected `fields`: `id` may be missing too. */
export const selectedPropertySchema = propertySchema.partial();

/** A property of the list. Only `id` is always there; the other fields may be absent or `null`. */
export type Property = z.infer<typeof propertySchema>;

/** A property of a list requested with `fields`. */
export type SelectedProperty = z.infer<typeof selectedPropertySchema>;
