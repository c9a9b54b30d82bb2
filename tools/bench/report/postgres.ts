import { threeDigits } from "../numbers.ts";
import type { OnPostgres } from "../sections/postgres.ts";
import type { Judged } from "./judged.ts";
import { table } from "./table.ts";

/** The section for a terminal. */
export function postgresText(found: OnPostgres): string {
  if ("leftOut" in found) return `PostgreSQL: ${found.leftOut}`;
  const { keeping, http, wakeUp, claims, pruning, processes } = found;
  const rows: [string, number][] = [
    ...keeping.flatMap(({ entries, batched, each }): [string, number][] => [
      [`kept in batches, ${entries} entries in the inbox, per second`, batched],
      [`kept by an insert each, ${entries} rows in the table, per second`, each],
    ]),
    ["over HTTP, received, handled and settled, per second", http.postgres],
    ["the same on SQLite", http.sqlite],
    ["plain Express", http.plain],
    ["from the commit to the handler of another process, p50 ms", wakeUp.p50],
    ["notifications of 16 processes × none", wakeUp.notifyOfEach],
    ["entries pruned beside as much keeping as there can be, per second", pruning.perSecond],
    ...processes.map(({ processes: many, perSecond }): [string, number] => [
      `waiting entries run by ${many} ${many === 1 ? "process" : "processes"}, per second`,
      perSecond,
    ]),
    ["log of an entry, kB", claims.walKb],
  ];
  return table(
    ["PostgreSQL", ""],
    rows.map(([what, value]) => [what, threeDigits(value)]),
  );
}

/** The goals of the section. */
export function judgePostgres(found: OnPostgres | undefined): readonly Judged[] {
  if (found === undefined || "leftOut" in found) return [];
  const { keeping, http, wakeUp, claims, pruning } = found;
  const least = (goal: string, wanted: number, got: number): Judged => {
    return { goal: `PostgreSQL: ${goal}`, wanted: `≥ ${wanted}`, got, reached: got >= wanted };
  };
  const most = (goal: string, wanted: number, got: number): Judged => {
    return { goal: `PostgreSQL: ${goal}`, wanted: `≤ ${wanted}`, got, reached: got <= wanted };
  };
  return [
    ...keeping.map(({ entries, ratio }) =>
      least(`keep in batches × an insert each, ${entries} entries`, entries === 0 ? 5 : 3, ratio),
    ),
    least("received, handled and settled × SQLite", 0.85, http.ofSqlite),
    most("its p99 × SQLite's", 1, http.p99OfSqlite),
    least("received, handled and settled × plain Express", 2.5, http.ofPlain),
    least(`${http.aged.entries} entries × empty`, 0.8, http.aged.ratio),
    most("another process wakes up, p50 ms", 10, wakeUp.p50),
    least("notifications × none, 16 connections, 2 ms slower flushes", 0.8, wakeUp.notify),
    most(`claim beside ${claims.pinned.entries} pinned dead rows, ms`, 10, claims.pinned.ms),
    most(
      `claim behind ${claims.behind.entries} entries of one order key, ms`,
      10,
      claims.behind.ms,
    ),
    most(
      `claim of ${claims.vacuumed.entries} after a vacuum while nothing waited, ms`,
      10,
      claims.vacuumed.ms,
    ),
    least("kept beside pruning × without", 0.85, pruning.ratio),
    most("log of an entry, kB", 2.1, claims.walKb),
  ];
}
