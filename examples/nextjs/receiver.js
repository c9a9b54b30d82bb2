import { createReceiver } from "hookporter";
import { readProject, runServer } from "hookporter/config";
import handlers from "./handlers.js";

/**
 * The one receiver of this process, made when it is first needed: `next build` loads every route,
 * and has no secret.
 */
export function receiver() {
  // Next.js loads this module several times, at the start and for each route, but there is only one
  // `globalThis`.
  globalThis.webhookReceiver ??= makeReceiver();
  return globalThis.webhookReceiver;
}

/**
 * Starts the receiver with the server. On SIGTERM it is closed first, so that running handlers can
 * end.
 */
export function startReceiver() {
  return runServer(async () => {
    await receiver().start();
    return () => receiver().close();
  });
}

function makeReceiver() {
  const { secret, inbox } = readProject(); // from .env and hookporter.config.json
  return createReceiver({ secret, inbox, handlers });
}

// In `next dev`, an edit of the handlers applies to the next delivery.
if (process.env.NODE_ENV === "development") globalThis.webhookReceiver?.replaceHandlers(handlers);
