import { writeFileSync } from "node:fs";
import { createRequire, syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import type { StatementSyncInstance } from "@photostructure/sqlite";
import { ROOT } from "../places.ts";

/** How long commits took, of which a part waited for the disk: filled in by `nameStatements`. */
export interface CommitTimes {
  count: number;
  /** Commits whose processor time was measured, and the seconds of these. */
  measured: number;
  wall: number;
  cpu: number;
}

/**
 * Names the statements of this thread and of those that it starts, see `nameStatements`. Call it
 * before hookporter is loaded.
 */
export function nameStatementsEverywhere(): void {
  const anchor = join(ROOT, "package.json");
  const preload = join(import.meta.dirname, "name-statements.cjs");
  writeFileSync(preload, `(${nameStatements})(${JSON.stringify(anchor)});\n`);
  nameStatements(anchor);
  const threads = createRequire(anchor)(
    "node:worker_threads",
  ) as typeof import("node:worker_threads");
  threads.Worker = class extends threads.Worker {
    constructor(...[program, options]: ConstructorParameters<typeof threads.Worker>) {
      super(program, {
        ...options,
        execArgv: [...(options?.execArgv ?? []), "--require", preload],
      });
    }
  };
  syncBuiltinESMExports();
}

/**
 * Makes a profile show SQLite's time by statement: each statement runs within a function that is
 * named after it, such as `sql$INSERT$INTO$entry`. The functions that commit also measure how much
 * of their time is processor time; the result is `globalThis.hookporterCommits`.
 *
 * It refers to nothing outside itself, since its text is also run in other threads.
 *
 * @param anchor - a file of the package whose SQLite is used
 */
export function nameStatements(anchor: string): void {
  type Sqlite = typeof import("@photostructure/sqlite");
  type Method = (...values: unknown[]) => unknown;
  type Call = (statement: object, values: readonly unknown[]) => unknown;
  const { createRequire } = process.getBuiltinModule("node:module");
  const { readFileSync } = process.getBuiltinModule("node:fs");
  const require = createRequire(anchor);
  const times: CommitTimes = { count: 0, measured: 0, wall: 0, cpu: 0 };
  Object.assign(globalThis, { hookporterCommits: times });
  const processorTime = (): number => {
    process.cpuUsage(); // brings the system's count up to date
    return Number(readFileSync("/proc/thread-self/schedstat", "latin1").split(" ")[0]) / 1e9;
  };
  const timed = (commit: Call): Call => {
    return (statement, values) => {
      times.count++;
      if (times.count % 8 !== 0 || process.platform !== "linux") return commit(statement, values);
      const cpu = processorTime();
      const start = performance.now();
      const result = commit(statement, values);
      const wall = (performance.now() - start) / 1000;
      times.measured++;
      times.wall += wall;
      times.cpu += Math.min(wall, processorTime() - cpu);
      return result;
    };
  };
  const named = (sql: string, original: Method): Call => {
    const words = sql
      .trim()
      .split(/[^A-Za-z_]+/)
      .slice(0, 5);
    const name = `sql$${words.slice(0, words[0] === "UPDATE" ? 4 : 3).join("$")}`;
    const call = new Function(
      "original",
      `return function ${name}(statement, values) { return original.apply(statement, values); }`,
    )(original) as Call;
    return words[0] === "COMMIT" ? timed(call) : call;
  };
  const wrapped = (statement: object, sql: string): object => {
    for (const method of ["run", "all", "get"]) {
      const call = named(sql, Reflect.get(statement, method) as Method);
      Object.defineProperty(statement, method, {
        value: (...values: unknown[]) => call(statement, values),
      });
    }
    return statement;
  };
  const own =
    process.versions.sqlite === undefined
      ? undefined
      : (process.getBuiltinModule("node:sqlite") as Sqlite | undefined);
  if (own !== undefined) {
    const { prepare } = own.DatabaseSync.prototype;
    const prepareNamed = function (this: object, sql: string, ...more: unknown[]): object {
      return wrapped(Reflect.apply(prepare, this, [sql, ...more]), sql);
    };
    Object.assign(own.DatabaseSync.prototype, { prepare: prepareNamed });
    return;
  }
  // The methods of this package's classes cannot be replaced.
  const sqlite = require("@photostructure/sqlite") as Sqlite;
  class Named extends sqlite.DatabaseSync {
    override prepare(...given: Parameters<InstanceType<Sqlite["DatabaseSync"]>["prepare"]>) {
      return wrapped(super.prepare(...given), given[0]) as StatementSyncInstance;
    }
  }
  const loaded = require.cache[require.resolve("@photostructure/sqlite")];
  if (loaded !== undefined) loaded.exports = { ...sqlite, DatabaseSync: Named };
}
