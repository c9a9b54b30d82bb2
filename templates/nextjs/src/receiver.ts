import { createReceiver, type Receiver } from "hookporter";
import handlers from "./handlers/index.ts";
import { log } from "./log.ts";
import type { schemas } from "./schemas.ts";

// Next.js loads this module several times: for the start, for each route, and again after an edit. Only `globalThis` stays.
const kept = globalThis as typeof globalThis & { webhookReceiver?: Receiver<typeof schemas> };

/** The one receiver of this process, made when it is first needed: a build has no secret. */
export function receiver(): Receiver<typeof schemas> {
  kept.webhookReceiver ??= createReceiver({
    secret: process.env.HOOKPORTER_SECRET,
    // part: inbox-option
    handlers,
    log,
  });
  return kept.webhookReceiver;
}

/** Starts the receiver, and closes it when the server ends. What was not finished by then runs at the next start. */
export async function startReceiver(): Promise<void> {
  await receiver().start();
  process.once("SIGTERM", () => receiver().close());
  process.once("SIGINT", () => receiver().close());
}

// An edit of the handlers applies to the next delivery.
if (process.env.NODE_ENV === "development") kept.webhookReceiver?.replaceHandlers(handlers);
