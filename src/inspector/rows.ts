import type { Entry } from "../inbox/entry.ts";
import type { EntryRow } from "./api.ts";

/** An entry in the list. */
export function entryRow(entry: Entry): EntryRow {
  const { seq, receivedAt, kind, key, state, reason, attempts, duplicates } = entry;
  const { lastSeenAt, runAt, settledAt, bodyLength: bytes } = entry;
  return {
    ...{ type: "entry", id: entryId(seq), seq, receivedAt, kind, eventId: key.eventId, state, reason },
    ...{ attempts, duplicates, lastSeenAt, runAt, settledAt, bytes },
  };
}

/** The id of an entry's row. */
export function entryId(seq: number): string {
  return `e${seq}`;
}
