import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import pg from "pg";
import { postgresInbox } from "../../../src/entries/index.ts";
import { program } from "../places.ts";
import { storeBehind } from "../store-behind.ts";
import { append, entrySource } from "./entries.ts";

const SCHEMA = "processes";

/** Waiting entries that a number of processes run, per second. */
export interface Processes {
  readonly processes: number;
  readonly perSecond: number;
}

/** How fast 1, 2 and 4 processes run the entries that wait in one inbox. */
export async function measureProcesses(
  { url, node }: { url: string; node: string },
  entries: number,
): Promise<readonly Processes[]> {
  const inbox = storeBehind(postgresInbox(url, { schema: SCHEMA }));
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  await inbox.open();
  const next = entrySource();
  const results: Processes[] = [];
  try {
    for (const processes of [1, 2, 4]) {
      await append(inbox, next, entries);
      const children = await Promise.all(
        Array.from({ length: processes }, () => runner(node, `${url}?schema=${SCHEMA}`)),
      );
      const start = performance.now();
      for (const child of children) child.send("run");
      for (;;) {
        const { rows } = await admin.query(`SELECT count(*)::int AS left FROM ${SCHEMA}.turn`);
        if (rows[0].left === 0) break;
      }
      results.push({ processes, perSecond: (entries / (performance.now() - start)) * 1000 });
      await Promise.all(children.map(end));
    }
    return results;
  } finally {
    await inbox.close();
    await admin.query(`DROP SCHEMA ${SCHEMA} CASCADE`);
    await admin.end();
  }
}

async function runner(node: string, inbox: string): Promise<ChildProcess> {
  const child = spawn(node, [program("runner"), inbox], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  await once(child, "message");
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit");
  child.disconnect();
  await ended;
}
