import type { HandlerRegistry } from "hookporter";
import registerFinances from "./finances.ts";
import registerProperties from "./properties.ts";
import registerProspecting from "./prospecting.ts";
import registerTenants from "./tenants.ts";

/** Every handler of this project. Also what `npx hookporter listen --handlers src/handlers` loads. */
export default function registerHandlers(receiver: HandlerRegistry): void {
  registerProperties(receiver);
  registerTenants(receiver);
  registerFinances(receiver);
  registerProspecting(receiver);

  // A kind that is none of the 12: kept, so it can be redriven once there is a handler for it.
  receiver.onUnknown((event, { log }) => {
    log.warn({ kind: event.kind }, "no handler for this kind yet");
  });

  // An entry that will not run again by itself: tell a person. `npx hookporter events redrive` runs it again.
  receiver.onDead(({ seq, kind, reason }) => {
    console.error(`dead letter ${seq} (${kind ?? "no kind"}): ${reason}`);
  });
}
