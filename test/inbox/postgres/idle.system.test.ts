import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { createReceiver } from "../../../src/entries/index.ts";
import { postgresStore } from "../../../src/inbox/postgres.ts";
import { handleOf } from "../../../src/inbox/shared/handle.ts";
import { keptLog, SECRET } from "../../receiver/sample.ts";
import { openServer } from "./schemas.ts";
import { NO_POOLER, NO_SERVER, startPooler } from "./server.ts";

const SECONDS = 12;

describe("an idle process", async () => {
  if (NO_SERVER !== undefined || process.env.HOOKPORTER_POSTGRES_URL !== undefined) {
    it.skip(NO_SERVER ?? "skipped: this server's log is another's", () => {});
    return;
  }
  const log = { logging_collector: "on", log_statement: "all", log_line_prefix: "%a: " };
  const { server, admin, newSchema } = await openServer(log);
  const pooler = NO_POOLER === undefined ? await startPooler(server) : undefined;

  /** The statements in a while of a receiver that has nothing to do. */
  const statements = async (url: string) => {
    const inbox = postgresStore(url, { schema: newSchema() }, "idle");
    const receiver = createReceiver({ secret: SECRET, inbox: handleOf(inbox), log: keptLog().log });
    receiver.on("*", () => {});
    await receiver.start();
    onTestFinished(() => receiver.close());
    await delay(4000); // it has pruned nothing, and knows whether notifications arrive
    const lines = async () => {
      const { rows } = await admin.query("SELECT pg_read_file(pg_current_logfile()) AS text");
      return String(rows[0].text)
        .split("\n")
        .filter((line) => line.startsWith("hookporter idle: LOG:"));
    };
    const before = (await lines()).length;
    await delay(SECONDS * 1000);
    return (await lines()).slice(before);
  };

  it("asks hardly anything where notifications arrive", async () => {
    // with the pruning that begins now
    expect((await statements(server.url)).length).toBeLessThanOrEqual(5);
  });

  it.skipIf(pooler === undefined)("asks once a second behind a pooler", async () => {
    onTestFinished(() => pooler?.stop());
    expect((await statements(pooler?.url ?? "")).length).toBeLessThanOrEqual(SECONDS + 6);
  });
});
