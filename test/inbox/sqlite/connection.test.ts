import { renameSync, statSync } from "node:fs";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { Connection } from "../../../src/inbox/sqlite/connection.ts";
import { openFile } from "../../../src/inbox/sqlite/file/inbox-file.ts";
import { rescuedBeside } from "../../../src/inbox/sqlite/file/rescued-files.ts";
import type { Statements } from "../../../src/inbox/sqlite/statements.ts";
import type { Threading } from "../../../src/inbox/sqlite/thread/threaded-writer.ts";
import { keptLog } from "../../receiver/sample.ts";
import { numberedEntry } from "../entries.ts";
import { newPath } from "./opened.ts";

const IN_THIS_THREAD: Threading = {
  program: undefined,
  fromOperations: Number.POSITIVE_INFINITY,
  fromMilliseconds: Number.POSITIVE_INFINITY,
};

let path: string;
let connection: Connection;
let log: ReturnType<typeof keptLog>;

function connect(threading = IN_THIS_THREAD, rescues = true): void {
  const { database } = openFile(path, "own");
  const made = new Connection(path, database, threading, { log: log.log, rescues });
  onTestFinished(() => made.close().catch(() => {}));
  connection = made;
}

beforeEach(() => {
  path = newPath();
  log = keptLog();
  connect();
});

const append = (number: number) => connection.write("append", [numberedEntry(number)]);
const numbers = () =>
  connection.read((db) => db.all("SELECT seq FROM entry ORDER BY seq").map((row) => row.seq));

/** As SQLite reports what other programs' locks do, at once rather than after its own wait. */
function fails(errcode: number, statements: Statements = connection.statements) {
  const error = Object.assign(new Error("as SQLite says it"), {
    code: "ERR_SQLITE_ERROR",
    errcode,
  });
  return vi.spyOn(statements, "begin").mockImplementation(() => {
    throw error;
  });
}

const LOCKED = 5;
const PROTOCOL = 15;

describe("an inbox file that is found locked", () => {
  it("is opened again after five writes in a row, and not before", async () => {
    const first = connection.statements;
    fails(LOCKED);
    for (let number = 1; number <= 4; number++)
      await expect(append(number)).rejects.toMatchObject({ errcode: LOCKED });
    expect(connection.statements).toBe(first);
    await expect(append(5)).rejects.toMatchObject({ errcode: LOCKED });
    await vi.waitFor(() => expect(connection.statements).not.toBe(first));
    expect(await append(6)).toMatchObject({ seq: 1, duplicate: false });
  });

  it("is not opened again if a write between them could be committed", async () => {
    const first = connection.statements;
    for (let number = 1; number <= 8; number++) {
      const begin = number % 4 === 0 ? undefined : fails(LOCKED);
      await append(number).catch(() => {});
      begin?.mockRestore();
    }
    expect(connection.statements).toBe(first);
    expect(await numbers()).toHaveLength(2);
  });

  it("is opened again at once if SQLite gave up on a lock, and refuses writes meanwhile as busy", async () => {
    const first = connection.statements;
    fails(PROTOCOL);
    await expect(append(1)).rejects.toMatchObject({ errcode: PROTOCOL });
    await expect(append(2)).rejects.toMatchObject({ code: "inbox_busy" });
    await vi.waitFor(() => expect(connection.statements).not.toBe(first));
    expect(await append(3)).toMatchObject({ seq: 1 });
  });

  it("is opened again once it is back in place", async () => {
    await append(1);
    fails(PROTOCOL);
    const failed = append(2);
    const write = append(3).catch((thrown: unknown) => thrown);
    await expect(failed).rejects.toMatchObject({ errcode: PROTOCOL });
    await write;
    renameSync(path, `${path}.away`);
    await vi.waitFor(() =>
      expect(() => connection.statements).toThrow(/to stay in place while it is open/),
    );
    await expect(append(4)).rejects.toThrow(/to stay in place while it is open/);
    renameSync(`${path}.away`, path);
    await vi.waitFor(() => connection.statements);
    expect(await append(5)).toMatchObject({ duplicate: false });
    expect(await numbers()).toHaveLength(2);
  });

  it("is not opened again once it is closed", async () => {
    const statements = connection.statements;
    fails(PROTOCOL);
    const failed = append(1);
    const closed = connection.close();
    await expect(failed).rejects.toMatchObject({ errcode: PROTOCOL });
    await closed;
    expect(() => statements.get("SELECT 1")).toThrow();
  });
});

describe("a read", () => {
  it("that finds the file locked is tried again until the lock has ended", async () => {
    let tries = 0;
    const found = await connection.read(() => {
      if (++tries < 3) throw Object.assign(new Error("as SQLite says it"), { errcode: LOCKED });
      return "read";
    });
    expect([found, tries]).toEqual(["read", 3]);
  });

  it("gives up after two seconds", async () => {
    let tries = 0;
    const reading = connection.read(() => {
      tries++;
      throw Object.assign(new Error("as SQLite says it"), { errcode: LOCKED });
    });
    await expect(reading).rejects.toMatchObject({ errcode: LOCKED });
    expect(tries).toBe(41);
  });

  it("that fails for another reason is not tried again", async () => {
    let tries = 0;
    const reading = connection.read(() => {
      tries++;
      throw new Error("no such table");
    });
    await expect(reading).rejects.toThrow("no such table");
    expect(tries).toBe(1);
  });
});

describe("the log of an inbox file", () => {
  const logSize = () => statSync(`${path}-wal`).size;

  it("stays as it is if the file is gone, since it is the last copy", async () => {
    await append(1);
    renameSync(path, `${path}.away`);
    connection.tryCheckpoint();
    expect(() => connection.checkpointLog()).toThrow(/to stay in place/);
    expect(logSize()).toBeGreaterThan(0);
    renameSync(`${path}.away`, path);
  });
});

describe("an inbox file that was removed", () => {
  it("is not rescued by a command that only looked in", async () => {
    connect(IN_THIS_THREAD, false);
    renameSync(path, `${path}.away`);
    await expect(append(1)).rejects.toMatchObject({ code: "inbox_unavailable" });
    expect(connection.refusal).toBeUndefined();
    await connection.close();
    expect(rescuedBeside(path)).toEqual([]);
    renameSync(`${path}.away`, path);
  });
});
