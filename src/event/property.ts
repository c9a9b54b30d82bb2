import * as z from "zod";

/**
 * `data` of a `property.created` event (service description, "Property (as carried in a
 * `property.created` webhook)"), the only `data` that the description shows. It does not show the
 * values of `type`, the unit of `surface` or the currency of `purchase_price`, so this schema
 * assumes none.
 *
 * The description has types, but does not say which fields are required, or never `null`. Only `id`
 * must be there, since it identifies the property; every other field may be absent or `null`. A
 * value of another type never fits.
 */
export const propertyCreatedSchema = z.looseObject({
  id: z.string().startsWith("prop_"),
  type: z.string().nullish(),
  address: z.string().nullish(),
  surface: z.number().nullish(),
  rooms: z.int().nullish(),
  purchase_price: z.number().nullish(),
  /** ISO 8601 UTC timestamp. */
  created_at: z.string().nullish(),
  owner: z
    .looseObject({ id: z.string().startsWith("user_").nullish(), name: z.string().nullish() })
    .nullish(),
});

/**
 * `data` of a `property.created` event. Only `id` is always there; the other fields may be absent
 * or `null`.
 */
export type PropertyCreated = z.infer<typeof propertyCreatedSchema>;
