/** What can be wrong with a triggered delivery, and the fields of the API for it. */
export const FAULTS = [
  { name: "none", label: "Nothing: a correct delivery", fields: {} },
  { name: "signature", label: "Wrong signature", fields: { tamper: "signature" } },
  { name: "body", label: "Body changed after signing", fields: { tamper: "body" } },
  { name: "header", label: "Malformed signature header", fields: { tamper: "header" } },
  { name: "unsigned", label: "No signature", fields: { noSignature: true } },
  { name: "duplicate", label: "Duplicate: each one twice", fields: { duplicate: 2 } },
  { name: "stale", label: "Stale: dated 8 days ago", fields: { stale: 8 * 86_400_000 } },
  { name: "future", label: "Dated 1 hour ahead", fields: { future: 3_600_000 } },
] as const;
