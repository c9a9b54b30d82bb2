import * as z from "zod";

const tenantSchema = z.looseObject({
  name: z.string(),
  /** `YYYY-MM-DD`. */
  lease_start: z.iso.date(),
});

/**
 * A property as the list returns it (service description, "Property (as returned by the property list)"). The values of
 * `type`, the units of `surface`, `rent` and `yield` are not shown there. Nor is what a property without a tenant has
 * for `tenant`: nothing and `null` are both taken.
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

/** A property of which `fields` selected a part: any field may be missing. */
export const selectedPropertySchema = propertySchema
  .extend({ tenant: tenantSchema.partial().nullish() })
  .partial();

/** A property of the list. */
export type Property = z.infer<typeof propertySchema>;

/** A property of a list that was asked for with `fields`. */
export type SelectedProperty = z.infer<typeof selectedPropertySchema>;
