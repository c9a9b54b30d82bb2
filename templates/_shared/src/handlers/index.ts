import { defineHandlers } from "hookporter";
import { otherKinds, schemas } from "../schemas.ts";
import registerFinances from "./finances.ts";
import registerProperties from "./properties.ts";
import registerProspecting from "./prospecting.ts";
import registerTenants from "./tenants.ts";

/**
 * Every handler of this project, with its schemas. `npx hookporter listen --handlers src/handlers`
 * loads this file too.
 */
export default defineHandlers({
  schemas,
  otherKinds,
  handlers: (receiver) => {
    registerProperties(receiver);
    registerTenants(receiver);
    registerFinances(receiver);
    registerProspecting(receiver);

    // An unknown kind. The event is kept, so you can retry it once there is a handler for it.
    receiver.onUnknown((event, { log }) => {
      log.warn({ kind: event.kind }, "no handler for this kind yet");
    });

    // This entry will not run again by itself: alert someone. `npx hookporter events retry` runs it
    // again.
    receiver.onDead(({ seq, kind, reason, problems, error }) => {
      const fields = problems.map(({ field, message }) => `${field}: ${message}`).join("; ");
      console.error(
        `dead letter ${seq} (${kind ?? "no kind"}): ${reason} ${fields || (error ?? "")}`.trimEnd(),
      );
    });
  },
});
