// Prints the functions of src/ that a delivery passes, from the socket to its settled entry: a
// `payment.received` to the receiver that README.md begins with, on Express and SQLite, once
// everything has started. It runs the sources themselves, so it needs Node 24 or newer: npx -p
// node@24 node tools/delivery-path.js
//
// --functions names the functions of each file, --json prints { files: { name: count }, functions
// }.
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { request } from "node:http";
import { Session } from "node:inspector/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { functionsOf, load, report } from "./passed-functions.js";

/**
 * Deliveries that are measured. Timers may fire during some, so only what all of them passed
 * counts.
 */
const DELIVERIES = 3;

const secret = "the secret of the measured path";

const passed = await measure();
report(passed);

/** The functions that each delivery passed, by file. */
async function measure() {
  const { default: express } = await import("express");
  const { createReceiver } = await load("entries/index.ts");
  const { expressReceiver } = await load("entries/express.ts");
  const folder = mkdtempSync(join(tmpdir(), "hookporter-path-"));
  const inbox = join(folder, "inbox.db");
  const receiver = createReceiver({ secret, inbox, handlers: { "payment.received": () => {} } });
  await receiver.start();
  const server = express().use("/webhooks", expressReceiver(receiver)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  const ofEach = [];
  // One more at first: what only the first delivery does belongs to the start.
  for (let delivery = 0; delivery <= DELIVERIES; delivery++)
    ofEach.push(await coverageOfOne(session, server, inbox));
  server.close();
  await receiver.close();
  rmSync(folder, { recursive: true });
  const [first = [], ...others] = ofEach.slice(1).map((names) => [...names]);
  return first.filter((name) => others.every((other) => other.includes(name))).sort();
}

/**
 * Sends one delivery; returns the functions that ran until its entry was settled, as
 * `file name:offset`.
 */
async function coverageOfOne(session, server, inbox) {
  const { createHmac } = await import("node:crypto");
  const { DatabaseSync } = await import("node:sqlite");
  const reader = new DatabaseSync(inbox, { readOnly: true });
  const pending = reader.prepare("SELECT count(*) AS waiting FROM entry WHERE state <> 'handled'");
  const kept = reader.prepare("SELECT count(*) AS kept FROM entry");
  const before = kept.get().kept;
  const { sampleEvent } = await load("event/sample.ts");
  const body = JSON.stringify(sampleEvent("payment.received", { timestamp: Date.now() }));
  const signature = `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
  const { port } = server.address();
  const headers = { "content-type": "application/json", "x-service-signature": signature };
  await setTimeout(2); // so that no two events are of one millisecond
  await session.post("Profiler.takePreciseCoverage"); // what came before does not count
  const sent = request({
    port,
    host: "127.0.0.1",
    path: "/webhooks",
    method: "POST",
    headers,
    agent: false,
  }).end(body);
  const [response] = await once(sent, "response");
  response.resume();
  if (response.statusCode !== 200) throw new Error(`expected 200, got ${response.statusCode}`);
  while (kept.get().kept === before || pending.get().waiting > 0) await setTimeout(5);
  await setTimeout(10); // what follows from the settlement
  const { result } = await session.post("Profiler.takePreciseCoverage");
  reader.close();
  return new Set(result.flatMap(functionsOf));
}
