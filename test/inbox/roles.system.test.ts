import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { sqliteInbox } from "../../src/inbox/sqlite.ts";
import { describeRoleProcesses } from "./role-processes.ts";

describeRoleProcesses("a file", () => {
  const folder = mkdtempSync(join(tmpdir(), "hookporter-shared-"));
  const path = join(folder, "inbox.db");
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const look = async () => {
    const inbox = sqliteInbox(path);
    await inbox.open({ access: "change" });
    onTestFinished(() => inbox.close());
    return inbox;
  };
  return { path, schema: "", look };
});
