import { isPromiseLike } from "../base/is-promise-like.ts";
import type { Plan, ReadyEvent } from "../dispatch/handler.ts";
import type { DataProblem } from "../event/data-problems.ts";
import type { Envelope } from "../event/envelope.ts";
import { toEvent, type WebhookEvent } from "../event/event.ts";
import { REJECTED } from "../event/identity.ts";
import { readEnvelope, readEnvelopeAgain } from "../event/read-envelope.ts";
import { checkData, type DataResult } from "../event/schemas.ts";
import type { ClaimedEntry } from "../inbox/claim.ts";
import { newEntry } from "../inbox/new-entry.ts";
import type { DriftListeners } from "./drift-listeners.ts";
import type { HandlerSet } from "./handler-set.ts";
import type { MissingHandlers } from "./handlers/missing-handlers.ts";
import { dedupKey, orderKey } from "./judge.ts";
import type { Settings } from "./options/settings.ts";

export interface Planning {
  /** What to do with an entry of a kind that has no handler. */
  readonly missing: Pick<MissingHandlers, "plan">;
  /** Compares an event that runs for the first time with those before. */
  readonly drifts: Pick<DriftListeners, "compare">;
}

type Wired = Pick<HandlerSet, "settings"> & {
  readonly router: Pick<HandlerSet["router"], "match">;
};

/**
 * Finds the handlers of a claimed entry. Its bytes are read again, unless that was just done with
 * the current schemas: the entry may be older than this process, and using the current schemas and
 * handlers is what makes retrying after an upgrade work.
 */
export function planEntry(
  entry: ClaimedEntry,
  wired: Wired,
  planning: Planning,
  justRead?: ReadyEvent,
): Plan | Promise<Plan> {
  const { settings } = wired;
  if (entry.key.timestamp === REJECTED) return promote(entry, settings);
  const known = justRead?.schemas === settings.schemas ? justRead.event : undefined;
  const read = known ?? readEnvelopeAgain(entry.delivery.body);
  if ("ok" in read && !read.ok) return { end: "dead", reason: read.rejection.reason };
  const { envelope } = read;
  if (settings.drift !== undefined && entry.attempts === 1) {
    planning.drifts.compare({ seq: entry.seq, eventId: entry.key.eventId }, envelope);
  }
  const planFor = (result: EventResult): Plan | Promise<Plan> => {
    if (!result.ok) return { end: "dead", reason: "invalid_data", problems: result.problems };
    const run = wired.router.match(envelope.event, result.event);
    if (run.length === 0) return planning.missing.plan(entry, envelope.event);
    // The first handler gets the event that is there, each other one its own.
    let ready: WebhookEvent | undefined = result.event;
    const event = () => {
      const first = ready;
      ready = undefined;
      return first ?? eventAgain(entry, settings);
    };
    return { run, event };
  };
  if (known !== undefined) return planFor({ ok: true, event: known });
  const event = eventOf(envelope, entry, settings);
  return isPromiseLike(event) ? event.then(planFor) : planFor(event);
}

async function eventAgain(entry: ClaimedEntry, settings: Settings): Promise<WebhookEvent> {
  const read = readEnvelopeAgain(entry.delivery.body);
  const result = read.ok ? await eventOf(read.envelope, entry, settings) : undefined;
  if (result?.ok !== true) {
    throw new TypeError(
      "expected data to fit its schema again, got another result: let it depend on data alone",
    );
  }
  return result.event;
}

/** An event, or why `data` does not fit its schema. */
type EventResult =
  | { readonly ok: true; readonly event: WebhookEvent }
  | { readonly ok: false; readonly problems: readonly DataProblem[] };

function eventOf(
  envelope: Envelope,
  { key: { eventId, source } }: ClaimedEntry,
  { schemas }: Settings,
): EventResult | Promise<EventResult> {
  const toResult = (checked: DataResult): EventResult =>
    // The id is the entry's, which the user's own `identity` may have chosen.
    checked.ok
      ? { ok: true, event: toEvent({ envelope, eventId }, source, checked.data) }
      : checked;
  const checking = checkData(envelope.event, envelope.data, schemas);
  return isPromiseLike(checking) ? checking.then(toResult) : toResult(checking);
}

/**
 * Turns a retried rejected delivery that can be read now (only its time was wrong) into its event,
 * under that event's key, so that it does not run beside a later delivery of the same event.
 */
async function promote(entry: ClaimedEntry, settings: Settings): Promise<Plan> {
  const read = readEnvelope(entry.delivery.body);
  if (!read.ok) return { end: "dead", reason: read.rejection.reason };
  const terms = {
    key: dedupKey(read, settings),
    order: orderKey(read, settings, true),
    problems: [],
  };
  await settings.inbox.append({ ...newEntry(entry.delivery, read, terms), afterPruning: true });
  return { end: "handled", reason: "retried" };
}
