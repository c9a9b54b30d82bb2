import { describe, expect, it } from "vitest";
import { HookporterError } from "../../../src/entries/index.ts";
import {
  inboxError,
  isDamage,
  isDiskError,
  isFaultOfRow,
  isLocked,
  isLockingFailure,
} from "../../../src/inbox/sqlite/errors.ts";

const sqlite = (errcode: number) => Object.assign(new Error("as SQLite says it"), { errcode });

describe("an error of SQLite", () => {
  it.each([
    [5, "database is locked", "inbox_busy", /another process holds it locked/],
    [6, "database table is locked", "inbox_busy", /another connection holds it locked/],
    [
      8,
      "attempt to write a readonly database",
      "inbox_read_only",
      /make the file and its folder writable/,
    ],
    [10, "disk I/O error", "disk_error", /check the disk/],
    [
      11,
      "database disk image is malformed",
      "inbox_corrupt",
      /inbox check --inbox \/data\/inbox\.db`: the file is damaged, or its disk fails$/,
    ],
    [13, "database or disk is full", "disk_full", /free some disk space/],
    [14, "unable to open database file", "inbox_unavailable", /check the path and its permissions/],
    [15, "locking protocol", "inbox_busy", /on a local disk/],
    [26, "file is not a database", "inbox_corrupt", /choose another path.*docs\/recovery\.md/],
  ])("%i, by its code or as %j alone, is %s", (errcode, message, code, fix) => {
    for (const thrown of [sqlite(errcode), sqlite(errcode + 256 * 3), new Error(message)]) {
      const error = inboxError("/data/inbox.db", thrown);
      expect(error).toMatchObject({ code, cause: thrown });
      expect(error.message).toMatch(/^expected the inbox \/data\/inbox\.db to work, got "/);
      expect(error.message).toMatch(fix);
    }
  });

  it("that is not known is an inbox that is unavailable, with the error's own words", () => {
    const error = inboxError("/data/inbox.db", new Error("no such table: entry"));
    expect(error).toMatchObject({ code: "inbox_unavailable" });
    expect(error.message).toMatch(/got "no such table: entry": check the file and its disk$/);
    expect(inboxError("/data/inbox.db", undefined)).toMatchObject({ code: "inbox_unavailable" });
  });

  it("of the file system names what is not allowed, and one of ours stays as it is", () => {
    const denied = Object.assign(new Error("EACCES: permission denied"), { code: "EACCES" });
    expect(inboxError("/data/inbox.db", denied)).toMatchObject({
      code: "inbox_unavailable",
      cause: denied,
    });
    expect(inboxError("/data/inbox.db", denied).message).toMatch(
      /^expected to use the inbox \/data\/inbox\.db/,
    );
    const own = new HookporterError("inbox_newer", "newer");
    expect(inboxError("/data/inbox.db", own)).toBe(own);
  });
});

it("locks, damage, the disk and faults of a row are told apart", () => {
  const codes = [5, 6, 10, 11, 15, 19, 20, 26];
  const those = (is: (thrown: unknown) => boolean) => codes.filter((code) => is(sqlite(code)));
  expect(those(isLocked)).toEqual([5, 6, 15]);
  expect(those(isLockingFailure)).toEqual([15]);
  expect(those(isDamage)).toEqual([11, 26]);
  expect(those(isDiskError)).toEqual([10]);
  expect(those(isFaultOfRow)).toEqual([19, 20]);
  const busy = new HookporterError("inbox_busy", "busy");
  expect([isLocked(busy), isLocked(new HookporterError("closed", "closed"))]).toEqual([
    true,
    false,
  ]);
  const ofRow = new HookporterError("inbox_unavailable", "a row", { cause: sqlite(19) });
  expect([isFaultOfRow(ofRow), isFaultOfRow(busy)]).toEqual([true, false]);
  for (const nothing of [undefined, null, "text", new Error("other")]) {
    expect([isLocked(nothing), isDamage(nothing), isFaultOfRow(nothing)]).toEqual([
      false,
      false,
      false,
    ]);
  }
});
