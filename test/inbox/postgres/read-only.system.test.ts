import { describe, expect, it, onTestFinished } from "vitest";
import { createReceiver } from "../../../src/entries/index.ts";
import { handleOf } from "../../../src/inbox/shared/handle.ts";
import { deliveryOf, freshEnvelope, keptLog, NOW, SECRET } from "../../receiver/sample.ts";
import { openServer } from "./schemas.ts";
import { NO_SERVER } from "./server.ts";

describe.skipIf(NO_SERVER !== undefined)("a receiver whose database only reads", async () => {
  if (NO_SERVER !== undefined) return;
  const { server, admin, newSchema, open } = await openServer();

  it("is not ready, says why once, and is ready again by itself", async () => {
    const schema = newSchema();
    const inbox = await open(schema, { connections: 2 });
    const { log, lines } = keptLog();
    const receiver = createReceiver({
      secret: SECRET,
      inbox: handleOf(inbox),
      log,
      clock: () => NOW,
    });
    await receiver.start();
    onTestFinished(() => receiver.close());
    const send = async () => (await receiver.accept(deliveryOf(freshEnvelope()))).type;
    expect(await send()).toBe("accepted");
    const name = new URL(server.url).pathname.slice(1) || "postgres";
    const writable = (is: boolean) =>
      admin.query(
        `ALTER DATABASE "${name}" SET default_transaction_read_only = ${is ? "off" : "on"}`,
      );
    const reconnect = () =>
      admin.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'hookporter%' AND pid <> pg_backend_pid()",
      );
    await writable(false);
    await reconnect();
    await expect.poll(send).toBe("unavailable");
    await expect.poll(() => send().then(() => receiver.refusing)).toBe("inbox_read_only");
    expect(receiver.ready).toBe(false);
    const said = lines.filter(({ message }) => message.startsWith("could not store a delivery"));
    expect(new Set(said.map(({ fields }) => (fields as { error: string }).error)).size).toBe(
      said.length,
    );
    await writable(true);
    await reconnect();
    await expect.poll(() => receiver.refusing, { timeout: 15_000 }).toBeUndefined();
    expect(await send()).toBe("accepted");
  });
});
