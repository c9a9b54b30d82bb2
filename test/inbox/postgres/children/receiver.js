// A receiver on PostgreSQL whose handler records each run, for the test that kills it.
import process from "node:process";
import pg from "pg";
import { createReceiver, postgresInbox } from "../../../../dist/index.js";

const [url, schema] = process.argv.slice(2);
const effects = new pg.Pool({ connectionString: url, max: 2 });
const silent = { debug() {}, info() {}, warn() {}, error() {} };

const receiver = createReceiver({
  secret: "a-secret-made-up-for-the-drill",
  inbox: postgresInbox(url, { schema }),
  orderBy: ({ data }) => data.key ?? null,
  lease: 1500,
  poll: 100,
  retry: { attempts: 1000, delay: 50, maxDelay: 200 },
  log: silent,
});
receiver.on("payment.received", async (event, { attempt }) => {
  await effects.query(
    `INSERT INTO ${schema}_effects.effect (id, number, key, attempt) VALUES ($1, $2, $3, $4)`,
    [event.id, event.data.number, event.data.key ?? null, attempt],
  );
});
await receiver.start();
process.on("message", async ({ number, delivery }) => {
  const outcome = await receiver.accept({
    ...delivery,
    body: Buffer.from(delivery.body, "base64"),
    receivedAt: Date.now(),
  });
  process.send?.({ number, type: outcome.type, duplicate: outcome.duplicate });
});
process.on("disconnect", () => process.exit());
process.send?.({ ready: true });
