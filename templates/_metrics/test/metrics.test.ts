import { createTestReceiver, sampleEvent } from "hookporter/testing";
import { expect, test } from "vitest";
import handlers from "../src/handlers/index.ts";
import { log } from "../src/log.ts";
import { serveMetrics } from "../src/metrics.ts";

test("/metrics counts runs of handlers, and every other path is answered 404", async () => {
  const receiver = await createTestReceiver({ handlers, log });
  const { url = "", close } = await serveMetrics(receiver, 0, "127.0.0.1");
  await receiver.deliver(sampleEvent("lead.created"));
  const response = await fetch(url);
  expect(response.headers.get("content-type")).toMatch(/^text\/plain/);
  const text = await response.text();
  expect(text).toMatch(/^hookporter_runs_total\{state="handled"\} 1$/m);
  expect(text).toMatch(/^process_cpu_seconds_total \d/m);
  expect((await fetch(new URL("/", url))).status).toBe(404);
  close();
  await receiver.close();
});

test("a port that is in use costs no more than the metrics", async () => {
  const receiver = await createTestReceiver({ handlers, log });
  const first = await serveMetrics(receiver, 0, "127.0.0.1");
  const port = Number(new URL(first.url ?? "").port);
  const second = await serveMetrics(receiver, port, "127.0.0.1");
  expect(second.url).toBeUndefined();
  second.close();
  first.close();
  await receiver.close();
});
