import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { sqliteInbox } from "../../../src/inbox/sqlite.ts";
import { describeConcurrent } from "../concurrent-contract.ts";

// One machine has one clock, so there is no test of clocks that differ.
describeConcurrent("two connections to an inbox file", {
  openTwo: async () => {
    const folder = mkdtempSync(join(tmpdir(), "hookporter-concurrent-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, "inbox.db");
    const one = sqliteInbox(file);
    const two = sqliteInbox(file);
    for (const inbox of [one, two]) {
      await inbox.open();
      onTestFinished(() => inbox.close());
    }
    return [one, two];
  },
});
