import type { HandlerRegistry as Registry } from "hookporter";
import { z } from "zod";

/**
 * What your handlers rely on in `event.data`, by kind. To add a kind, add a line: its handlers are then typed, and an event
 * whose data does not fit becomes a dead letter that names the field. After you fix the schema, redrive it.
 *
 * The service documents the data of `property.created` only, and that is checked without a schema here. Look at deliveries
 * you received (`npx hookporter events show`) before you add one, ask for no more than you use, and keep objects loose, so
 * that new fields of the service do no harm.
 */
export const schemas = {
  "payment.received": z.looseObject({
    id: z.string().optional(),
    amount: z.union([z.string(), z.number()]).nullish(),
  }),
};

/** Where handlers are registered, with the types of these schemas. */
export type HandlerRegistry = Registry<typeof schemas>;
