// What `data` holds by event kind, learned from events by `npx hookporter types`. Edit what you
// know better: `npx hookporter types --merge` keeps what you edited, and code of your own between
// the blocks.
import * as z from "zod";

// learned payment.received 3ec7619ec96c
/**
 * `data` of `payment.received`: a start, since the service does not document it.
 * `npx hookporter types` replaces it.
 */
export const paymentReceivedSchema = z.looseObject({
  id: z.string().optional(),
  amount: z.union([z.string(), z.number()]).nullish(),
});

/** `data` of `payment.received` events. */
export type PaymentReceived = z.infer<typeof paymentReceivedSchema>;
// end of payment.received

// learned otherKinds 5a55888818fe
/** Kinds that hookporter does not know, as the option `otherKinds` takes them. */
export const otherKinds = [] as const;
// end of otherKinds

// learned schemas 34b13c095789
/** The schemas by event kind, as the option `schemas` takes them. */
export const schemas = {
  "payment.received": paymentReceivedSchema,
};
// end of schemas
