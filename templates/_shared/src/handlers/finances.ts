import type { Registry } from "../registry.ts";

/**
 * The data of these kinds is not documented. It is an open object, apart from kinds with a schema
 * in ../schemas.ts.
 */
export default function registerFinances(receiver: Registry): void {
  // A rent payment was collected.
  receiver.on("payment.received", (event, { log }) => {
    const { id, amount } = event.data; // typed by the schema in ../schemas.ts
    log.info({ id, amount }, "payment received");
  });

  // A rent was not paid by its due date.
  receiver.on("payment.overdue", (event, { log }) => {
    log.info({ fields: Object.keys(event.data) }, "payment overdue");
  });

  // An expense was recorded, for example an invoice for works.
  receiver.on("expense.created", (event, { log }) => {
    log.info({ fields: Object.keys(event.data) }, "expense created");
  });
}
