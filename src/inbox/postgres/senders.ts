import { encodeText, toSender } from "../rows.ts";
import { addNote, type SenderNote, type SenderRecord } from "../senders.ts";
import type { Store } from "./store.ts";

export async function recordSender(store: Store, note: SenderNote): Promise<SenderRecord> {
  const source = encodeText(note.source);
  return store.transaction(async (query) => {
    await query("INSERT INTO @.sender (source) VALUES ($1::text) ON CONFLICT DO NOTHING", [source]);
    // Locked, so that what another receiver adds meanwhile is not lost.
    const rows = await query("SELECT * FROM @.sender WHERE source = $1::text FOR UPDATE", [source]);
    const [known = { source: note.source, days: [] }] = rows.map(toSender);
    const record = addNote(known, note);
    const { authenticAt, mismatches, days } = record;
    await query(
      `UPDATE @.sender SET authentic_at = $2::bigint, mismatches = $3::bigint, bodies = $4::bigint,
         mismatched_from = $5::bigint, mismatched_to = $6::bigint, days = $7::text
       WHERE source = $1::text`,
      [
        source,
        authenticAt ?? null,
        mismatches?.count ?? 0,
        mismatches?.bodies ?? 0,
        mismatches?.from ?? null,
        mismatches?.to ?? null,
        JSON.stringify(days),
      ],
    );
    return record;
  });
}

export async function readSenders(store: Store): Promise<readonly SenderRecord[]> {
  return (await store.query("SELECT * FROM @.sender ORDER BY source")).map(toSender);
}
