import { existsSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Rescue } from "../../../../src/inbox/sqlite/care/rescue.ts";
import { loadSqlite, markAsInbox } from "../../../../src/inbox/sqlite/client.ts";
import { rescuedBeside } from "../../../../src/inbox/sqlite/file/rescued-files.ts";
import { createSchema } from "../../../../src/inbox/sqlite/migrations.ts";
import { sqliteInbox } from "../../../../src/inbox/sqlite.ts";
import { tempFolder } from "../../../cli/fake-io.ts";
import { keptLog } from "../../../receiver/sample.ts";
import { keep, numberedEntry } from "../../entries.ts";
import { using } from "../opened.ts";

/** A rescue of a file that a test removes and puts back, in a folder of its own. */
function newRescue() {
  const path = join(tempFolder(), "inbox.db");
  const state = { isMissing: false, copied: 0, wait: Promise.resolve(), fails: false };
  const { log, lines } = keptLog();
  const rescue = new Rescue(path, {
    missing: () => (state.isMissing ? `expected ${path} to stay` : undefined),
    bytes: () => 1000,
    copyInto: async (draft) => {
      await state.wait;
      if (state.fails) throw new Error("no space");
      state.copied++;
      rmSync(draft);
      const database = new (loadSqlite().DatabaseSync)(draft);
      markAsInbox(database);
      createSchema(database, 0);
      database.close();
    },
    log,
  });
  return { rescue, state, log, lines, path };
}

const complete = expect.objectContaining({
  code: "inbox_unavailable",
  message: expect.stringContaining("everything that it held is in"),
});

describe("a rescue", () => {
  it("writes the file once, and names it until the file is back", async () => {
    const { rescue, state, path, lines } = newRescue();
    expect(rescue.rescueIfMissing()).toBeUndefined();
    state.isMissing = true;
    expect(rescue.rescueIfMissing()).toMatchObject({
      code: "inbox_rescuing",
      message: expect.stringMatching(
        /^expected \S+ to stay: .*is being written to a file beside it; wait/,
      ),
    });
    await rescue.settled();
    expect(rescue.rescueIfMissing()).toEqual(complete);
    expect(rescue.error?.message).toContain(rescuedBeside(path)[0]);
    await rescue.settled();
    expect([state.copied, rescuedBeside(path)]).toEqual([
      1,
      [expect.stringMatching(/-rescued-\d{8}T\d{6}Z$/)],
    ]);
    state.isMissing = false;
    expect(rescue.rescueIfMissing()).toBeUndefined();
    expect(lines.at(-1)).toMatchObject({ message: `${path} is back in place` });
  });

  it("is made again if the file was back meanwhile, since more may have been kept", async () => {
    const { rescue, state, path } = newRescue();
    let resolve = () => {};
    const promise = new Promise<void>((done) => {
      resolve = done;
    });
    Object.assign(state, { isMissing: true, wait: promise });
    rescue.rescueIfMissing();
    state.isMissing = false;
    expect(rescue.rescueIfMissing()).toBeUndefined();
    state.isMissing = true;
    expect(rescue.rescueIfMissing()).toMatchObject({ code: "inbox_rescuing" });
    resolve();
    await rescue.settled();
    expect(rescue.error).toEqual(complete);
    expect([state.copied, rescuedBeside(path).length]).toEqual([2, 2]);
    expect(rescue.error?.message).toContain(rescuedBeside(path)[1]);
  });

  it("that fails is tried again after half a minute, and once more at the end", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const { rescue, state, path } = newRescue();
    Object.assign(state, { isMissing: true, fails: true });
    rescue.rescueIfMissing();
    await vi.waitFor(() =>
      expect(rescue.error?.message).toContain(
        "could not be written to a file beside it (no space)",
      ),
    );
    state.fails = false;
    rescue.rescueIfMissing();
    expect([state.copied, readdirSync(join(path, ".."))]).toEqual([0, []]);
    vi.advanceTimersByTime(30_001);
    expect(rescue.rescueIfMissing()).toMatchObject({ code: "inbox_rescuing" });
    await rescue.settled();
    expect(rescue.error).toEqual(complete);
    const { rescue: last, state: end } = newRescue();
    Object.assign(end, { isMissing: true, fails: true });
    last.rescueIfMissing();
    await vi.waitFor(() => expect(last.error?.message).toContain("no space"));
    end.fails = false;
    await last.settled();
    expect(last.error).toEqual(complete);
  });

  it("makes the folder again if that was removed too, for its owner alone", async () => {
    const { rescue, state, path } = newRescue();
    rmSync(join(path, ".."), { recursive: true });
    state.isMissing = true;
    await rescue.settled();
    expect(rescue.error).toEqual(complete);
    expect(rescuedBeside(path)).toHaveLength(1);
    if (process.platform !== "win32") expect(statSync(join(path, "..")).mode & 0o777).toBe(0o700);
  });

  it("leaves no file that is not intact, and says what is wrong with it", async () => {
    const { path, log } = newRescue();
    const rescue = new Rescue(path, {
      missing: () => "gone",
      bytes: () => 1000,
      log,
      copyInto: async (draft) => writeFileSync(draft, "notes ".repeat(1000)),
    });
    await rescue.settled();
    expect(rescue.error).toMatchObject({
      code: "inbox_unavailable",
      message: expect.stringMatching(
        /^gone, .*\(the new file is not intact: file is not a database\): .*do not kill/,
      ),
    });
    expect(readdirSync(join(path, ".."))).toEqual([]);
  });

  it("is not begun if the disk has no room for it", async () => {
    const { path, log } = newRescue();
    const rescue = new Rescue(path, {
      missing: () => "gone",
      bytes: () => Number.MAX_SAFE_INTEGER,
      log,
      copyInto: async () => expect.unreachable(),
    });
    await rescue.settled();
    expect(rescue.error?.message).toMatch(/\(\d+ bytes are needed, \d+ are free\)/);
  });
});

