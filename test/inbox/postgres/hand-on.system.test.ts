import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, onTestFinished } from "vitest";
import { expectHandedOnOverKill } from "../../hand-on/over-kill.ts";
import { openServer } from "./schemas.ts";
import { NO_SERVER } from "./server.ts";

describe("handOn on PostgreSQL", async () => {
  if (NO_SERVER !== undefined) {
    it.skip(NO_SERVER, () => {});
    return;
  }
  const { server, newSchema, open } = await openServer();

  it("loses nothing if the process is killed while batches are on their way", {
    retry: 0,
  }, async () => {
    const folder = mkdtempSync(join(tmpdir(), "hookporter-hand-on-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const schema = newSchema();
    await expectHandedOnOverKill(`${server.url}?schema=${schema}`, folder, () => open(schema));
  });
});
