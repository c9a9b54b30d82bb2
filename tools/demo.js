// The whole receiver in one run: real HTTP, a real inbox file, all 12 kinds, a duplicate, a
// tampered and an unsigned body. Then the round trip with the simulated service. Exits with 0 only
// if every result is as expected.
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createReceiver, eventKinds } from "hookporter";
import { nodeReceiver } from "hookporter/node";
import { sampleEvent, signedRequest } from "hookporter/testing";
import { roundTrip } from "./demo-round-trip.js";

const folder = mkdtempSync(join(tmpdir(), "hookporter-demo-"));
const secret = "a-secret-made-up-for-this-demo";
const receiver = createReceiver({ secret, inbox: join(folder, "inbox.db") });
const runs = new Map();
receiver.on("*", (event) => runs.set(event.id, (runs.get(event.id) ?? 0) + 1));
await receiver.start();
const server = createServer(nodeReceiver(receiver, { path: "/webhooks" }));
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const url = `http://127.0.0.1:${server.address().port}/webhooks`;
console.log(`receiver on ${url}, inbox in ${folder}\n`);

let wrong = 0;
const requests = eventKinds.map((kind) => [
  kind,
  signedRequest(sampleEvent(kind, { timestamp: Date.now() }), { secret }),
]);
const ids = [];
for (const [kind, request] of requests) {
  const { status, body } = await post(request);
  ids.push(body.id);
  show(kind, status, body, status === 200 && body.duplicate === false);
}
const [, first] = requests[0];
const again = await post(first);
const known = again.body.duplicate === true && again.body.id === ids[0];
show("the first one again", again.status, again.body, again.status === 200 && known);

const tampered = Buffer.from(first.body);
tampered[tampered.length - 3] ^= 1;
const changed = await post({ ...first, body: tampered });
show("one bit changed", changed.status, changed.body, changed.status === 401);

const unsigned = await post({ ...first, headers: { "content-type": "application/json" } });
show("no signature", unsigned.status, unsigned.body, unsigned.status === 401);

await until(async () => (await receiver.inbox.count()).handled === eventKinds.length);
const { handled, ...others } = await receiver.inbox.count();
const entries = await receiver.inbox.list();
const once = ids.every((id) => runs.get(id) === 1) && runs.size === eventKinds.length;
console.log();
check(
  `${entries.length} entries in the inbox, one per event`,
  entries.length === eventKinds.length,
);
check(
  `${handled} handled, ${Object.values(others).reduce((sum, count) => sum + count)} left`,
  handled === 12,
);
check("each event was handled once", once);
check("the duplicate was counted", entries[0]?.duplicates === 1);

server.close();
await receiver.close();
await roundTrip(folder, check);
rmSync(folder, { recursive: true, force: true });
console.log(wrong === 0 ? "\nall results as expected" : `\n${wrong} results not as expected`);
process.exitCode = wrong === 0 ? 0 : 1;

async function post({ headers, body }) {
  const response = await fetch(url, { method: "POST", headers, body });
  return { status: response.status, body: await response.json() };
}

function show(what, status, body, right) {
  const answer =
    body.error === undefined
      ? `${body.id}${body.duplicate ? "  duplicate" : ""}`
      : body.error.message;
  check(`${what.padEnd(20)} ${status}  ${answer}`, right);
}

function check(line, right) {
  if (!right) wrong++;
  console.log(`${right ? "ok   " : "WRONG"} ${line}`);
}

async function until(holds) {
  for (const end = Date.now() + 10_000; Date.now() < end; ) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
