import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { openToRead } from "../../../../src/inbox/sqlite/client.ts";
import { copyBefore, copyInto } from "../../../../src/inbox/sqlite/file/copy-before.ts";
import { makeTables } from "../../../../src/inbox/sqlite/file/inbox-file.ts";
import { closing } from "../../../../src/inbox/sqlite/statements.ts";
import { tempFolder } from "../../../cli/fake-io.ts";
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
