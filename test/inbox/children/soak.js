// Opens inboxes with the built package, fills them and ends in one of several ways:
// `soak.js FOLDER ENDING SEED`, with one of the endings below. A successful round ends with exit
// code 7. Prints, as JSON, the number of events that each inbox of the main thread has
// acknowledged.

import { writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { isMainThread, Worker, workerData } from "node:worker_threads";
import { createReceiver } from "../../../dist/index.js";
import { storeBehind } from "./store-behind.js";

const [folder, ending, seed] = isMainThread ? process.argv.slice(2) : workerData;
let state = Number(seed) + 1;
/** Seeded random numbers; a run is repeatable apart from the timing of threads and disks. */
const random = (below) => {
  state = (state * 48271) % 2147483647;
  return state % below;
};
const body = Buffer.alloc(600, "x");
const quiet = () => {};
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
let number = 0;
const acknowledged = {};
if (isMainThread) process.on("exit", () => writeSync(1, JSON.stringify(acknowledged)));

/** A name unique to this thread: threads do not share an inbox here. */
function inboxAt(inThread) {
  const name = `${inThread}-of-${seed}.db`;
  const inbox = storeBehind(
    createReceiver({ secret: "a-secret-of-a-test-child", inbox: join(folder, name), log }),
  );
  acknowledged[name] = 0;
  return { name, inbox };
}

async function append({ name, inbox }) {
  const at = Date.now();
  const key = { source: "service", eventId: `evt_${seed}_${++number}`, timestamp: at };
  const delivery = { method: "POST", target: "/webhooks", headers: {}, body, receivedAt: at };
  const parts = { kind: "k", eventTimestamp: at, state: "dead", reason: "x", orderKey: null };
  await inbox.append({ key, delivery, ...parts });
  acknowledged[name]++;
}

/** Appends many entries at a time, which starts the writer thread, until the inbox is closed. */
function fill(opened, senders = 64) {
  let over = false;
  const sending = Array.from({ length: senders }, async () => {
    while (!over) {
      await append(opened).catch(() => {
        over = true; // it was closed in the meantime
      });
    }
  });
  return async () => {
    over = true;
    await Promise.all(sending);
  };
}

/** Resolves once that many writer threads have started, or after a while. */
function threads(count) {
  return new Promise((resolve) => {
    let up = 0;
    process.on("worker", (worker) =>
      worker.once("message", () => {
        if (++up === count) resolve();
      }),
    );
    setTimeout(resolve, 5000);
  });
}

/** Opens and closes an inbox several times, with a thread, while it is working. */
async function openAndClose(name, times, longest = 140) {
  for (let time = 0; time < times; time++) {
    const opened = inboxAt(`${name}-${time}`);
    await opened.inbox.open();
    const stop = fill(opened);
    await wait(40 + random(longest - 40)); // a thread needs some time to start
    const stopping = stop(); // with or without batches in progress
    if (random(2) === 0) await stopping;
    await opened.inbox.close();
    await stopping;
  }
}

const several = (count, work) =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)));

const ENDINGS = {
  /** `process.exit` in the middle of batches of several inboxes. */
  async exit() {
    const up = threads(2);
    for (const index of [0, 1]) {
      const opened = inboxAt(`exit-${index}`);
      await opened.inbox.open();
      fill(opened);
    }
    await up;
    await wait(random(50));
    process.exit(7);
  },
  /** All inboxes are closed, and the process ends by itself. */
  async close() {
    await several(3, (index) => openAndClose(`close-${index}`, 2));
    process.exitCode = 7;
  },
  /** `process.exit` while some are being opened, some are working, some are being closed. */
  async mixed() {
    const up = threads(1);
    void several(3, (index) => openAndClose(`mixed-${index}`, 10, 400));
    await up;
    await wait(random(150));
    process.exit(7);
  },
  /** An uncaught error while threads write. */
  async throw() {
    process.on("uncaughtException", () => process.exit(7));
    const up = threads(1);
    const opened = inboxAt("throw");
    await opened.inbox.open();
    fill(opened);
    await up;
    setTimeout(() => {
      throw new Error("nobody catches this");
    }, random(50));
  },
  /** A worker thread opens inboxes, closes them and ends. */
  async workerCloses() {
    await several(2, (index) => inWorker(["close", index]));
    process.exit(7);
  },
  /** A worker thread calls `process.exit`, which ends only that thread. */
  async workerExits() {
    await several(2, (index) => inWorker(["exit", index]));
    process.exit(7);
  },
  /** A worker thread is terminated while writing, as test runners do. */
  async workerTerminated() {
    await several(2, (index) => inWorker(["mixed", index], 60 + random(300)));
    process.exit(7);
  },
  /** The process calls `process.exit` while worker threads are working. */
  async exitBesideWorkers() {
    void several(2, (index) => inWorker(["mixed", index]));
    await wait(100 + random(200));
    process.exit(7);
  },
};

function inWorker([how, index], terminateAfter) {
  const worker = new Worker(fileURLToPath(import.meta.url), {
    workerData: [folder, how, Number(seed) * 2 + index],
  });
  worker.on("error", (error) => process.stderr.write(`${error.stack}\n`));
  if (terminateAfter !== undefined) setTimeout(() => void worker.terminate(), terminateAfter);
  return new Promise((resolve) => void worker.once("exit", resolve));
}

await ENDINGS[ending]();
