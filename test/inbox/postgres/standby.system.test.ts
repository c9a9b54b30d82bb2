import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createReceiver } from "../../../src/entries/index.ts";
import { postgresStore } from "../../../src/inbox/postgres.ts";
import { handleOf } from "../../../src/inbox/shared/handle.ts";
import { inboxOf } from "../../../src/receiver/inbox-view.ts";
import { deliveryOf, freshEnvelope, keptLog, SECRET } from "../../receiver/sample.ts";
import { startProxy } from "./proxy.ts";
import { NO_SERVER, startPostgres, startStandby } from "./server.ts";

/**
 * An address that leads to one server, and later to another, as the name of a managed database
 * does.
 */
async function startName(url: string) {
  let to = url;
  const proxy = await startProxy(
    () => to,
    (client, upstream) => {
      client.pipe(upstream).pipe(client);
      client.on("close", () => upstream.destroy());
      upstream.on("close", () => client.destroy());
    },
  );
  onTestFinished(() => proxy.stop());
  return {
    url: proxy.url,
    leadTo: (next: string) => {
      to = next;
      proxy.cut();
    },
  };
}

describe.skipIf(NO_SERVER !== undefined || process.env.HOOKPORTER_POSTGRES_URL !== undefined)(
  "a receiver whose server fails over to an asynchronous standby",
  () => {
    it.each([
      ["that lagged says which acknowledged entries are missing, and goes on", 4],
      ["that had everything goes on, and says nothing of the kind", 0],
    ])("%s", { timeout: 120_000, retry: 0 }, async (_, lost) => {
      const primary = await startPostgres();
      const name = await startName(primary.url);
      const { log, lines } = keptLog();
      const inbox = postgresStore(name.url, { schema: "failover" });
      const receiver = createReceiver({
        secret: SECRET,
        inbox: handleOf(inbox),
        log,
        lease: 3000,
        poll: 100,
      });
      const handled: unknown[] = [];
      receiver.on("*", ({ data }) => void handled.push(data.number));
      await receiver.start();
      const wait = (check: () => unknown) => vi.waitFor(check, { timeout: 60_000, interval: 50 });
      const send = (numbers: readonly number[]) =>
        Promise.all(
          numbers.map((number) => {
            const event = freshEnvelope({ timestamp: new Date().toISOString(), data: { number } });
            return wait(async () => {
              const outcome = await receiver.accept(deliveryOf(event, undefined, Date.now()));
              expect(outcome).toMatchObject({ type: "accepted" });
            });
          }),
        );
      await send([1, 2, 3]);
      const standby = await startStandby(primary);
      onTestFinished(() => standby.stop());
      onTestFinished(() => receiver.close());
      if (lost > 0) await standby.detach();
      await send(Array.from({ length: 4 }, (__, at) => 10 + at));
      await wait(() => expect(handled).toHaveLength(7));
      if (lost === 0) await wait(async () => expect(await countOn(standby.url)).toBe(7));
      await primary.stop();
      await standby.promote();
      name.leadTo(standby.url);
      await send([21, 22]);
      await wait(() => expect(handled).toHaveLength(9));
      const missing = () =>
        lines.filter(({ message }) => message.startsWith("acknowledged entries are missing"));
      if (lost > 0)
        await wait(() =>
          expect(missing()).toMatchObject([{ level: "error", fields: { missing: lost } }]),
        );
      await wait(async () =>
        expect(await inboxOf(receiver).counts()).toMatchObject({ handled: 9 - lost, running: 0 }),
      );
      if (lost === 0) expect(missing()).toEqual([]);
    });
  },
);

/** How many entries a server has. */
async function countOn(url: string): Promise<number> {
  const inbox = postgresStore(url, { schema: "failover" });
  await inbox.open({ access: "read" });
  const { handled } = await inbox.counts();
  await inbox.close();
  return handled;
}
