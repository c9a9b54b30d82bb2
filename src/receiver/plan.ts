import type { NamedHandler, Plan } from "../dispatch/handler.ts";
import type { Envelope } from "../event/envelope.ts";
import type { WebhookEvent } from "../event/event.ts";
import { REJECTED } from "../event/identity.ts";
import { readEnvelope, readEnvelopeAgain } from "../event/read-envelope.ts";
import { checkData } from "../event/schemas.ts";
import type { ClaimedEntry } from "../inbox/inbox.ts";
import { newEntry } from "../inbox/new-entry.ts";
import { dedupKey, orderKey } from "./entry-keys.ts";
import type { Settings } from "./options.ts";
import { toEvent } from "./to-event.ts";

/** What is registered in this process. */
export interface Registered {
  readonly match: (kind: string) => readonly NamedHandler[];
  /** Whether an entry that finds no handler is left to another process, rather than ended as `unhandled`. */
  readonly isLeft: (entry: ClaimedEntry) => boolean;
}

/** Milliseconds that an entry which failed elsewhere waits between looks whether it has a handler now. */
const WAIT_FOR_HANDLER = 10_000;

/**
 * Reads a claimed entry's bytes again and finds its handlers. Again, because the entry may be older than this process:
 * schemas and handlers are those of now, which is what makes redriving after an upgrade work.
 */
export async function planEntry(
  entry: ClaimedEntry,
  settings: Settings,
  { match, isLeft }: Registered,
): Promise<Plan> {
  if (entry.key.timestamp === REJECTED) return promote(entry, settings);
  const read = readEnvelopeAgain(entry.delivery.body);
  if (!read.ok) return { end: "dead", reason: read.rejection.reason };
  const event = await eventOf(read.envelope, entry, settings);
  if (event === undefined) return { end: "dead", reason: "invalid_data" };
  const run = match(read.envelope.event);
  if (run.length === 0) {
    // What failed before has handlers in another process, or had them: its retry is not given up here.
    if (entry.attempts > 1 || isLeft(entry)) return { wait: WAIT_FOR_HANDLER, reason: "no_handler" };
    return { end: "unhandled", reason: "no_handler" };
  }

  let ready: WebhookEvent | undefined = event;
  return {
    run,
    event: async () => {
      const again = ready === undefined ? readEnvelopeAgain(entry.delivery.body) : undefined;
      const next = again?.ok === true ? await eventOf(again.envelope, entry, settings) : ready;
      ready = undefined;
      if (next === undefined) throw new TypeError("data fitted its schema once, but not the second time");
      return next;
    },
  };
}

/** The event of an envelope that was just read; `undefined` where `data` does not fit its schema. */
async function eventOf(
  envelope: Envelope,
  { key: { eventId, source } }: ClaimedEntry,
  { schemas }: Settings,
): Promise<WebhookEvent | undefined> {
  const checked = await checkData(envelope.event, envelope.data, schemas);
  if (!checked.ok) return undefined;
  // The id is the entry's, which the user's own `identity` may have chosen.
  return toEvent({ envelope, eventId }, source, checked.data);
}

/**
 * A rejected delivery that was redriven and can be read now (its only fault was its time): it becomes the event it is,
 * under that event's own key, so it does not run beside a later delivery of the same event.
 */
async function promote(entry: ClaimedEntry, settings: Settings): Promise<Plan> {
  const read = readEnvelope(entry.delivery.body);
  if (!read.ok) return { end: "dead", reason: read.rejection.reason };
  const terms = { key: dedupKey(read, settings), order: orderKey(read, settings, true), fits: true };
  await settings.inbox.append({ ...newEntry(entry.delivery, read, terms), afterPruning: true });
  return { end: "done", reason: "redriven" };
}
