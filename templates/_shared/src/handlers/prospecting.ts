import type { Registry } from "../registry.ts";

/**
 * The data of these kinds is not documented: it is an open object until you add a schema to
 * ../schemas.ts.
 */
export default function registerProspecting(receiver: Registry): void {
  // The prospecting radar found a new opportunity.
  receiver.on("lead.created", (event, { log }) => {
    log.info({ fields: Object.keys(event.data) }, "lead created");
  });

  // A deal changed its status, for example into negotiation.
  receiver.on("deal.status_changed", (event, { log }) => {
    log.info({ fields: Object.keys(event.data) }, "deal changed its status");
  });

  // A contact was registered.
  receiver.on("contact.created", (event, { log }) => {
    log.info({ fields: Object.keys(event.data) }, "contact created");
  });
}
