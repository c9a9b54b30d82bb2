import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { createReceiver } from "../../../src/entries/index.ts";
import { deliveryOf, freshEnvelope, keptLog, SECRET } from "../../receiver/sample.ts";
import { NO_SERVER, startPostgres } from "./server.ts";

const CHILD = join(import.meta.dirname, "..", "..", "receiver", "children", "drains.js");

if (NO_SERVER !== undefined) it.skip(`draining an inbox on a server, ${NO_SERVER}`, () => {});
else {
  it("a process that only drained an inbox on a server ends by itself, with no connection left", async () => {
    const server = await startPostgres();
    onTestFinished(() => server.stop());
    const receiver = createReceiver({
      secret: SECRET,
      inbox: server.url,
      role: "receive",
      log: keptLog().log,
    });
    await receiver.start();
    const timestamp = new Date().toISOString();
    for (let number = 0; number < 20; number++) {
      await receiver.accept(deliveryOf(freshEnvelope({ timestamp }), undefined, Date.now()));
    }
    await receiver.close();
    const { stdout } = await promisify(execFile)(process.execPath, [CHILD, server.url], {
      timeout: 30_000,
    });
    const report = { handled: 20, dead: 0, received: 0, failing: 0, waiting: 0, returned: 0 };
    expect(JSON.parse(stdout)).toEqual({ report, isNextKnown: false, timers: [], resources: [] });
  }, 90_000);
}
