import { createReceiver, type Receiver } from "hookporter";
import { readProject, runServer } from "hookporter/config";
import handlers from "./handlers/index.ts";
import { log } from "./log.ts";
import type { OtherKind } from "./registry.ts";
import type { schemas } from "./schemas.ts";

// A process may load this module several times, as Next.js does for the start, for each route and
// after an edit. Only `globalThis` stays.
const kept = globalThis as typeof globalThis & {
  webhookReceiver?: Receiver<typeof schemas, OtherKind>;
};

/**
 * The one receiver of this process, made when it is first needed: builds and tests have no secret.
 */
export function receiver(): Receiver<typeof schemas, OtherKind> {
  if (kept.webhookReceiver === undefined) {
    const { secret, inbox } = readProject(); // from .env and hookporter.config.json
    // Docker kills after 10 s
    kept.webhookReceiver = createReceiver({ secret, inbox, handlers, log, drainTimeout: 8_000 });
  }
  return kept.webhookReceiver;
}

/**
 * Starts the receiver. On SIGTERM and SIGINT it is closed first, so that running handlers can end;
 * then the server ends.
 */
export function startReceiver(): Promise<void> {
  return runServer(async () => {
    await receiver().start();
    return () => receiver().close();
  });
}

// In Next.js, an edit of the handlers applies to the next delivery.
if (process.env.NODE_ENV === "development") kept.webhookReceiver?.replaceHandlers(handlers);
