// The thread that writes an inbox file under load: it runs batches, each in one transaction, and
// nothing else.
import { parentPort, workerData } from "node:worker_threads";
import { openDatabase } from "../client.ts";
import { commitTogether, transactionsOn } from "../commit-together.ts";
import { checkpointLog } from "../file/log-size.ts";
import { Presence } from "../file/presence.ts";
import { type Operation, runOperation } from "../operations.ts";
import { Statements } from "../statements.ts";
import { packResults, unpackBatch } from "./batch.ts";
import { FLAGS, type WriterAnswer, type WriterOrder, type WriterStart } from "./writer-messages.ts";

const { path, files, flags: shared } = workerData as WriterStart;
const flags = new Int32Array(shared);
const presence = new Presence(path, files);
const port = parentPort;
if (port === null) throw new TypeError("expected to run as a thread");
const send = (answer: WriterAnswer) =>
  port.postMessage(answer, "results" in answer ? [answer.results.buffer] : []);

const statements = whileBusy(() => {
  presence.check();
  return new Statements(openDatabase(path));
});
const transactions = transactionsOn(statements, presence);

port.on("message", (batch: WriterOrder) => {
  if (typeof batch === "object" && "copyInto" in batch) {
    send(copyInto(batch.copyInto));
    return;
  }
  if (batch === "checkpoint") {
    whileBusy(() => checkpointLog(statements));
    return;
  }
  if (batch === "close") {
    whileBusy(() => statements.close());
    end();
    return;
  }
  const operations = unpackBatch(batch);
  const start = performance.now();
  const run = (operation: Operation) => runOperation(statements, operation);
  const results = whileBusy(() => commitTogether(transactions, operations, run));
  const ms = performance.now() - start;
  send({ results: packResults(operations, results), ms });
});
send({ ready: true });

function copyInto(draft: string): WriterAnswer {
  try {
    whileBusy(() => statements.copyInto(draft));
    return { copied: true };
  } catch (error) {
    return { copied: false, error };
  }
}

/**
 * Ends this thread. In Deno the port of a thread has no `close`, but the thread has, as a web
 * worker.
 */
function end(): void {
  const { close } = globalThis as { close?: () => void };
  if (typeof (port as { close?: unknown }).close === "function") port?.close();
  else close?.();
}

/**
 * Flags that this thread is in SQLite. If the process exits meanwhile, the library crashes it, so
 * the exit waits for the flag. Once the process is exiting nothing begins any more.
 */
function whileBusy<Result>(work: () => Result): Result {
  Atomics.store(flags, FLAGS.busy, 1);
  try {
    if (Atomics.load(flags, FLAGS.over) === 1) {
      Atomics.store(flags, FLAGS.busy, 0);
      Atomics.notify(flags, FLAGS.busy);
      Atomics.wait(flags, FLAGS.over, 1); // for ever: the process is about to end
    }
    return work();
  } finally {
    Atomics.store(flags, FLAGS.busy, 0);
    Atomics.notify(flags, FLAGS.busy);
  }
}
