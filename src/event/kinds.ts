/** The groups of event kinds (service description, "Event kinds"). */
export type EventGroup = "properties" | "tenants" | "finances" | "prospecting";

/** The 12 event kinds with their group and meaning (service description, section "Event kinds"). */
export const EVENT_KINDS = {
  "property.created": { group: "properties", meaning: "A property was created" },
  "property.updated": { group: "properties", meaning: "Information of a property was changed" },
  "property.deleted": { group: "properties", meaning: "A property was removed" },
  "tenant.created": { group: "tenants", meaning: "A new tenant / a lease was signed" },
  "tenant.updated": { group: "tenants", meaning: "Contact details of a tenant changed" },
  "lease.expired": { group: "tenants", meaning: "A lease reaches expiry, announced 30 days ahead" },
  "payment.received": { group: "finances", meaning: "A rent payment was collected" },
  "payment.overdue": { group: "finances", meaning: "A rent was not paid by its due date" },
  "expense.created": {
    group: "finances",
    meaning: "An expense (for example a works invoice) was recorded",
  },
  "lead.created": {
    group: "prospecting",
    meaning: "The prospecting radar found a new opportunity",
  },
  "deal.status_changed": {
    group: "prospecting",
    meaning: "A deal changed status (for example into negotiation)",
  },
  "contact.created": { group: "prospecting", meaning: "A contact was registered" },
} as const satisfies Record<string, { group: EventGroup; meaning: string }>;

/** One of the 12 documented event kinds. */
export type EventKind = keyof typeof EVENT_KINDS;

/** The 12 kinds in the order of the service description. */
export const eventKinds = Object.keys(EVENT_KINDS) as readonly EventKind[];

/**
 * Whether a string is one of the 12 kinds. Exact: `"toString"` and `"Property.Created"` are not.
 *
 * @example
 * ```ts
 * import { isEventKind } from "hookporter";
 *
 * isEventKind("payment.received"); // true
 * isEventKind("payment.recieved"); // false
 * ```
 */
export function isEventKind(text: string): text is EventKind {
  return Object.hasOwn(EVENT_KINDS, text);
}
