import { copyFileSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { examineFile, examineSteps, findLock } from "../../../../src/inbox/sqlite/care/examine.ts";
import { makeTables } from "../../../../src/inbox/sqlite/file/inbox-file.ts";
import { SCHEMA_VERSION } from "../../../../src/inbox/sqlite/migrations.ts";
import { tempFolder } from "../../../cli/fake-io.ts";
import { AT } from "../../entries.ts";
import { changeFile, connect } from "../changed-file.ts";

let folder: string;
let path: string;

beforeEach(() => {
  folder = tempFolder();
  path = join(folder, "inbox.db");
  makeTables(path, AT);
});

/** A connection that stays open, so that the inbox has a log. */
function opened() {
  const database = connect(path);
  database.exec("INSERT OR REPLACE INTO pruned VALUES ('service', 1)");
  return database;
}

const change = (sql: string) => changeFile(path, sql);

let added = 0;

/** An entry in a state, as SQL. */
function entry(
  state: string,
  { runAt = AT, reason = null as string | null, attempts = 0, heldBack = 0 } = {},
) {
  added++;
  return `INSERT INTO entry (key_timestamp, event_id, source, state, reason, received_at, run_at, last_seen_at, attempts, held_back,
    body_hash, body_length) VALUES (1, 'evt_${added}', 's', '${state}', ${reason === null ? "NULL" : `'${reason}'`}, ${AT}, ${runAt}, ${AT},
    ${attempts}, ${heldBack}, '', 0);`;
}

const look = (now = AT) => examineFile(path, now, 1000);
const files = () => readdirSync(folder).sort();

describe("a look at an inbox file", () => {
  it("counts what waits, is due, fails and is dead, but not what was dropped or is held back", async () => {
    const waiting = [
      entry("waiting", { runAt: AT - 5000 }),
      entry("failing", { runAt: AT, attempts: 2 }),
      entry("waiting", { runAt: AT + 1 }),
      entry("running", { runAt: AT + 60_000, attempts: 1 }),
      entry("waiting", { runAt: AT - 9000, heldBack: 1 }),
    ];
    const ended = [
      entry("dead", { reason: "attempts_exhausted" }),
      entry("dead"),
      entry("dead", { reason: "dropped" }),
      entry("handled"),
    ];
    change([...waiting, ...ended].join(""));
    const due = { due: 2, oldestDue: AT - 5000 };
    expect(await look()).toMatchObject({ waiting: 4, failing: 1, dead: 2, problems: [], ...due });
    expect(await look(AT - 6000)).toMatchObject({ waiting: 4, due: 0, oldestDue: null });
  });

  it("tells its sizes and its schema first, and changes nothing, whether it is open or not", () => {
    const before = files();
    const steps = [...examineSteps(path, AT)];
    expect(steps.slice(0, 2)).toEqual([
      { bytes: statSync(path).size, logBytes: 0 },
      { schema: SCHEMA_VERSION, newestSchema: SCHEMA_VERSION },
    ]);
    expect(files()).toEqual(before);
    opened().exec(entry("waiting"));
    const log = readFileSync(`${path}-wal`);
    const found = Object.assign({}, ...examineSteps(path, AT));
    expect(found).toMatchObject({ logBytes: log.length, waiting: 1 });
    expect(readFileSync(`${path}-wal`).equals(log)).toBe(true);
  });
});

describe("the lock of an inbox file", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
  });

  it("that is held for a second is found, with the process that holds it", async () => {
    opened().exec("BEGIN IMMEDIATE");
    const found = findLock(path);
    vi.advanceTimersByTime(1001);
    expect(await found).toEqual({ pids: process.platform === "linux" ? [process.pid] : [] });
  });

  it("that is held for less than a second is none, and is free afterwards", async () => {
    const database = opened();
    database.exec("BEGIN IMMEDIATE");
    const found = findLock(path);
    vi.advanceTimersByTime(999);
    database.exec("COMMIT");
    expect(await found).toBeUndefined();
    database.exec("BEGIN IMMEDIATE; COMMIT");
  });

  it("is not looked for if nobody has the file open, and nothing is written beside it", async () => {
    const before = files();
    expect(await findLock(path)).toBeUndefined();
    expect(files()).toEqual(before);
  });

  it("is looked for without moving the log of a killed process into the file", async () => {
    opened();
    const killed = join(folder, "killed.db");
    for (const ending of ["", "-wal"]) copyFileSync(path + ending, killed + ending);
    const contents = () =>
      ["", "-wal"].map((ending) => readFileSync(killed + ending).toString("base64"));
    const before = contents();
    expect(await findLock(killed)).toBeUndefined();
    expect(contents()).toEqual(before);
  });
});
