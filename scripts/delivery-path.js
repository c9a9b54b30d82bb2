// Prints the functions of src/ that one delivery passes, from the socket to its settled entry: a `payment.received`
// through Express and SQLite, after everything has started. Runs the sources as they are, so it needs Node 24 or newer.
// node scripts/delivery-path.js [--functions] [--json]
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { Session } from "node:inspector/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = join(import.meta.dirname, "..");
const source = (name) => import(pathToFileURL(join(root, "src", name)).href);
const folder = mkdtempSync(join(tmpdir(), "hookporter-path-"));
const secret = "the secret of the measured path";

const { default: express } = await import("express");
const { createReceiver, sign } = await source("entries/index.ts");
const { createServer, expressReceiver } = await source("receiver/adapters/express.ts");
const { sampleEvent } = await source("event/sample.ts");

const inbox = join(folder, "inbox.db");
const receiver = createReceiver({ secret, inbox, handlers: { "payment.received": () => {} } });
await receiver.start();
const server = express().use("/webhooks", expressReceiver(receiver)).listen(0, "127.0.0.1");
await once(server, "listening");
const { DatabaseSync } = createRequire(import.meta.url)("node:sqlite");
const reader = new DatabaseSync(inbox, { readOnly: true });
await new Promise((resolve) => setTimeout(resolve, 300));

const body = JSON.stringify(sampleEvent("payment.received", { timestamp: Date.now() }));
const headers = { "content-type": "application/json", "x-service-signature": sign(body, secret) };
const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
await post(body, headers);
await settled();
const { result } = await session.post("Profiler.takePreciseCoverage");
report(result);
server.close();
reader.close();
await receiver.close();
rmSync(folder, { recursive: true });

async function post(body, headers) {
  const { port } = server.address();
  const response = await fetch(`http://127.0.0.1:${port}/webhooks`, { method: "POST", headers, body });
  if (response.status !== 200) throw new Error(`expected 200, got ${response.status} ${await response.text()}`);
}

async function settled() {
  const statement = reader.prepare("SELECT state FROM entry");
  while (statement.get()?.state !== "done") await new Promise((resolve) => setTimeout(resolve, 5));
  await new Promise((resolve) => setTimeout(resolve, 20));
}

function report(scripts) {
  let sum = 0; let files = 0;
  for (const { url, functions } of scripts.sort((a,b)=>a.url<b.url?-1:1)) {
    if (!url.startsWith("file:")) continue;
    const file = relative(join(root, "src"), fileURLToPath(url));
    if (file.startsWith("..") || file.includes("node_modules")) continue;
    const called = functions.filter((one) => one.ranges[0].count > 0);
    if (called.length === 0) continue;
    files++; sum += called.length;
    console.log(file, called.length, called.map((f)=>`${f.functionName||"()"}${f.ranges[0].count>1?"*"+f.ranges[0].count:""}`).join(" "));
  }
  console.log(files, sum);
}
