import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  mergeCommand,
  rescuedBeside,
  rescuePath,
} from "../../../../src/inbox/sqlite/file/rescued-files.ts";
import { tempFolder } from "../../../cli/fake-io.ts";

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5, 678);

describe("the files that were rescued of an inbox", () => {
  it("are named after it and the second, and are told apart within one", () => {
    expect(rescuePath("/a/inbox.db", NOW)).toBe("/a/inbox.db-rescued-20260102T030405Z");
    expect([1, 2].map((again) => rescuePath("inbox.db", NOW, again))).toEqual([
      "inbox.db-rescued-20260102T030405Z-2",
      "inbox.db-rescued-20260102T030405Z-3",
    ]);
  });

  it("are found beside it, oldest first, without what only begins or ends like one", () => {
    const folder = tempFolder();
    const path = join(folder, "inbox.db");
    const rescued = [
      rescuePath(path, NOW),
      rescuePath(path, NOW, 11),
      rescuePath(path, NOW + 1000),
    ];
    const others = [
      `${rescued[0]}-wal`,
      `${path}-rescued-old-20260102T030405Z`,
      rescuePath(`${folder}/x`, NOW),
    ];
    for (const file of [...rescued, ...others].toReversed()) writeFileSync(file, "");
    mkdirSync(join(folder, "x-inbox.db-rescued-20260102T030405Z"));
    expect(rescuedBeside(path)).toEqual(rescued);
    expect(rescuedBeside(join(folder, "none", "inbox.db"))).toEqual([]);
  });

  it("have a path with spaces in quotes in what to run", () => {
    const command = mergeCommand("/my app/inbox.db-rescued-20260102T030405Z", "/my app/inbox.db");
    expect(command).toMatch(
      / "\/my app\/inbox\.db-rescued-20260102T030405Z" --into "\/my app\/inbox\.db"$/,
    );
    expect(mergeCommand("C:\\a\\b-rescued", "C:\\a\\b")).toMatch(
      / copy C:\\a\\b-rescued --into C:\\a\\b$/,
    );
  });
});
