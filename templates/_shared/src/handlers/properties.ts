import type { Registry } from "../registry.ts";

/**
 * Handlers run at least once: make them safe to run twice, for example by using `event.id` as a
 * key. A handler that throws runs again later; one that returns has finished with the event.
 */
export default function registerProperties(receiver: Registry): void {
  // A property was created. Only this kind has documented data, so it is checked and typed. Only
  // `id` is certain: any other field may be absent or null.
  receiver.on("property.created", (event, { log }) => {
    const { id, rooms, surface } = event.data;
    log.info({ id, rooms, surface }, "property created");
  });

  // A property was changed.
  receiver.on("property.updated", (event, { log }) => {
    log.info({ fields: Object.keys(event.data) }, "property updated");
  });

  // A property was removed.
  receiver.on("property.deleted", (event, { log }) => {
    log.info({ fields: Object.keys(event.data) }, "property deleted");
  });
}
