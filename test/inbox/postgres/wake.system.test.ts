import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { createReceiver } from "../../../src/entries/index.ts";
import type { Inbox } from "../../../src/inbox/inbox.ts";
import { postgresStore } from "../../../src/inbox/postgres.ts";
import { handleOf } from "../../../src/inbox/shared/handle.ts";
import { inboxOf } from "../../../src/receiver/inbox-view.ts";
import { deliveryOf, envelope, keptLog, NOW, SECRET, until } from "../../receiver/sample.ts";
import { AT, keep, numberedEntry } from "../entries.ts";
import { describeDue } from "./due-contract.ts";
import { openServer } from "./schemas.ts";
import { NO_POOLER, NO_SERVER, startPooler } from "./server.ts";

/** Waits until the counting of how often an inbox says that entries may be due can begin. */
async function untilHeard(heard: { times: number }, other: Inbox): Promise<void> {
  await until(async () => {
    await other.retry({}, AT);
    await keep(other, numberedEntry(Math.random()));
    expect(heard.times).toBeGreaterThan(0);
  });
  await new Promise((resolve) => setTimeout(resolve, 100));
  heard.times = 0;
}

describe("an inbox on PostgreSQL", async () => {
  if (NO_SERVER !== undefined) {
    it.skip(NO_SERVER, () => {});
    return;
  }
  const { server, newSchema, open } = await openServer();

  describeDue("a server", async (own, other) => {
    const schema = newSchema();
    return [await open(schema, {}, server.url, own), await open(schema, {}, server.url, other)];
  });

  it("lets a receiver run at once what another process keeps, however seldom it polls", async () => {
    const schema = newSchema();
    const ran: string[] = [];
    const receiver = createReceiver({
      secret: SECRET,
      inbox: handleOf(postgresStore(server.url, { schema })),
      poll: 3_600_000,
      log: keptLog().log,
    });
    receiver.on("payment.received", ({ id }) => void ran.push(id));
    await receiver.start();
    onTestFinished(() => receiver.close());
    const other = await open(schema);
    await until(() => expect(inboxOf(receiver).supportsNotify).toBe(true));
    const delivery = deliveryOf(envelope());
    const key = { source: "service", eventId: "evt_other", timestamp: NOW };
    await keep(other, numberedEntry(1, 0, { key, delivery, runAt: AT }));
    await until(() => expect(ran).toEqual(["evt_other"]));
  });

  describe.skipIf(NO_POOLER !== undefined)(
    NO_POOLER ?? "through PgBouncer in transaction mode",
    async () => {
      if (NO_POOLER !== undefined) return;
      const pooler = await startPooler(server);
      afterAll(() => pooler.stop());
      const through = async (schema: string, listenUrl?: string) => {
        const { log, lines } = keptLog();
        const inbox = postgresStore(pooler.url, { schema, listenUrl });
        const heard = { times: 0 };
        await inbox.open({ log, onDue: () => void heard.times++ });
        onTestFinished(() => inbox.close());
        return { inbox, lines, heard };
      };

      it("notices that notifications do not arrive, and says what to do", async () => {
        const { inbox, lines } = await through(newSchema());
        await until(() =>
          expect(lines).toMatchObject([
            { level: "warn", message: expect.stringContaining("listenUrl") },
          ]),
        );
        expect(await keep(inbox, numberedEntry(1))).toMatchObject({ duplicate: false });
      });

      it("hears of other entries on a direct connection", async () => {
        const schema = newSchema();
        const { lines, heard } = await through(schema, server.url);
        await untilHeard(heard, await open(schema));
        await keep(await open(schema), numberedEntry(1));
        await until(() => expect(heard.times).toBeGreaterThan(0));
        expect(lines).toEqual([]);
      });
    },
  );
});
