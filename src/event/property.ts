import * as z from "zod";

/**
 * `data` of a `property.created` event (service description, "Property (as carried in a `property.created` webhook)"),
 * the only `data` that the description shows. It does not show the values of `type`, the unit of `surface` or the
 * currency of `purchase_price`, so this schema assumes none.
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
