import { setImmediate as turn } from "node:timers/promises";
import { firstLine, shortText } from "../../base/text/short-text.ts";
import type { Entry } from "../../inbox/entry.ts";
import type { Inbox } from "../../inbox/inbox.ts";
import { durationOf, type EntryOutline, type RunOutline } from "../../inbox/outline.ts";
import { reasonWords } from "../../inbox/reasons.ts";
import { NO_HANDLER } from "../../inbox/runner.ts";
import type { EntryRow } from "../api.ts";
import { summarise } from "../live/verdict.ts";
import { type ValuePath, valueAt } from "./value-path.ts";

/**
 * Bytes of a body that are read to find its resource, so that a row costs the same whatever its
 * body's size.
 */
const BODY_START = 8 * 1024;
const AT_ONCE = 500; // rows read at a time, so that deliveries are not delayed

const MAX_RESOURCE = 80;

export async function entryRows(inbox: Inbox, entries: readonly Entry[], resource: ValuePath) {
  const rows: EntryRow[] = [];
  for (let from = 0; from < entries.length; from += AT_ONCE) {
    if (from > 0) await turn();
    const some = entries.slice(from, from + AT_ONCE);
    const outlines = new Map(
      (await inbox.outlines({ entries: some, bodyBytes: BODY_START })).map((outline) => [
        outline.seq,
        outline,
      ]),
    );
    for (const entry of some) rows.push(entryRow(entry, outlines.get(entry.seq), resource));
  }
  return rows;
}

export function entryId(seq: number): string {
  return `e${seq}`;
}

export function entryRow(
  entry: Entry,
  outline: EntryOutline | undefined,
  resource: ValuePath,
): EntryRow {
  const { seq, receivedAt, kind, key, reason, attempts, duplicates } = entry;
  const { lastSeenAt, runAt, settledAt, bodyLength: bytes } = entry;
  const runs = outline?.lastRuns ?? [];
  const value =
    outline?.bodyStart === undefined
      ? undefined
      : valueAt(String(Buffer.from(outline.bodyStart)), resource);
  return {
    type: "entry",
    id: entryId(seq),
    seq,
    receivedAt,
    kind,
    eventId: key.eventId,
    state: entry.state,
    reason,
    attempts,
    duplicates,
    lastSeenAt,
    runAt,
    settledAt,
    bytes,
    why: whyOf(entry, runs),
    resource: value ? shortText(value, MAX_RESOURCE) : null,
    duration: durationOf(runs),
  };
}

const MAX_WHY = 300;

/**
 * Why an entry is not handled, in one line: the field that does not fit, the handler's error, or
 * the reason.
 */
function whyOf(entry: Entry, lastRuns: readonly RunOutline[]): string | null {
  const { state, reason, problems, waits } = entry;
  if (state === "handled") return null;
  if (problems.length > 0) return firstLine(summarise(problems), MAX_WHY);
  const isGivenUp = state === "dead" && reason === "attempts_exhausted";
  const error = isGivenUp || state === "failing" ? errorOf(lastRuns) : null;
  if (error !== null) return error;
  const target = waits.find(({ over }) => over === null)?.target;
  if (state === "waiting" && target !== undefined) return firstLine(`waits for ${target}`, MAX_WHY);
  return reason === null || reason === NO_HANDLER ? null : reasonWords(reason);
}

function errorOf(runs: readonly RunOutline[]): string | null {
  const failed = runs.find(({ outcome }) => outcome !== "ok");
  if (failed === undefined) return null;
  const error = failed.error ?? (failed.outcome === "timeout" ? "timed out" : "failed");
  return firstLine(error.trim(), MAX_WHY);
}
