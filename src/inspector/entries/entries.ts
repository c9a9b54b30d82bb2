import { shownUrl } from "../../base/text/shown-url.ts";
import type { Delivery } from "../../event/delivery.ts";
import type { Entry } from "../../inbox/entry.ts";
import { problemsOf } from "../../inbox/failures.ts";
import type { Inbox } from "../../inbox/inbox.ts";
import { lastRunsOf } from "../../inbox/outline.ts";
import { RequestError } from "../answer.ts";
import type { EntryDetail, RowPage } from "../api.ts";
import type { InspectorContext } from "../context.ts";
import { explainEntry, type Signing } from "./explain-entry.ts";
import { type RowFilter, readNumber } from "./filter.ts";
import { findEntries } from "./find-entries.ts";
import { entryRow, entryRows } from "./rows.ts";
import { hiddenHeaders, shownBody, shownHeaders } from "./shown-delivery.ts";
import { RESOURCE_PATH } from "./value-path.ts";

const DEFAULT_LIMIT = 200;
const MAX_LIMIT = 5000;

/** An entry whose delivery is still stored. */
export type Kept = Awaited<ReturnType<typeof findKept>>;

export async function listEntries(
  inbox: Inbox,
  filter: RowFilter,
  query: URLSearchParams,
): Promise<RowPage> {
  const limit = readNumber(query, "limit", MAX_LIMIT) ?? DEFAULT_LIMIT;
  const before = readNumber(query, "before");
  const found = await findEntries(inbox, filter.entries, { before, limit: Math.max(1, limit) });
  const { entries, next, newest } = found;
  return { rows: await entryRows(inbox, entries, filter.resource), next, newest };
}

/** Finds the entry with a number. @throws RequestError 404 */
export async function findEntry(inbox: Inbox, number: string): Promise<Entry> {
  const [entry] = /^\d{1,15}$/.test(number) ? await inbox.list({ seq: Number(number) }) : [];
  if (entry !== undefined) return entry;
  throw new RequestError(
    404,
    "entry_unknown",
    "no entry with this number; it may have been pruned",
  );
}

/**
 * Finds the entry with a number, and its delivery. @throws RequestError 404; 410 if the delivery
 * was deleted
 */
export async function findKept(inbox: Inbox, number: string) {
  const entry = await findEntry(inbox, number);
  const delivery = await inbox.delivery(entry.seq);
  if (delivery !== undefined) return { entry, delivery };
  throw new RequestError(
    410,
    "delivery_dropped",
    "the delivery of this entry was deleted to save space",
  );
}

export async function describeEntry(
  entry: Entry,
  { inbox, receiver, signing, seenAgain, senders, drifts, runNotes }: InspectorContext,
): Promise<EntryDetail> {
  const { seq, eventTimestamp, orderKey, finishedHandlers, bodyHash, key } = entry;
  const { state, reason } = entry;
  const unfit = state === "dead" && (reason === "invalid_data" || reason === "schema_failed");
  const [delivery, runs, stillUnfit] = await Promise.all([
    inbox.delivery(seq),
    inbox.attempts(seq),
    unfit ? receiver.recheck(seq).catch(() => entry.problems) : null,
  ]);
  const problems = problemsOf(entry, delivery);
  return {
    ...entryRow(
      entry,
      { seq, lastRuns: lastRunsOf(runs), bodyStart: delivery?.body },
      RESOURCE_PATH,
    ),
    source: key.source,
    problems,
    stillUnfit,
    eventTimestamp,
    orderKey,
    finishedHandlers,
    bodyHash,
    explanation: explainEntry(entry, delivery, signing),
    delivery: delivery === undefined ? null : shownDelivery(delivery, signing),
    drifts: drifts.of(seq),
    sender: senders.get(seq) ?? null,
    runs: runNotes.addTo(seq, runs),
    seenAgain: seenAgain.get(seq) ?? [],
  };
}

function shownDelivery({ method, target, headers, body }: Delivery, { signatureHeader }: Signing) {
  return {
    method,
    target: shownUrl(target),
    headers: shownHeaders(headers, signatureHeader),
    hidden: hiddenHeaders(headers, signatureHeader),
    body: shownBody(body),
  };
}
