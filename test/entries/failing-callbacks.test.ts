import { setTimeout as sleep } from "node:timers/promises";
import * as promClient from "prom-client";
import { expect, it, onTestFinished, vi } from "vitest";
import { fetchReceiver } from "../../src/entries/fetch.ts";
import { verify } from "../../src/entries/index.ts";
import { collectMetrics, watchAlerts } from "../../src/entries/metrics.ts";
import { createTestReceiver } from "../../src/entries/testing.ts";
import { samples } from "../observe/samples.ts";
import { openReceiver } from "../receiver/open.ts";
import {
  bytes,
  deliveryOf,
  freshEnvelope,
  keepWarnings,
  keptLog,
  signedHeaders,
  uncaught,
  until,
} from "../receiver/sample.ts";
import { clientOf, failure, openService } from "../service/client/service.ts";
import { openSandbox } from "../service/sandbox/open.ts";

/**
 * The functions of a user's that are not a receiver's: `test/receiver/user-code.test.ts` has those,
 * and checks that none is missing.
 */

function fail(): never {
  throw new Error("mine");
}
const FAILURES = [
  ["throws", fail],
  ["rejects", () => Promise.reject(new Error("mine")) as never],
] as const;

const warnings = keepWarnings();
let caught: unknown[] = [];

/** That nothing was left uncaught, and what was told. */
async function told(): Promise<readonly string[]> {
  await sleep(5);
  expect(caught).toEqual([]);
  return warnings;
}

it.each(FAILURES)("onAlert of watchAlerts that %s is told once", async (_, onAlert) => {
  caught = uncaught();
  const { receiver } = await openReceiver();
  const calls = vi.fn(onAlert);
  onTestFinished(watchAlerts(receiver, { onAlert: calls, every: 2 }));
  await receiver.accept(deliveryOf("no JSON"));
  await until(() => expect(calls).toHaveBeenCalled());
  expect(await told()).toEqual(["onAlert of watchAlerts failed: mine"]);
});

it.each(FAILURES)(
  "clock of watchAlerts that %s is told once, and alerts still come",
  async (_, clock) => {
    caught = uncaught();
    const { receiver } = await openReceiver();
    const onAlert = vi.fn();
    onTestFinished(watchAlerts(receiver, { onAlert, every: 2, clock }));
    await receiver.accept(deliveryOf("no JSON"));
    await until(() => {
      expect(onAlert).toHaveBeenCalledWith(
        expect.objectContaining({ type: "dead_letters", active: true }),
      );
    });
    expect(await told()).toEqual([expect.stringMatching(/^clock of watchAlerts failed: /)]);
  },
);

it.each(FAILURES)(
  "clock of collectMetrics that %s is told once, and ages are still shown",
  async (_, clock) => {
    caught = uncaught();
    const { receiver } = await openReceiver();
    const registry = new promClient.Registry();
    onTestFinished(collectMetrics(receiver, { registry, clock }));
    const read = samples(await registry.metrics());
    expect(read("hookporter_oldest_due_age_seconds")).toBe(0);
    expect(await told()).toEqual([expect.stringMatching(/^clock of collectMetrics failed: /)]);
  },
);

it.each(FAILURES)(
  "onRetry, clock and random of a client that %s are told once each, and the request is retried",
  async (_, call) => {
    caught = uncaught();
    const service = await openService();
    const client = clientOf(service, {
      onRetry: call,
      clock: call,
      random: call,
      sleep: async () => {},
    });
    const date = new Date(Date.now() + 1000).toUTCString();
    service.next(failure(500), failure(429, {}, { "retry-after": date }));
    await client.properties.list();
    expect(service.requests).toHaveLength(3);
    const names = (await told()).map((line) => line.split(" ")[0]);
    expect(names.toSorted()).toEqual(["clock", "onRetry", "random"]);
  },
);

it.each(FAILURES)("log, clock and listeners of a sandbox that %s end nothing", async (_, call) => {
  caught = uncaught();
  const log = { debug: call, info: call, warn: call, error: call };
  const { sandbox, ask } = await openSandbox({ log, clock: call });
  sandbox.observe(call);
  expect((await ask("/v1/properties")).status).toBe(200);
  expect((await ask("/v1/properties")).status).toBe(200);
  expect(await told()).toEqual([expect.stringMatching(/^log\.error failed: mine/)]);
});

it.each(FAILURES)(
  "transaction of a test receiver that %s fails the handler",
  async (_, transaction) => {
    caught = uncaught();
    const receiver = await createTestReceiver({ transaction, log: keptLog().log });
    onTestFinished(() => receiver.close());
    receiver.on("payment.received", () => {}, { tx: true });
    expect(await receiver.deliver("payment.received")).toMatchObject({ state: "dead" });
    expect(await told()).toEqual([]);
  },
);

it.each(FAILURES)("waitUntil of a runtime that %s changes no answer", async (_, waitUntil) => {
  caught = uncaught();
  const { receiver } = await openReceiver({ handlerTimeout: 100 });
  const handle = fetchReceiver(receiver, { drain: { budget: 1000 } });
  const body = bytes(freshEnvelope());
  const request = new Request("http://localhost/webhooks", {
    method: "POST",
    headers: signedHeaders(body),
    body,
  });
  expect((await handle(request, { waitUntil })).status).toBe(200);
  expect(await told()).toEqual(["waitUntil of the runtime failed: mine"]);
});

it("a secret function of verify that returns a promise is refused, and ends nothing", async () => {
  caught = uncaught();
  const secret = () => Promise.reject(new Error("mine")) as never;
  const body = bytes(freshEnvelope());
  await expect(verify(body, signedHeaders(body), { secret })).rejects.toMatchObject({
    code: "secret_missing",
  });
  expect(await told()).toEqual([]);
});
