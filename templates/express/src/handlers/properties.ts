import type { HandlerRegistry } from "hookporter";

/**
 * Handlers run at least once: make what they do safe to do twice, for example by keying it on `event.id`.
 * A handler that throws runs again later; one that returns is done with the event.
 */
export default function registerProperties(receiver: HandlerRegistry): void {
  // A property was created. The one kind whose data is documented, so it is checked and typed.
  receiver.on("property.created", (event, { log }) => {
    const { id, rooms, surface } = event.data;
    log.info({ id, rooms, surface }, "property created");
  });

  // Information of a property was changed.
  receiver.on("property.updated", (event, { log }) => {
    log.info({ fields: Object.keys(event.data) }, "property updated");
  });

  // A property was removed.
  receiver.on("property.deleted", (event, { log }) => {
    log.info({ fields: Object.keys(event.data) }, "property deleted");
  });
}
