// Fills an inbox file through the inbox's own code, and a very large one with copies:
// `node fill.js '<order as JSON>'`.
import { setImmediate as turn } from "node:timers/promises";
import { createReceiver } from "../../../src/entries/index.ts";
import type { NewEntry } from "../../../src/inbox/append.ts";
import { bodySource, SECRET } from "../events.ts";
import { storeBehind } from "../store-behind.ts";
import { copyEntries } from "./copy-entries.ts";
import type { FillOrder } from "./fill-inbox.ts";

/** Entries that are kept one by one. Any more are copies of them, since that would take hours. */
const KEPT = 1_000_000;

/** Entries per part; two parts are fewer than an inbox allows to wait. */
const AT_ONCE = 4000;
const {
  inbox: path,
  count: wanted,
  state,
  size,
  from,
} = JSON.parse(process.argv[2] ?? "") as FillOrder;
const count = state === "dead" ? Math.min(wanted, KEPT) : wanted;
const inbox = storeBehind(createReceiver({ secret: SECRET, inbox: path }).inbox);
const bodyOf = bodySource(size, from);

function entry(index: number): NewEntry {
  const { kind, body, signature, timestamp } = bodyOf(index);
  const headers = { "content-type": "application/json", "x-service-signature": signature };
  const key = { source: "service", eventId: `evt_1_${signature.slice(7, 47)}`, timestamp };
  const delivery = { method: "POST", target: "/webhooks", headers, body, receivedAt: timestamp };
  const reason = state === "dead" ? "invalid_data" : null;
  return { key, kind, eventTimestamp: timestamp, state, reason, orderKey: null, delivery };
}

/** Appends the entries of one part. */
async function append(first: number): Promise<void> {
  const some = Array.from({ length: Math.min(AT_ONCE, count - first) }, (_, index) =>
    entry(first + index),
  );
  await Promise.all(some.map((next) => inbox.append(next)));
}

await inbox.open();
let before: Promise<void> | undefined;
for (let first = 0; first < count; first += AT_ONCE) {
  const now = append(first);
  // the inbox sends the waiting entries to its thread, which commits them while the next part is
  // created
  await turn();
  await before;
  before = now;
}
await before;
await inbox.close();
if (count < wanted) await copyEntries(path, wanted);
