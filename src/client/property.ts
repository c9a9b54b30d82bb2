import * as z from "zod";

const tenantSchema = z.looseObject({
  name: z.string(),
  /** `YYYY-MM-DD`. */
  lease_start: z.iso.date(),
});

/**
 * A property as the list returns it (service description, "Property (as returned by the property list)"). The values of
 * `type` and the units of `surface`, `rent` and `yield` are not shown there. Nor is `tenant` of a property without one, so
 * both an absent `tenant` and `null` are accepted.
 */
export const propertySchema = z.looseObject({
  id: z.string().startsWith("prop_"),
  type: z.string(),
  address: z.string(),
  surface: z.number(),
  rooms: z.int(),
  rent: z.number(),
  yield: z.number(),
  tenant: tenantSchema.nullish(),
});

/** A property with selected `fields`: any field may be missing. */
export const selectedPropertySchema = propertySchema
  .extend({ tenant: tenantSchema.partial().nullish() })
  .partial();

/** A property of the list. */
export type Property = z.infer<typeof propertySchema>;

/** A property of a list requested with `fields`. */
export type SelectedProperty = z.infer<typeof selectedPropertySchema>;
