// A process on PostgreSQL whose handler records each run, for the test that kills it.
import { openSync, writeSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { createReceiver, postgresInbox } from "../../../../dist/index.js";

const { url, listenUrl, schema, role, tx, lease = 1500, notes, name } = JSON.parse(process.argv[2]);
const tell = (_, logged) => process.send?.({ logged });
const log = { debug() {}, info() {}, warn: tell, error: tell };
/** Entries of a backlog have numbers from this one on: their handler does no other work. */
const BACKLOG = 1_000_000;
const EFFECT = `INSERT INTO ${schema}_effects.effect (id, number, key, attempt) VALUES ($1, $2, $3, $4)`;

/**
 * Notes that a run begins or ends, in a file: a message might not leave a process that is killed.
 */
const file = notes === undefined ? undefined : openSync(join(notes, name), "a");
function note(what) {
  if (file !== undefined) writeSync(file, `${JSON.stringify({ ...what, at: Date.now() })}\n`);
}

/** Notes for how long this process stood still: frozen, or on a machine that had no time for it. */
let last = performance.now();
setInterval(() => {
  const still = performance.now() - last - 100;
  last = performance.now();
  if (still > 250) note({ still });
}, 100).unref();

/** Runs a handler's effect, and notes when that begins and ends. */
async function noted(event, context, query) {
  const { number } = event.data;
  const { attempt } = context;
  note({ number, attempt, change: "begun" });
  try {
    await haveEffect(event, context, query);
    note({ number, attempt, change: "ended" });
  } catch (thrown) {
    note({ number, attempt, change: `failed: ${thrown.code ?? thrown.message}` });
    throw thrown;
  }
}

/** Runs the statement that is a handler's effect, before and after other work. */
async function haveEffect({ id, data }, { attempt }, query) {
  const work = () => (data.number >= BACKLOG ? undefined : delay(Math.random() * 20));
  await work();
  await query(EFFECT, [id, data.number, data.key ?? null, attempt]);
  await work();
}

const receiver = createReceiver({
  secret: "a-secret-made-up-for-the-drill",
  inbox: postgresInbox(url, { schema, listenUrl }),
  role,
  orderBy: ({ data }) => data.key ?? null,
  lease,
  poll: 100,
  retry: { attempts: 1000, delay: 50, maxDelay: 200 },
  log,
});
if (tx) {
  const handler = (event, context) =>
    noted(event, context, (...query) => context.tx.query(...query));
  receiver.on("payment.received", handler, { tx: true });
} else {
  const effects = new pg.Pool({ connectionString: url, max: 4 });
  effects.on("error", () => {}); // the server is restarted
  receiver.on("payment.received", (event, context) => {
    return noted(event, context, (...query) => effects.query(...query));
  });
}
await receiver.start();
process.on("message", async ({ number, delivery }) => {
  const body = Buffer.from(delivery.body, "base64");
  const { type, duplicate } = await receiver.accept({ ...delivery, body, receivedAt: Date.now() });
  process.send?.({ number, type, duplicate });
});
process.on("disconnect", () => process.exit());
process.send?.({ ready: true });
