import type { Envelope } from "./envelope.ts";
import { checkEventKind } from "./kind-pattern.ts";
import type { EventKind } from "./kinds.ts";
import contactCreated from "./samples/contact.created.json" with { type: "json" };
import dealStatusChanged from "./samples/deal.status_changed.json" with { type: "json" };
import expenseCreated from "./samples/expense.created.json" with { type: "json" };
import leadCreated from "./samples/lead.created.json" with { type: "json" };
import leaseExpired from "./samples/lease.expired.json" with { type: "json" };
import paymentOverdue from "./samples/payment.overdue.json" with { type: "json" };
import paymentReceived from "./samples/payment.received.json" with { type: "json" };
import propertyCreated from "./samples/property.created.json" with { type: "json" };
import propertyDeleted from "./samples/property.deleted.json" with { type: "json" };
import propertyUpdated from "./samples/property.updated.json" with { type: "json" };
import tenantCreated from "./samples/tenant.created.json" with { type: "json" };
import tenantUpdated from "./samples/tenant.updated.json" with { type: "json" };
import { formatTimestamp } from "./timestamp.ts";

/**
 * One envelope per kind. Every id contains `sample`. Only `property.created` has documented `data`;
 * the `data` of the other eleven is invented for demonstrations, and no handler may rely on it.
 */
const SAMPLES: Readonly<Record<EventKind, Envelope>> = {
  "property.created": propertyCreated,
  "property.updated": propertyUpdated,
  "property.deleted": propertyDeleted,
  "tenant.created": tenantCreated,
  "tenant.updated": tenantUpdated,
  "lease.expired": leaseExpired,
  "payment.received": paymentReceived,
  "payment.overdue": paymentOverdue,
  "expense.created": expenseCreated,
  "lead.created": leadCreated,
  "deal.status_changed": dealStatusChanged,
  "contact.created": contactCreated,
};

/** Changes to a sample. */
export interface SampleOptions {
  /**
   * Milliseconds since 1970. Default: the sample's own fixed timestamp, which receivers refuse as
   * too old.
   */
  readonly timestamp?: number;
  /** Replaces the sample's `data`. */
  readonly data?: Record<string, unknown>;
}

/**
 * Returns a new sample envelope of a kind, which may be modified.
 *
 * @throws ConfigurationError `option_invalid` for anything but one of the 12 kinds
 */
export function sampleEvent(kind: EventKind, { timestamp, data }: SampleOptions = {}): Envelope {
  checkEventKind(kind);
  const sample = copyOf(SAMPLES[kind]);
  if (timestamp !== undefined) sample.timestamp = formatTimestamp(timestamp);
  if (data !== undefined) sample.data = copyOf(data);
  return sample;
}

/** A deep copy. Jest hides the function of Node from tests with jsdom; what is sent is JSON. */
function copyOf<Value>(value: Value): Value {
  return typeof structuredClone === "function"
    ? structuredClone(value)
    : JSON.parse(JSON.stringify(value));
}
