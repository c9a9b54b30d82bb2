import type { ReadyEvent } from "../dispatch/handler.ts";
import type { ReadEnvelope } from "../event/read-envelope.ts";
import { checkData, type DataResult } from "../event/schemas.ts";
import type { EntryTerms } from "../inbox/new-entry.ts";
import { decidesInTime } from "./decides-in-time.ts";
import { dedupKey, orderKey } from "./entry-keys.ts";
import type { Settings } from "./options/options.ts";
import { toEvent } from "./to-event.ts";

/** What an event is to be kept as. */
export interface Judgement extends EntryTerms {
  /** The event for its handlers, unless the user's own code has seen it. */
  readonly ready?: ReadyEvent | undefined;
}

/**
 * Decides what an event is to be kept as. Returns a promise only if the user's schema does.
 *
 * @throws what the user's own code throws: `identity`, `orderBy` or a schema
 */
export function judge(read: ReadEnvelope, settings: Settings): Judgement | Promise<Judgement> {
  const key = dedupKey(read, settings);
  const judged = (checked: DataResult): Judgement => {
    const order = orderKey(read, settings, checked.ok);
    if (!checked.ok) return { key, order, problems: checked.problems };
    return { key, order, problems: [], ready: readyEvent(read, checked.data, settings) };
  };
  const { event, data } = read.envelope;
  const checking = checkData(event, data, settings.schemas);
  return checking instanceof Promise
    ? decidesInTime(checking, event, settings).then(judged)
    : judged(checking);
}

function readyEvent(read: ReadEnvelope, data: unknown, settings: Settings): ReadyEvent | undefined {
  const { identity, orderBy, source, schemas } = settings;
  if (identity !== undefined || orderBy !== undefined) return undefined; // they may have changed it
  return { event: toEvent(read, source, data), schemas };
}
