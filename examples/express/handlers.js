// What runs for each event. The server, the test, and
// `npx hookporter listen --handlers handlers.js` share it.
import { defineHandlers } from "hookporter";

/**
 * The payments by event id, as a handler may run again for the same event. An app of yours has a
 * table instead.
 */
export const payments = new Map();

export default defineHandlers({
  handlers: {
    "payment.received": (event, { log }) => {
      payments.set(event.id, event.data);
      log.info("booked");
    },
    "property.*": (event, { log }) => log.info({ id: event.data.id }, event.kind),
  },
});
