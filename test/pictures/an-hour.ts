import type { EventKind } from "../../src/entries/index.ts";
import { openSession, sendReserialised, startListen } from "./session.ts";

const MINUTE = 60;
/** Instead of arguments: signed over another text than the one that is sent. */
const RESERIALISED = "re-serialised";

/**
 * What is sent in each minute: a kind, the id of its resource, and other arguments of `trigger`.
 */
const SCRIPT: readonly (readonly [
  minute: number,
  kind: EventKind,
  id: string,
  ...argv: string[],
])[] = [
  [2, "property.created", "prop_301"],
  [3, "tenant.created", "tenant_77"],
  [6, "payment.received", "payment_2040"],
  [9, "payment.overdue", "payment_2041"],
  [11, "lead.created", "lead_512"],
  [12, "lead.created", "lead_513", "--duplicate", "3"],
  [15, "property.updated", "prop_301", "--set", "data.rent=1450"],
  [17, "contact.created", "contact_90"],
  [20, "expense.created", "expense_618"],
  [20, "expense.created", "expense_619"],
  [21, "expense.created", "expense_620"],
  [24, "payment.received", "payment_2042", "--no-signature"],
  [27, "tenant.updated", "tenant_77"],
  [29, "payment.received", "payment_2043"],
  [30, "payment.received", "payment_2044"],
  [30, "payment.received", "payment_2045"],
  [34, "property.updated", "prop_301", "--set", "data.rent=1480"],
  [38, "lease.expired", "lease_31"],
  [41, "lead.created", "lead_514"],
  [43, "deal.status_changed", "deal_8"],
  [47, "payment.received", "payment_2046"],
  [48, "payment.received", "payment_2047", "--duplicate", "2"],
  [50, "contact.created", "contact_91", RESERIALISED],
  [52, "property.created", "prop_302", "--set", "data.surface=large"],
  [54, "property.updated", "prop_301", "--set", "data.rent=1500"],
  [55, "tenant.updated", "tenant_78"],
  [56, "payment.overdue", "payment_2041", "--set", 'data.amount="1520.00"'],
  [57, "lead.created", "lead_515"],
  [58, "payment.received", "payment_2048"],
];

/** The page of a `listen` after an hour of deliveries, and the time then. */
export async function anHour(): Promise<{ readonly page: URL; readonly now: number }> {
  const session = openSession({ handlers: true });
  const { page, endpoint } = await startListen(session, "--handlers", "handlers/");
  for (const [minute, kind, id, ...argv] of SCRIPT) {
    const time = session.at(minute * MINUTE);
    if (argv[0] === RESERIALISED) await sendReserialised(endpoint, kind, time);
    else await session.trigger(endpoint, kind, "--set", `data.id=${id}`, ...argv);
  }
  return { page, now: session.at(58 * MINUTE + 20) };
}

/** The page of a `listen` without handlers after its first three deliveries. */
export async function firstRun(): Promise<{ readonly page: URL; readonly now: number }> {
  const session = openSession({ handlers: false });
  const { page, endpoint } = await startListen(session);
  for (const [second, kind] of [
    [20, "property.created"],
    [26, "tenant.created"],
    [41, "payment.received"],
  ] as const) {
    session.at(second);
    await session.trigger(endpoint, kind);
  }
  return { page, now: session.at(50) };
}
