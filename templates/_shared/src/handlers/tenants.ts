import type { Registry } from "../registry.ts";

/**
 * The data of these kinds is not documented: it is an open object until you add a schema to
 * ../schemas.ts.
 */
export default function registerTenants(receiver: Registry): void {
  // A new tenant: a lease was signed.
  receiver.on("tenant.created", (event, { log }) => {
    log.info({ fields: Object.keys(event.data) }, "tenant created");
  });

  // Contact details of a tenant changed.
  receiver.on("tenant.updated", (event, { log }) => {
    log.info({ fields: Object.keys(event.data) }, "tenant updated");
  });

  // A lease reaches its end; announced 30 days ahead.
  receiver.on("lease.expired", (event, { log }) => {
    log.info({ fields: Object.keys(event.data) }, "lease expires in 30 days");
  });
}
