import { type EntryFilter, MIN_HEADER_TEXT, type TextAlternatives } from "../entry-filter.ts";
import type { EntryState } from "../entry-state.ts";
import { encodeText } from "../rows.ts";
import { DROPPED } from "../target-wait.ts";
import type { Value } from "./session.ts";

/** An entry with its state: it has a row in exactly one of the last three tables. */
export const ENTRY_WITH_STATE = `@.entry e
  LEFT JOIN @.turn t ON t.seq = e.seq
  LEFT JOIN @.dead_or_received d ON d.seq = e.seq
  LEFT JOIN @.handled h ON h.seq = e.seq`;

/** The state of an entry that has a row in `turn`; `stateBeforeRun` has the same. */
export const STATE_IN_TURN = `CASE WHEN t.lease IS NOT NULL THEN 'running'
  WHEN t.attempts > 0 AND t.reason IS NULL THEN 'failing' ELSE 'waiting' END`;

/** The state of any entry. */
export const STATE = `CASE WHEN t.seq IS NOT NULL THEN ${STATE_IN_TURN} ELSE coalesce(d.state, 'handled') END`;

/** Each as a condition that lets the planner begin at the small table. */
const STATES: Readonly<Record<EntryState, string>> = {
  waiting: `(t.seq IS NOT NULL AND ${STATE_IN_TURN} = 'waiting')`,
  failing: `(t.seq IS NOT NULL AND ${STATE_IN_TURN} = 'failing')`,
  running: `(t.seq IS NOT NULL AND ${STATE_IN_TURN} = 'running')`,
  handled: "h.seq IS NOT NULL",
  dead: "d.state = 'dead'",
  received: "d.state = 'received'",
};

export const IS_DROPPED = `coalesce(t.reason, d.reason, '') = '${DROPPED}'`;

/**
 * All bytes as text: those that are not ASCII as backslash and digits, as in the text that is
 * looked for.
 */
const escaped = (bytes: string) => `lower(encode(${bytes}, 'escape') COLLATE "C")`;

/** A filter as an SQL condition on {@link ENTRY_WITH_STATE} and its values. */
export function filterSql(filter: EntryFilter): { where: string; values: Value[] } {
  const conditions: string[] = [];
  const values: Value[] = [];
  const value = parametersIn(values);
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
  if (states !== undefined) conditions.push(anyOf(states.map((state) => STATES[state])));
  if (kinds !== undefined) conditions.push(kindsSql(kinds, values));
  if (since !== undefined) conditions.push(`e.received_at >= ${value(since, "bigint")}`);
  if (until !== undefined) conditions.push(`e.received_at < ${value(until, "bigint")}`);
  if (sources !== undefined)
    conditions.push(`e.source = ANY (${value(sources.map(encodeText), "text[]")})`);
  if (seq !== undefined) conditions.push(`e.seq = ${value(seq, "bigint")}`);
  if (eventId !== undefined)
    conditions.push(`starts_with(e.event_id, ${value(encodeText(eventId), "text")})`);
  if (seqs !== undefined) conditions.push(`e.seq = ANY (${value(seqs, "bigint[]")})`);
  if (dropped !== undefined) conditions.push(dropped ? IS_DROPPED : `NOT ${IS_DROPPED}`);
  if (after !== undefined) conditions.push(`e.seq > ${value(after, "bigint")}`);
  if (before !== undefined) conditions.push(`e.seq < ${value(before, "bigint")}`);
  if (targets !== undefined) {
    conditions.push(`EXISTS (SELECT FROM json_array_elements(coalesce(t.waits, d.waits, h.waits)::json) wait
      WHERE wait ->> 'target'::text = ANY (${value(targets.map(encodeText), "text[]")}))`);
  }
  if (text !== undefined)
    conditions.push(anyOf([...textSql(text, value), ...elseSql(filter.alternatives, value)]));
  return { where: conditions.length === 0 ? "true" : conditions.join(" AND "), values };
}

type AddValue = ReturnType<typeof parametersIn>;

/** Problems as they are shown: field, colon, message. */
const PROBLEMS = `replace(replace(coalesce(d.problems, ''), '","message":"', ': '), '\\"', '"')`;

/**
 * The conditions under which an entry has a text. Short texts of the entry come first, since they
 * decide sooner.
 */
function textSql(text: string, value: AddValue): readonly string[] {
  const wanted = escaped(`convert_to(${value(encodeText(text), "text")}, 'UTF8')`);
  const has = (found: string) => `strpos(${found}, ${wanted}) > 0`;
  const among = (...texts: readonly string[]) =>
    has(escaped(`convert_to(concat_ws(E'\\n', ${texts.join(", ")}), 'UTF8')`));
  const delivered = text.length < MIN_HEADER_TEXT ? [] : [among(`replace(b.headers, '\\"', '"')`)];
  return [
    among("e.event_id", "e.kind", "t.reason", "d.reason", "h.reason", "e.order_key", PROBLEMS),
    `EXISTS (SELECT FROM @.attempt a WHERE a.seq = e.seq AND ${among("a.error", "a.note")})`,
    `EXISTS (SELECT FROM @.delivery b WHERE b.seq = e.seq
      AND ${anyOf([...delivered, has(escaped("b.body"))])})`,
  ];
}

function elseSql(other: TextAlternatives = {}, value: AddValue): readonly string[] {
  const { states = [], reasons = [], seqs = [] } = other;
  return [
    ...states.map((state) => STATES[state]),
    `coalesce(t.reason, d.reason, h.reason) = ANY (${value(reasons.map(encodeText), "text[]")})`,
    `e.seq = ANY (${value(seqs, "bigint[]")})`,
  ];
}

function anyOf(conditions: readonly string[]): string {
  return conditions.length === 0 ? "false" : `(${conditions.join(" OR ")})`;
}

/** That the entry `e` matches one of some kinds or patterns. */
export function kindsSql(kinds: readonly string[], values: Value[]): string {
  const value = parametersIn(values);
  const conditions = kinds.map((pattern) => {
    if (pattern === "*") return "true";
    if (!pattern.endsWith(".*")) return `e.kind = ${value(encodeText(pattern), "text")}`;
    return `starts_with(e.kind, ${value(pattern.slice(0, -1), "text")})`;
  });
  return anyOf(conditions);
}

/** A function that adds a value to those of a statement, and returns how the statement names it. */
function parametersIn(values: Value[]) {
  return (value: Value, type: string) => `$${values.push(value)}::${type}`;
}
