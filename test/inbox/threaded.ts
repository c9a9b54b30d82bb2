import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Worker } from "node:worker_threads";
import type { Inbox } from "../../src/inbox/inbox.ts";
import type { Threading } from "../../src/inbox/sqlite/thread/threaded-writer.ts";
import { sqliteInbox } from "../../src/inbox/sqlite.ts";

const program = pathToFileURL(join(import.meta.dirname, "..", "..", "dist", "inbox-writer.js"));

/** Settings that commit everything in the thread, as the built package does under load. */
export const ALWAYS: Threading = { program, fromOperations: 1, fromMilliseconds: 0 };

/** An inbox whose thread works as soon as it is open; `onThread` receives the thread. */
export function threadedInbox(
  path: string,
  onThread: (worker: Worker) => void = () => {},
  threading: Threading = ALWAYS,
): Inbox {
  if (!existsSync(program)) throw new Error("expected dist/ to be built: npm run build");
  const inbox = sqliteInbox(path, threading);
  const open = inbox.open.bind(inbox);
  inbox.open = async (terms) => {
    const ready = new Promise<void>((resolve) => {
      process.once("worker", (worker) => {
        onThread(worker);
        worker.once("message", () => resolve());
      });
    });
    await open(terms);
    await ready;
  };
  return inbox;
}
