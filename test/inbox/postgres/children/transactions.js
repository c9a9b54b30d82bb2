// A receiver with plain handlers and some with tx, which kills itself at a point, for the test of
// what is left then.
import process from "node:process";
import pg from "pg";
import { createReceiver, postgresInbox } from "../../../../dist/index.js";

const [url, schema, point] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString: url, max: 2 });
const silent = { debug() {}, info() {}, warn() {}, error() {} };
const INSERT = `INSERT INTO ${schema}_effects.effect (event, handler) VALUES ($1, $2)`;

const receiver = createReceiver({
  secret: "a-secret-made-up-for-the-drill",
  inbox: postgresInbox(url, { schema }),
  lease: 1000,
  poll: 50,
  log: silent,
});
for (const name of ["plain 1", "tx 1", "plain 2", "tx 2"]) {
  const tx = name.startsWith("tx");
  receiver.on(
    "payment.received",
    async (event, context) => {
      if (point === `before ${name}`) process.kill(process.pid, "SIGKILL");
      await (tx ? context.tx : pool).query(INSERT, [event.id, name]);
      if (point === `after ${name}`) process.kill(process.pid, "SIGKILL");
    },
    { name, tx },
  );
}
await receiver.start();
process.on("message", (delivery) => {
  const body = Buffer.from(delivery.body, "base64");
  void receiver.accept({ ...delivery, body, receivedAt: Date.now() });
});
process.on("disconnect", () => process.exit());
process.send?.({ ready: true });
