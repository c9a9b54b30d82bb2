import {
  type NewPacedRetry,
  PACE_STEP,
  PACED,
  PAUSED,
  type Pause,
  type PauseOf,
  type PauseScope,
  type Pauses,
  SET_ASIDE,
} from "../pause.ts";
import { decodeText, encodeText, type Row, toPause, toRetry } from "../rows.ts";
import type { Query } from "./session.ts";
import { LONG_TIMEOUT, type Store } from "./store.ts";

/** Those of some sources, as `served`, that are not paused. */
export const servedOf = (sources: string) => `
  (SELECT served FROM unnest(${sources}) AS s(served)
   WHERE NOT EXISTS (SELECT FROM @.paused WHERE scope = 'all' OR (scope = 'source' AND name = served))) s`;

/**
 * That an entry's kind or retry is paused. OFFSET as in claims: the table is nearly always empty.
 */
const IS_HELD = `
  EXISTS (SELECT FROM @.paused p
    WHERE (p.scope = 'retry' AND turn.reason = '${PACED}' || p.name)
      OR (p.scope = 'kind' AND EXISTS (SELECT FROM @.entry held
        WHERE held.seq = turn.seq
          AND (held.kind = p.name OR (p.name = '*' AND held.kind IS NOT NULL)
            OR (right(p.name, 2) = '.*' AND starts_with(held.kind, left(p.name, -1))))))
    OFFSET 0)`;

export const NOT_HELD = `AND NOT ${IS_HELD}`;

export const notPausedTarget = (target: string) =>
  `AND NOT EXISTS (SELECT FROM @.paused WHERE scope = 'target' AND name = ${target})`;

/** The handlers and targets that are paused, as a column of a claim. */
export const PAUSED_RUNS =
  "(SELECT json_agg(json_build_array(scope, name)) FROM @.paused WHERE scope IN ('handler', 'target')) AS paused_runs";

/**
 * When the last entry of all retries is due: a due time up to then is not that of a clock that was
 * set back.
 */
export const PACED_UNTIL = "(SELECT coalesce(max(due_until), 0) FROM @.pace)";

export const ANY_PAUSED =
  "(EXISTS (SELECT FROM @.paused) OR EXISTS (SELECT FROM @.pace)) AS any_paused";

export function toPausedRuns(row: Row): readonly PauseOf[] | undefined {
  const runs = row.paused_runs as readonly (readonly [PauseScope, string])[] | null;
  return runs?.map(([scope, name]) => ({ scope, name: decodeText(name) }));
}

/**
 * Makes due entries that are paused due later, so that the next claims do not look at them again.
 */
export async function defer(store: Store, sources: readonly string[], now: number): Promise<void> {
  await store.query(
    `UPDATE @.turn SET lease = NULL, run_at = $2::bigint + ${SET_ASIDE},
       reason = CASE WHEN starts_with(reason, '${PACED}') THEN reason ELSE '${PAUSED}' END
     WHERE seq = ANY (ARRAY (
       SELECT seq FROM @.turn WHERE source = ANY ($1::text[]) AND NOT behind AND run_at <= $2::bigint
         AND reason IS DISTINCT FROM 'dropped' AND (SELECT EXISTS (SELECT FROM @.paused WHERE scope IN ('kind', 'retry')))
         AND ${IS_HELD}
       ORDER BY run_at, seq LIMIT ${PACE_STEP} FOR UPDATE SKIP LOCKED))`,
    [sources, now],
    LONG_TIMEOUT,
  );
}

export async function readPauses(store: Store): Promise<Pauses> {
  const paused = await store.query("SELECT * FROM @.paused ORDER BY since, scope, name");
  const retries = await store.query(
    `SELECT pace.*, (SELECT count(*) FROM @.turn WHERE lease IS NULL AND reason = '${PACED}'::text || id::text) AS left_over
     FROM @.pace ORDER BY id`,
  );
  return { paused: paused.map(toPause), retries: retries.map(toRetry) };
}

const PAUSE = `
  INSERT INTO @.paused (scope, name, since, who) VALUES ($1::text, $2::text, $3::bigint, $4::text)
  ON CONFLICT (scope, name) DO UPDATE SET since = excluded.since, who = excluded.who`;

export async function pause(query: Query, { scope, name, since, who }: Pause): Promise<void> {
  await query(PAUSE, [scope, encodeText(name), since, encodeText(who)]);
}

/**
 * Ends a pause, and makes what it held back due from a time on, in steps; returns whether there was
 * such a pause.
 */
export async function resume(
  store: Store,
  { scope, name }: PauseOf,
  now: number,
): Promise<boolean> {
  const ended = await store.query(
    "DELETE FROM @.paused WHERE scope = $1::text AND name = $2::text RETURNING name",
    [scope, encodeText(name)],
  );
  const isRetry = scope === "retry" && /^\d{1,15}$/.test(name);
  const [pace] = isRetry
    ? await store.query("SELECT interval_ms FROM @.pace WHERE id = $1::bigint", [name])
    : [];
  const interval = Number(pace?.interval_ms ?? 0);
  const held = isRetry ? PACED + name : PAUSED;
  const then = isRetry ? PACED + name : null;
  let last = 0;
  let from = now;
  for (let found = PACE_STEP; found === PACE_STEP; from += interval * found) {
    const [step] = await store.query(RELEASE, [held, last, Math.round(from), interval, then]);
    found = Number(step?.found);
    last = Number(step?.last);
    if (isRetry) {
      const until = Math.ceil(from + interval * found);
      await store.query("UPDATE @.pace SET due_until = $2::bigint WHERE id = $1::bigint", [
        name,
        until,
      ]);
    }
  }
  return ended.length > 0;
}

const RELEASE = `
  WITH next AS MATERIALIZED (
    SELECT seq, row_number() OVER (ORDER BY seq) - 1 AS n FROM @.turn
    WHERE lease IS NULL AND reason = $1::text AND seq > $2::bigint ORDER BY seq LIMIT ${PACE_STEP}
  ), due AS (
    UPDATE @.turn SET run_at = $3::bigint + floor($4::float8 * n::float8)::bigint, reason = $5::text
    FROM next WHERE turn.seq = next.seq AND lease IS NULL
  )
  SELECT count(*) AS found, max(seq) AS last FROM next`;

export async function newRetry(
  store: Store,
  { since, who, interval, entries }: NewPacedRetry,
): Promise<number> {
  const [row] = await store.query(
    `INSERT INTO @.pace (id, since, who, interval_ms, entries, due_until)
     VALUES (nextval('@.pace_id'), $1::bigint, $2::text, $3::float8, $4::bigint, $5::bigint) RETURNING id`,
    [since, encodeText(who), interval, entries, Math.ceil(since + interval * entries)],
  );
  return Number(row?.id);
}

export async function endRetry(store: Store, id: number): Promise<void> {
  await store.transaction(async (query) => {
    await query("DELETE FROM @.pace WHERE id = $1::bigint", [id]);
    await query("DELETE FROM @.paused WHERE scope = 'retry' AND name = $1::text", [String(id)]);
  });
}
