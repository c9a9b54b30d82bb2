import { statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { loadSqlite } from "../../../../src/inbox/sqlite/client.ts";
import { sizeOfFile } from "../../../../src/inbox/sqlite/file/file-vitals.ts";
import { makeTables } from "../../../../src/inbox/sqlite/file/inbox-file.ts";
import { tempFolder } from "../../../cli/fake-io.ts";
import { AT } from "../../entries.ts";

describe("the size of an inbox file", () => {
  it("has its log, and what is free on its disk", async () => {
    const path = join(tempFolder(), "inbox.db");
    makeTables(path, AT);
    const database = new (loadSqlite().DatabaseSync)(path);
    onTestFinished(() => database.close());
    database.exec("INSERT OR REPLACE INTO pruned VALUES ('service', 1)");
    const bytes = statSync(path).size;
    const logBytes = statSync(`${path}-wal`).size;
    expect(await sizeOfFile(path)).toEqual({
      bytes: bytes + logBytes,
      logBytes,
      freeBytes: expect.any(Number),
    });
    expect((await sizeOfFile(path)).freeBytes).toBeGreaterThan(1_000_000);
  });

  it("cannot be told where there is none, and the error names the inbox", async () => {
    const nowhere = join(tempFolder(), "none.db");
    await expect(sizeOfFile(nowhere)).rejects.toMatchObject({
      code: "inbox_unavailable",
      message: expect.stringContaining(nowhere),
    });
  });
});
