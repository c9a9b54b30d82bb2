import * as z from "zod";

/**
 * `data` of a `property.created` event (service description, "Property (as carried in a `property.created` webhook)"):
 * the only `data` the description shows. The set of values of `type`, the unit of `surface` and the currency of
 * `purchase_price` are not shown there, so none is assumed.
 */
export const propertyCreatedSchema = z.looseObject({
  id: z.string().startsWith("prop_"),
  type: z.string(),
  address: z.string(),
  surface: z.number(),
  rooms: z.int(),
  purchase_price: z.number(),
  /** ISO 8601 UTC timestamp. */
  created_at: z.string(),
  owner: z.looseObject({ id: z.string().startsWith("user_"), name: z.string() }),
});

/** `data` of a `property.created` event. */
export type PropertyCreated = z.infer<typeof propertyCreatedSchema>;
