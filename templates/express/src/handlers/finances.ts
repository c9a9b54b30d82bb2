import type { HandlerRegistry } from "hookporter";

/** The data of these kinds is not documented: it is an open object until you add a schema (see README.md). */
export default function registerFinances(receiver: HandlerRegistry): void {
  // A rent payment was collected.
  receiver.on("payment.received", (event, { log }) => {
    log.info({ fields: Object.keys(event.data) }, "payment received");
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
