import { type EntryFilter, MIN_HEADER_TEXT, type TextAlternatives } from "../entry-filter.ts";
import type { EntryState } from "../entry-state.ts";
import { encodeText } from "../rows.ts";
import { DROPPED } from "../target-wait.ts";

/**
 * What a text is looked for in. SQLite's `lower` changes A to Z only, and leaves bytes that are not
 * UTF-8 alone.
 */
const TEXTS = {
  id: "instr(lower(event_id), lower(?)) > 0",
  // Problems as they are shown: field, colon, message.
  entry: `instr(lower(coalesce(kind, '') || char(10) || coalesce(reason, '') || char(10) || coalesce(order_key, '') || char(10) ||
    replace(replace(coalesce(problems, ''), '","message":"', ': '), '\\"', '"')), lower(?)) > 0`,
  attempts: `EXISTS (SELECT 1 FROM attempt WHERE attempt.seq = entry.seq
    AND instr(lower(coalesce(error, '') || char(10) || coalesce(note, '')), lower(?)) > 0)`,
  headers: `EXISTS (SELECT 1 FROM delivery WHERE delivery.seq = entry.seq AND instr(lower(replace(headers, '\\"', '"')), lower(?)) > 0)`,
  body: `EXISTS (
    SELECT 1 FROM delivery WHERE delivery.seq = entry.seq AND instr(lower(CAST(body AS TEXT)), lower(?)) > 0)`,
} as const;

const HAS_TARGET = `EXISTS (SELECT 1 FROM json_each(waits) AS wait
  WHERE json_extract(wait.value, '$.target') IN (SELECT value FROM json_each(?)))`;

/** A filter as an SQL condition and its values. */
export function filterSql(filter: EntryFilter) {
  const conditions: Condition[] = [];
  const add = (...condition: Condition) => void conditions.push(condition);
  const {
    states,
    kinds,
    since,
    until,
    sources,
    seq,
    eventId,
    seqs,
    targets,
    dropped,
    after,
    before,
    text,
  } = filter;
  if (states !== undefined) add(...statesSql(states));
  if (kinds !== undefined) add(...anyOf(kinds.map(kindSql)));
  if (since !== undefined) add("received_at >= ?", since);
  if (until !== undefined) add("received_at < ?", until);
  if (sources !== undefined) add(...among("source", sources.map(encodeText)));
  if (seq !== undefined) add("seq = ?", seq);
  if (eventId !== undefined) add(...beginsWith("event_id", encodeText(eventId)));
  if (seqs !== undefined) add(...among("seq", seqs));
  if (targets !== undefined) add(HAS_TARGET, JSON.stringify(targets.map(encodeText)));
  if (dropped !== undefined) add(`reason ${dropped ? "IS" : "IS NOT"} '${DROPPED}'`);
  if (after !== undefined) add("seq > ?", after);
  if (before !== undefined) add("seq < ?", before);
  if (text !== undefined)
    add(...anyOf([...textSql(text), ...alternativesSql(filter.alternatives)]));
  const where = conditions.length === 0 ? "true" : conditions.map(([text]) => text).join(" AND ");
  return { where, values: valuesOf(conditions) };
}

/** An SQL condition and its values. */
type Condition = readonly [where: string, ...values: (string | number)[]];

function valuesOf(conditions: readonly Condition[]): (string | number)[] {
  return conditions.flatMap(([, ...values]) => values);
}

function anyOf(conditions: readonly Condition[]): Condition {
  return [
    `(${conditions.map(([where]) => where).join(" OR ") || "false"})`,
    ...valuesOf(conditions),
  ];
}

function among(column: string, values: readonly (string | number)[]): Condition {
  return [`${column} IN (SELECT value FROM json_each(?))`, JSON.stringify(values)];
}

function textSql(text: string): readonly Condition[] {
  const { headers, ...others } = TEXTS;
  const places = Object.values(text.length >= MIN_HEADER_TEXT ? TEXTS : others);
  // SQLite reads no further than a zero character, and would find an empty text everywhere.
  const wanted = encodeText(text);
  return places.map((place) => [place, wanted]);
}

function statesSql(states: readonly EntryState[]): Condition {
  return [`state IN (${states.map(() => "?").join(", ")})`, ...states];
}

function alternativesSql(given: TextAlternatives = {}): readonly Condition[] {
  const { states = [], reasons = [], seqs = [] } = given;
  return [
    ...(states.length === 0 ? [] : [statesSql(states)]),
    ...(reasons.length === 0 ? [] : [among("reason", reasons.map(encodeText))]),
    ...(seqs.length === 0 ? [] : [among("seq", seqs)]),
  ];
}

function kindSql(pattern: string): Condition {
  if (pattern === "*") return ["true"];
  if (!pattern.endsWith(".*")) return ["kind = ?", encodeText(pattern)];
  return beginsWith("kind", pattern.slice(0, -1));
}

function beginsWith(column: string, text: string): Condition {
  return [`substr(${column}, 1, length(?)) = ?`, text, text];
}
