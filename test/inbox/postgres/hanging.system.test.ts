import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createReceiver } from "../../../src/entries/index.ts";
import { nodeReceiver } from "../../../src/entries/node.ts";
import { bytes, freshEnvelope, keptLog, SECRET, signedHeaders } from "../../receiver/sample.ts";
import { openServer } from "./schemas.ts";
import { NO_SERVER } from "./server.ts";
import { startSwallowingProxy } from "./swallowing-proxy.ts";

/** The answer to one delivery. */
interface Answered {
  readonly id: string | undefined;
  readonly status: number;
  readonly retryAfter: string | null;
  readonly tookMs: number;
}

describe("a receiver whose server hangs", async () => {
  if (NO_SERVER !== undefined) {
    it.skip(NO_SERVER, () => {});
    return;
  }
  const { server, admin, newSchema, open } = await openServer();
  /**
   * A receiver whose inbox is reached through a proxy that can fall silent, and the same inbox
   * without it.
   */
  const startBehindProxy = async () => {
    const proxy = await startSwallowingProxy(server.url);
    onTestFinished(() => proxy.stop());
    const schema = newSchema();
    const direct = await open(schema);
    const url = new URL(proxy.url);
    url.searchParams.set("schema", schema);
    const receiver = createReceiver({ secret: SECRET, inbox: url.href, log: keptLog().log });
    receiver.on("*", () => {});
    await receiver.start();
    return { proxy, schema, direct, receiver };
  };

  it("refuses at once after the first time-out, acknowledges nothing falsely, and recovers by itself", {
    timeout: 60_000,
  }, async () => {
    const { proxy, direct, receiver } = await startBehindProxy();
    onTestFinished(() => receiver.close());
    const http = createServer(nodeReceiver(receiver));
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      http.closeAllConnections();
      http.close();
    });
    const target = `http://127.0.0.1:${(http.address() as AddressInfo).port}/webhooks`;
    const send = async (): Promise<Answered> => {
      const body = bytes(freshEnvelope({ timestamp: new Date().toISOString() }));
      const before = performance.now();
      const response = await fetch(target, { method: "POST", headers: signedHeaders(body), body });
      const { id } = (await response.json()) as { id?: string };
      const retryAfter = response.headers.get("retry-after");
      return { id, status: response.status, retryAfter, tookMs: performance.now() - before };
    };
    const all: Answered[] = [];
    const sendMany = async (many: number) => {
      const answers = await Promise.all(Array.from({ length: many }, send));
      all.push(...answers);
      return answers;
    };
    const statuses = (answers: readonly Answered[]) => new Set(answers.map(({ status }) => status));

    expect(statuses(await sendMany(20))).toEqual(new Set([200]));
    proxy.beSilent(true);
    const first = await sendMany(20);
    const firstMs = Math.max(...first.map(({ tookMs }) => tookMs));
    expect(statuses(first)).toEqual(new Set([503]));

    // From now on one delivery at a time finds out whether the server answers again; all others are
    // refused at once.
    const later: Answered[] = [];
    const pending: Promise<unknown>[] = [];
    const end = performance.now() + firstMs * 0.9;
    while (performance.now() < end) {
      pending.push(send().then((answer) => later.push(answer)));
      await delay(50);
    }
    const slow = pending.length - later.length; // still waiting for the server
    expect(later.length).toBeGreaterThan(10);
    expect(slow).toBeLessThanOrEqual(2);
    expect(statuses(later)).toEqual(new Set([503]));
    proxy.beSilent(false);
    await Promise.all(pending);
    all.push(...later);
    const refused = all.filter(({ status }) => status !== 200);
    for (const { status, retryAfter } of refused) {
      expect(status).toBe(503);
      expect(Number(retryAfter)).toBeGreaterThan(0);
    }

    await vi.waitFor(
      async () => expect(statuses(await sendMany(5))).toEqual(new Set([200])),
      15_000,
    );
    const kept = new Set((await direct.list({})).map(({ key }) => key.eventId));
    const acknowledged = all.filter(({ status }) => status === 200);
    expect(acknowledged.filter(({ id }) => id === undefined || !kept.has(id))).toEqual([]);
    await vi.waitFor(
      async () => expect(await direct.counts()).toMatchObject({ waiting: 0, running: 0 }),
      {
        timeout: 20_000,
        interval: 100,
      },
    );
    expect((await direct.counts()).received + (await direct.counts()).dead).toBe(0);
  });

  it("closes, although no connection can be closed in order, or the end of the one that listens is lost", {
    timeout: 60_000,
  }, async () => {
    const silent = await startBehindProxy();
    silent.proxy.beSilent(true);
    await silent.receiver.close();
    const { proxy, schema, receiver } = await startBehindProxy();
    await delay(500); // it listens
    // The notification is swallowed, and with it all that this connection carries from now on.
    // Others work again.
    proxy.beSilent(true);
    await admin.query(`NOTIFY "hookporter_due_${schema}"`);
    await delay(100);
    proxy.beSilent(false);
    await receiver.close();
  });

  it("closes, although the answer to a statement of its first pruning is lost on the way", {
    timeout: 60_000,
  }, async () => {
    const { proxy, receiver } = await startBehindProxy();
    await delay(4500); // it prunes 5 seconds after its start, in statements that may take minutes
    proxy.beSilent(true);
    await delay(1500);
    proxy.beSilent(false);
    await receiver.close();
  });
});
