import type { EntryFilter } from "../entry-filter.ts";
import { encodeText } from "../text.ts";

/** SQLite's `lower` changes A to Z only, and leaves bytes that are not UTF-8 alone. */
const HAS_TEXT = `(instr(lower(event_id), lower(?)) > 0 OR EXISTS (
  SELECT 1 FROM delivery WHERE delivery.seq = entry.seq AND instr(lower(CAST(body AS TEXT)), lower(?)) > 0))`;

const HAS_TARGET = `EXISTS (SELECT 1 FROM json_each(waits) AS wait
  WHERE json_extract(wait.value, '$.target') IN (SELECT value FROM json_each(?)))`;

/** A filter as an SQL condition and its values. */
export function filterSql(filter: EntryFilter): { where: string; values: (string | number)[] } {
  const conditions: string[] = [];
  const values: (string | number)[] = [];
  const add = (condition: string, ...given: (string | number)[]) => {
    conditions.push(condition);
    values.push(...given);
  };
  const { states, kinds, since, until, sources, seq, eventId, seqs, targets, after, before, text } = filter;
  if (states !== undefined) add(`state IN (${states.map(() => "?").join(", ")})`, ...states);
  if (kinds !== undefined) {
    const patterns = kinds.map(kindSql);
    add(
      `(${patterns.map(({ where }) => where).join(" OR ") || "false"})`,
      ...patterns.flatMap((pattern) => pattern.values),
    );
  }
  if (since !== undefined) add("received_at >= ?", since);
  if (until !== undefined) add("received_at < ?", until);
  if (sources !== undefined) {
    add("source IN (SELECT value FROM json_each(?))", JSON.stringify(sources.map(encodeText)));
  }
  if (seq !== undefined) add("seq = ?", seq);
  if (eventId !== undefined) add("substr(event_id, 1, length(?)) = ?", eventId, eventId);
  if (seqs !== undefined) add("seq IN (SELECT value FROM json_each(?))", JSON.stringify(seqs));
  if (targets !== undefined) add(HAS_TARGET, JSON.stringify(targets.map(encodeText)));
  if (after !== undefined) add("seq > ?", after);
  if (before !== undefined) add("seq < ?", before);
  if (text !== undefined) add(HAS_TEXT, text, text);
  return { where: conditions.length === 0 ? "true" : conditions.join(" AND "), values };
}

function kindSql(pattern: string): { where: string; values: (string | number)[] } {
  if (pattern === "*") return { where: "true", values: [] };
  if (!pattern.endsWith(".*")) return { where: "kind = ?", values: [pattern] };
  const family = pattern.slice(0, -1);
  return { where: "substr(kind, 1, length(?)) = ?", values: [family, family] };
}
