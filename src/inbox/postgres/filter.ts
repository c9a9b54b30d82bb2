import { type EntryFilter, MIN_HEADER_TEXT, type TextAlternatives } from "../entry-filter.ts";
import type { StoredIn, StoredState } from "../entry-state.ts";
import { encodeText } from "../rows.ts";
import { DROPPED } from "../target-wait.ts";
import { parametersIn, type Value } from "./session.ts";

/** An entry with its state: it has a row in exactly one of the last three tables. */
export const ENTRY_WITH_STATE = `@.entry e
  LEFT JOIN @.turn t ON t.seq = e.seq
  LEFT JOIN @.stuck s ON s.seq = e.seq
  LEFT JOIN @.done d ON d.seq = e.seq AND d.received_at = e.received_at`;

/** Each as a condition that lets the planner begin at the small table. */
const STATES: Readonly<Record<StoredState, string>> = {
  pending: "(t.seq IS NOT NULL AND t.lease IS NULL)",
  running: "(t.seq IS NOT NULL AND t.lease IS NOT NULL)",
  done: "d.seq IS NOT NULL",
  dead: "s.state = 'dead'",
  unhandled: "s.state = 'unhandled'",
};

/** What failed at its last attempt, of what is pending. */
export const FAILING = "t.lease IS NULL AND t.attempts > 0 AND t.reason IS NULL";

export const IS_DROPPED = `coalesce(t.reason, s.reason, '') = '${DROPPED}'`;

function statesSql({ states, failing }: StoredIn): readonly string[] {
  const pending = failing === undefined ? "" : ` AND ${failing ? "" : "NOT "}(${FAILING})`;
  return states.map((state) => (state === "pending" ? `(${STATES.pending}${pending})` : STATES[state]));
}

/** All bytes as text: those that are not ASCII as backslash and digits, as in the text that is looked for. */
const escaped = (bytes: string) => `lower(encode(${bytes}, 'escape') COLLATE "C")`;

/** A filter as an SQL condition on {@link ENTRY_WITH_STATE} and its values. */
export function filterSql(filter: EntryFilter): { where: string; values: Value[] } {
  const conditions: string[] = [];
  const values: Value[] = [];
  const value = parametersIn(values);
  const { states, kinds, since, until, sources, seq, eventId, seqs, targets, dropped, after, before, text } =
    filter;
  if (states !== undefined) conditions.push(anyOf(statesSql({ ...filter, states })));
  if (kinds !== undefined) conditions.push(kindsSql(kinds, values));
  if (since !== undefined) conditions.push(`e.received_at >= ${value(since, "bigint")}`);
  if (until !== undefined) conditions.push(`e.received_at < ${value(until, "bigint")}`);
  if (sources !== undefined) conditions.push(`e.source = ANY (${value(sources.map(encodeText), "text[]")})`);
  if (seq !== undefined) conditions.push(`e.seq = ${value(seq, "bigint")}`);
  if (eventId !== undefined)
    conditions.push(`starts_with(e.event_id, ${value(encodeText(eventId), "text")})`);
  if (seqs !== undefined) conditions.push(`e.seq = ANY (${value(seqs, "bigint[]")})`);
  if (dropped !== undefined) conditions.push(dropped ? IS_DROPPED : `NOT ${IS_DROPPED}`);
  if (after !== undefined) conditions.push(`e.seq > ${value(after, "bigint")}`);
  if (before !== undefined) conditions.push(`e.seq < ${value(before, "bigint")}`);
  if (targets !== undefined) {
    conditions.push(`EXISTS (SELECT FROM json_array_elements(coalesce(t.waits, s.waits, d.waits)::json) wait
      WHERE wait ->> 'target' = ANY (${value(targets.map(encodeText), "text[]")}))`);
  }
  if (text !== undefined) conditions.push(anyOf([...textSql(text, value), ...elseSql(filter.orElse, value)]));
  return { where: conditions.length === 0 ? "true" : conditions.join(" AND "), values };
}

type AddValue = ReturnType<typeof parametersIn>;

/** Problems as they are shown: field, colon, message. */
const PROBLEMS = `replace(replace(coalesce(s.problems, ''), '","message":"', ': '), '\\"', '"')`;

/** The conditions under which an entry has a text. Short texts of the entry come first, since they decide sooner. */
function textSql(text: string, value: AddValue): readonly string[] {
  const wanted = escaped(`convert_to(${value(encodeText(text), "text")}, 'UTF8')`);
  const has = (found: string) => `strpos(${found}, ${wanted}) > 0`;
  const among = (...texts: readonly string[]) =>
    has(escaped(`convert_to(concat_ws(E'\\n', ${texts.join(", ")}), 'UTF8')`));
  const delivered = text.length < MIN_HEADER_TEXT ? [] : [among(`replace(b.headers, '\\"', '"')`)];
  return [
    among("e.event_id", "e.kind", "t.reason", "s.reason", "d.reason", "e.order_key", PROBLEMS),
    `EXISTS (SELECT FROM @.attempt a WHERE a.seq = e.seq AND a.received_at = e.received_at AND ${among("a.error", "a.note")})`,
    `EXISTS (SELECT FROM @.delivery b WHERE b.seq = e.seq AND b.received_at = e.received_at
      AND ${anyOf([...delivered, has(escaped("b.body"))])})`,
  ];
}

function elseSql(other: TextAlternatives = {}, value: AddValue): readonly string[] {
  const { states = [], reasons = [], seqs = [] } = other;
  return [
    ...statesSql({ ...other, states }),
    `coalesce(t.reason, s.reason, d.reason) = ANY (${value(reasons.map(encodeText), "text[]")})`,
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
