// Fills an inbox as fast as possible with the built package, and exits in the middle of a batch.

import { createReceiver } from "../../../dist/index.js";
import { storeBehind } from "./store-behind.js";

const inbox = storeBehind(
  createReceiver({ secret: "a-secret-of-a-test-child", inbox: process.argv[2] }),
);
await inbox.open();
const body = Buffer.alloc(600, "x");
let acknowledged = 0;
let number = 0;

async function keepOn() {
  for (;;) {
    const at = Date.now();
    const key = { source: "service", eventId: `evt_${++number}`, timestamp: at };
    const delivery = { method: "POST", target: "/webhooks", headers: {}, body, receivedAt: at };
    const parts = { kind: "k", eventTimestamp: at, state: "dead", reason: "x", orderKey: null };
    await inbox.append({ key, delivery, ...parts });
    acknowledged++;
  }
}

for (let sender = 0; sender < 64; sender++) void keepOn();
process.on("worker", (worker) =>
  worker.once("message", () => setTimeout(() => end(), 20 + Math.random() * 30)),
);
setTimeout(end, 5000); // the thread never started

function end() {
  process.stdout.write(`${acknowledged}\n`, () => process.exit(7));
}
