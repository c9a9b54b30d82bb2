// The child process of autocannon: `node generate.js '<load as JSON>'` prints the result as JSON.
import { closeSync, openSync, readSync } from "node:fs";
import autocannon from "autocannon";
import { Latencies } from "./latencies.ts";
import type { Load, LoadResult } from "./load.ts";

const load = JSON.parse(process.argv[2] ?? "") as Load;
const { file, first, connections, seconds, port } = load;
const descriptor = openSync(file.path, "r");
let sent = 0;

/** The next request of the file, in autocannon's format. */
function nextRequest(request: autocannon.Request): autocannon.Request {
  const bytes = Buffer.alloc(file.length);
  readSync(descriptor, bytes, 0, file.length, ((first + sent++) % file.count) * file.length);
  const split = file.length - file.bodyLength;
  const lines = bytes.subarray(0, split).toString("latin1").trim().split("\r\n").slice(1);
  const headers = Object.fromEntries(lines.map((line) => line.split(": ") as [string, string]));
  return { ...request, headers, body: bytes.subarray(split) };
}

const latencies = new Latencies();
const run = autocannon({
  url: `http://127.0.0.1:${port}/webhooks`,
  method: "POST",
  connections,
  duration: seconds,
  requests: [{ method: "POST", path: "/webhooks", setupRequest: nextRequest }],
});
run.on("response", (_client, _status, _bytes, ms) => latencies.note(ms));
const result = await run;
closeSync(descriptor);
const told: LoadResult = {
  answered: result.requests.total,
  sent,
  failed: result.non2xx + result.errors + result.timeouts,
  seconds: result.duration,
  latency: latencies.summary,
};
process.stdout.write(JSON.stringify(told));
