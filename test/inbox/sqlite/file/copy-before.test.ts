import { existsSync, mkdirSync, readdirSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { openToRead } from "../../../../src/inbox/sqlite/client.ts";
import {
  COPIED,
  copyBefore,
  copyInto,
  reportMigrated,
} from "../../../../src/inbox/sqlite/file/copy-before.ts";
import { makeTables } from "../../../../src/inbox/sqlite/file/inbox-file.ts";
import { closing } from "../../../../src/inbox/sqlite/statements.ts";
import { tempFolder } from "../../../cli/fake-io.ts";
import { keptLog } from "../../../receiver/sample.ts";
import { AT } from "../../entries.ts";
import { changeFile, connect } from "../changed-file.ts";

let path: string;

beforeEach(() => {
  path = join(tempFolder(), "inbox.db");
  makeTables(path, AT);
});

/** Sets a date in the file, or in its log, which stays until the test ends. */
const date = (until: number) =>
  connect(path).exec(`INSERT OR REPLACE INTO pruned VALUES ('service', ${until})`);

const dateIn = (file: string) =>
  closing(
    openToRead(file),
    (statements) => statements.get("SELECT dated_until FROM pruned")?.dated_until,
  );

describe("the copy of an inbox file from before newer tables", () => {
  it("is named after its schema, has what is in the log too, and takes the place of an earlier one", () => {
    const copy = `${path}.schema-1`;
    for (const until of [5, 6]) {
      date(until);
      expect(copyBefore(path, 1)).toBe(copy);
      expect(dateIn(copy)).toBe(until);
    }
    if (process.platform !== "win32") expect(statSync(copy).mode & 0o777).toBe(0o600);
  });

  it("is made of a file of up to 128 MiB with its log, and of no larger one", () => {
    truncateSync(path, COPIED);
    expect(copyBefore(path, 1)).toBe(`${path}.schema-1`);
    writeFileSync(`${path}-wal`, "x");
    expect(copyBefore(path, 2)).toBeUndefined();
    expect(existsSync(`${path}.schema-2`)).toBe(false);
  });

  it("is none if it cannot be made, which is no reason not to start", () => {
    mkdirSync(`${path}.schema-1`);
    expect(copyBefore(path, 1)).toBeUndefined();
  });

  it("is told with the way back, which is a backup if there is no copy", () => {
    const { log, lines } = keptLog();
    reportMigrated(path, { from: 1, to: 2, copy: "the copy" }, log);
    reportMigrated(path, { from: 1, to: 2, copy: undefined }, log);
    reportMigrated(path, { from: 1, to: 2, copy: undefined }, undefined);
    expect(lines).toMatchObject([
      {
        level: "warn",
        fields: { inbox: path, from: 1, schema: 2, copy: "the copy" },
        message: expect.stringMatching(/put the copy in its place/),
      },
      {
        level: "warn",
        fields: { from: 1, schema: 2, copy: undefined },
        message: expect.stringMatching(/no copy was made.*restore a backup/),
      },
    ]);
  });
});

describe("a file that is copied", () => {
  it("is refused, with its name, if it is no inbox or a newer version made its tables", () => {
    const notes = join(path, "..", "notes.txt");
    const draft = join(path, "..", "draft");
    writeFileSync(notes, "notes ".repeat(1000));
    const refusal = (code: string, file: string) =>
      expect.objectContaining({ code, message: expect.stringContaining(file) });
    expect(() => copyInto(notes, draft)).toThrow(refusal("inbox_corrupt", notes));
    changeFile(path, "INSERT INTO migration VALUES (99, 0)");
    expect(() => copyInto(path, draft)).toThrow(refusal("inbox_newer", path));
    expect(readdirSync(join(path, ".."))).not.toContain("draft");
  });
});
