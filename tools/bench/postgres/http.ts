import { median } from "../numbers.ts";
import type { Server } from "../server/server.ts";
import type { Stage } from "../stage.ts";

const LOAD = { size: 600, connections: 64 };

/**
 * Deliveries per second over HTTP, received, handled and settled, and the same with SQLite; and
 * plain Express.
 */
export interface OverHttp {
  readonly postgres: number;
  readonly sqlite: number;
  readonly plain: number;
  /** Medians of the ratios of adjacent rounds. */
  readonly ofSqlite: number;
  readonly ofPlain: number;
  /** p99 in milliseconds × SQLite's. */
  readonly p99OfSqlite: number;
  /** The rate with entries in the inbox × the rate with none. */
  readonly aged: { readonly entries: number; readonly ratio: number };
}

/** Measures the node adapter on PostgreSQL beside the one on SQLite and plain Express. */
export async function measureHttp(
  stage: Stage,
  { url, aged, entries }: { url: string; aged: string; entries: number },
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<OverHttp> {
  const on = (schema: string) => `${url}?schema=${schema}`;
  const servers = {
    postgres: await stage.server("hookporter node", { inbox: on("http") }),
    sqlite: await stage.server("hookporter node"),
    plain: await stage.server("express plain"),
    empty: await stage.server("hookporter node, received only", { inbox: on("http_empty") }),
    aged: await stage.server("hookporter node, received only", { inbox: on(aged) }),
  };
  const load = { ...LOAD, seconds };
  for (const server of Object.values<Server>(servers)) await stage.warmUp(server, LOAD);
  const seen = { postgres: [], sqlite: [], plain: [], empty: [], aged: [] } as Record<
    keyof typeof servers,
    number[]
  >;
  const p99s: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const postgres = await stage.load(servers.postgres, load);
    const sqlite = await stage.load(servers.sqlite, load);
    seen.postgres.push(postgres.perSecond);
    seen.sqlite.push(sqlite.perSecond);
    p99s.push(postgres.p99 / sqlite.p99);
    for (const name of ["plain", "empty", "aged"] as const) {
      seen[name].push((await stage.load(servers[name], load)).perSecond);
    }
  }
  await stage.clear();
  const ratio = (a: keyof typeof seen, b: keyof typeof seen) =>
    median(seen[a].map((value, round) => value / (seen[b][round] ?? Number.NaN)));
  return {
    postgres: median(seen.postgres),
    sqlite: median(seen.sqlite),
    plain: median(seen.plain),
    ofSqlite: ratio("postgres", "sqlite"),
    ofPlain: ratio("postgres", "plain"),
    p99OfSqlite: median(p99s),
    aged: { entries, ratio: ratio("aged", "empty") },
  };
}