describe("an open inbox file", () => {
  it("that is removed is written out again, even without a thread, a write or a log", async () => {
    const path = join(tempFolder(), "inbox.db");
    const inbox = sqliteInbox(path, { program: undefined, fromOperations: 8, fromMilliseconds: 1 });
    await inbox.open();
    for (const number of [1, 2, 3]) await keep(inbox, numberedEntry(number));
    for (const file of [path, `${path}-wal`, `${path}-shm`]) rmSync(file);
    await vi.waitFor(() => expect(inbox.damage).toEqual(complete), 5000);
    await expect(inbox.append(numberedEntry(4))).rejects.toEqual(complete);
    expect((await inbox.list({})).length).toBe(3);
    await inbox.close();
    const [rescued = ""] = rescuedBeside(path);
    expect(statSync(rescued).mode & 0o777).toBe(0o600);
    expect(existsSync(path)).toBe(false);

    const { log, lines } = keptLog();
    const next = sqliteInbox(path);
    await next.open({ log });
    await next.close();
    expect(lines).toMatchObject([
      {
        level: "warn",
        fields: { rescued },
        message: expect.stringMatching(/made a new, empty inbox, but/),
      },
    ]);
    renameSync(rescued, path);
    await next.open();
    expect((await next.list({})).map(({ key }) => key.eventId)).toEqual([
      "evt_1",
      "evt_2",
      "evt_3",
    ]);
    await next.close();
  });

  it("that another program removed is not written out by a command that only looked in", async () => {
    const path = join(tempFolder(), "inbox.db");
    await using(path, (owner) => keep(owner, numberedEntry(1)));
    for (const access of ["read", "change"] as const) {
      const inbox = sqliteInbox(path);
      await inbox.open({ access });
      renameSync(path, `${path}.away`);
      await inbox.retry({}, 0).catch(() => {});
      await inbox.close();
      renameSync(`${path}.away`, path);
    }
    expect(rescuedBeside(path)).toEqual([]);
  });

  it("whose log is left alone is refused with the way to what was rescued, the newest of it", async () => {
    const path = join(tempFolder(), "inbox.db");
    writeFileSync(`${path}-wal`, "log");
    for (const day of [1, 3, 2]) writeFileSync(`${path}-rescued-2026010${day}T120000Z`, "");
    await expect(sqliteInbox(path).open()).rejects.toThrow(
      /since all of it was rescued, stop all programs that use it, move \S+-wal away and rename \S+-rescued-20260103T120000Z to \S+inbox\.db;/,
    );
  });
});
