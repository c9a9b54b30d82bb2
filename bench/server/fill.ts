// Fills an inbox file through the inbox's own code: `node fill.js '<order as JSON>'`.
import { createReceiver, type NewEntry } from "../../src/index.ts";
import { bodySource, SECRET } from "../events.ts";
import type { FillOrder } from "./fill-inbox.ts";

const AT_ONCE = 2000;
const { inbox: path, count, state, size, from } = JSON.parse(process.argv[2] ?? "") as FillOrder;
const { inbox } = createReceiver({ secret: SECRET, inbox: path });
const bodyOf = bodySource(size, from);

function entry(index: number): NewEntry {
  const { kind, body, signature, timestamp } = bodyOf(index);
  const headers = { "content-type": "application/json", "x-service-signature": signature };
  const key = { source: "service", eventId: `evt_1_${signature.slice(7, 47)}`, timestamp };
  const delivery = { method: "POST", target: "/webhooks", headers, body, receivedAt: timestamp };
  const reason = state === "dead" ? "invalid_data" : null;
  return { key, kind, eventTimestamp: timestamp, state, reason, orderKey: null, delivery };
}

await inbox.open();
for (let done = 0; done < count; done += AT_ONCE) {
  const some = Array.from({ length: Math.min(AT_ONCE, count - done) }, (_, index) => entry(done + index));
  await Promise.all(some.map((next) => inbox.append(next)));
}
await inbox.close();
