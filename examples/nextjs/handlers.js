// What runs for each event. The server, the test, and
// `npx hookporter listen --handlers handlers.js` share it.
import { defineHandlers } from "hookporter";

export default defineHandlers({
  handlers: {
    "payment.received": (event, { log }) =>
      log.info({ amount: event.data.amount }, "payment received"),
    "property.*": (event, { log }) => log.info({ id: event.data.id }, event.kind),
  },
});
