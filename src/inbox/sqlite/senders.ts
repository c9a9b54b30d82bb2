import { encodeText, toSender } from "../rows.ts";
import { addNote, type SenderNote, type SenderRecord } from "../senders.ts";
import type { Statements } from "./statements.ts";

export function recordSender(statements: Statements, note: SenderNote): SenderRecord {
  const source = encodeText(note.source);
  const row = statements.get("SELECT * FROM sender WHERE source = ?", source);
  const record = addNote(
    row === undefined ? { source: note.source, days: [] } : toSender(row),
    note,
  );
  const { authenticAt, mismatches, days } = record;
  statements.run(
    `INSERT INTO sender (source, authentic_at, mismatches, bodies, mismatched_from, mismatched_to, days)
     VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (source) DO UPDATE SET authentic_at = excluded.authentic_at, mismatches = excluded.mismatches,
       bodies = excluded.bodies, mismatched_from = excluded.mismatched_from, mismatched_to = excluded.mismatched_to,
       days = excluded.days`,
    source,
    authenticAt ?? null,
    mismatches?.count ?? 0,
    mismatches?.bodies ?? 0,
    mismatches?.from ?? null,
    mismatches?.to ?? null,
    JSON.stringify(days),
  );
  return record;
}

/** What is known of all sources. */
export function readSenders(statements: Statements): readonly SenderRecord[] {
  return statements.all("SELECT * FROM sender ORDER BY source").map(toSender);
}
