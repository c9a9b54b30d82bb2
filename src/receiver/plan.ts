import { describeError } from "../base/errors.ts";
import { isPromiseLike } from "../base/guards.ts";
import type { Plan, ReadyEvent } from "../dispatch/plan/handler.ts";
import type { DataProblem } from "../event/data-problems.ts";
import type { Envelope } from "../event/envelope.ts";
import type { WebhookEvent } from "../event/event.ts";
import { REJECTED } from "../event/identity.ts";
import { readEnvelope, readEnvelopeAgain, toEvent } from "../event/read-envelope.ts";
import { checkData, type DataResult, type DataSchemas, type UnfitData } from "../event/schemas.ts";
import type { ClaimedEntry } from "../inbox/claim.ts";
import type { Inbox } from "../inbox/inbox.ts";
import { newEntry } from "../inbox/new-entry.ts";
import type { DeadReason } from "../inbox/reasons.ts";
import type { DriftListeners } from "./drift-listeners.ts";
import type { MissingHandlers } from "./handlers/missing-handlers.ts";
import { dedupKey, orderKey } from "./judge.ts";
import type { Settings } from "./options/settings.ts";
import type { ReceiverState } from "./state.ts";

export interface Planning {
  readonly settings: Settings;
  readonly state: Pick<ReceiverState, "inbox" | "router">;
  /** What to do with an entry of a kind that has no handler. */
  readonly missing: Pick<MissingHandlers, "plan">;
  /** Compares an event that runs for the first time with those before. */
  readonly drifts: Pick<DriftListeners, "compare">;
}

/**
 * Finds the handlers of a claimed entry. Its bytes are read again, unless that was just done with
 * the current schemas: the entry may be older than this process, and using the current schemas and
 * handlers is what makes retrying after an upgrade work.
 */
export function planEntry(
  planning: Planning,
  entry: ClaimedEntry,
  justRead?: ReadyEvent,
): Plan | Promise<Plan> {
  const { settings, state, missing, drifts } = planning;
  if (entry.key.timestamp === REJECTED) return promote(entry, settings, state.inbox);
  const { handlers } = state.router;
  const known = justRead?.schemas === handlers.schemas ? justRead.event : undefined;
  const read = known ?? readEnvelopeAgain(entry.delivery.body);
  if ("ok" in read && !read.ok) return dead(read.rejection.reason);
  const { envelope } = read;
  if (settings.drift !== undefined && entry.attempts === 1) {
    drifts.compare({ seq: entry.seq, eventId: entry.key.eventId }, envelope);
  }
  const planFor = (result: EventResult): Plan | Promise<Plan> => {
    if (!result.ok) return unfit(result);
    const matching = handlers.match(envelope.event, result.event);
    if (matching.length === 0) return missing.plan(entry, envelope.event);
    // The first handler gets the event that is there, each other one its own.
    let ready: WebhookEvent | undefined = result.event;
    const event = () => {
      const first = ready;
      ready = undefined;
      return first ?? eventAgain(entry, handlers.schemas);
    };
    return { type: "run", handlers: matching, event };
  };
  if (known !== undefined) return planFor({ ok: true, event: known });
  const event = eventOf(envelope, entry, handlers.schemas);
  return isPromiseLike(event) ? event.then(planFor) : planFor(event);
}

async function eventAgain(entry: ClaimedEntry, schemas: DataSchemas): Promise<WebhookEvent> {
  const read = readEnvelopeAgain(entry.delivery.body);
  const result = read.ok ? await eventOf(read.envelope, entry, schemas) : undefined;
  if (result?.ok === false && result.reason === "schema_failed") throw result.thrown;
  if (result?.ok !== true) {
    throw new TypeError(
      "expected data to fit its schema again, got another result: let it depend on data alone",
    );
  }
  return result.event;
}

/** An event, or why its `data` cannot be handled. */
type EventResult = { readonly ok: true; readonly event: WebhookEvent } | UnfitData;

/** `data` stays as it is, but a schema that fails may be mended before the next attempt. */
function unfit({ reason, problems, thrown }: UnfitData): Plan {
  if (reason === "invalid_data") return dead(reason, problems);
  return { type: "unplanned", error: describeError(thrown), problems };
}

function eventOf(
  envelope: Envelope,
  { key: { eventId, source } }: ClaimedEntry,
  schemas: DataSchemas,
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
async function promote(entry: ClaimedEntry, settings: Settings, inbox: Inbox): Promise<Plan> {
  const read = readEnvelope(entry.delivery.body);
  if (!read.ok) return dead(read.rejection.reason);
  const terms = {
    key: dedupKey(read, settings),
    order: orderKey(read, settings, true),
    problems: [],
  };
  await inbox.append({ ...newEntry(entry.delivery, read, terms), afterPruning: true });
  return { type: "done_elsewhere" };
}

function dead(reason: DeadReason, problems?: readonly DataProblem[]): Plan {
  return { type: "end", state: "dead", reason, problems };
}
