import { existsSync, mkdirSync, readdirSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { Inbox } from "../../../../src/inbox/inbox.ts";
import type { Runner } from "../../../../src/inbox/runner.ts";
import { loadSqlite } from "../../../../src/inbox/sqlite/client.ts";
import { isHeld, runnerLock } from "../../../../src/inbox/sqlite/processes/runner-lock.ts";
import { sqliteInbox } from "../../../../src/inbox/sqlite.ts";
import { tempFolder } from "../../../cli/fake-io.ts";
import { keptLog } from "../../../receiver/sample.ts";
import { AT, keep, sampleDelivery, sampleEntry } from "../../entries.ts";

const OWN: Runner = {
  id: "0a",
  version: "1.0.0",
  role: "both",
  sources: ["service"],
  kinds: ["lead.*"],
};
const MINUTE = 60_000;

let path: string;
let inbox: Inbox;
let log: ReturnType<typeof keptLog>;

beforeEach(async () => {
  path = join(tempFolder(), "inbox.db");
  inbox = sqliteInbox(path);
  log = keptLog();
  onTestFinished(async () => {
    vi.useRealTimers();
    await inbox.close();
  });
});

/** Reads rows without the inbox. */
function rows(sql: string): readonly object[] {
  const database = new (loadSqlite().DatabaseSync)(path);
  const found = database.prepare(sql).all();
  database.close();
  return found.map((row) => ({ ...row }));
}

const recorded = () => rows("SELECT id, version, role, sources, kinds FROM runner ORDER BY id");
const locks = () =>
  readdirSync(dirname(path)).filter((name) => name.startsWith(`${basename(path)}-holder-`));

/** Records another process, as if that had registered. */
function record(runner: string): void {
  rows(`INSERT INTO runner (id, since, version, role, sources, kinds)
    VALUES ('${runner}', 0, '1.0.0', 'both', '["service"]', '["*"]') RETURNING id`);
}

/** Leases an entry to another process for a minute. */
async function leaseTo(runner: string): Promise<void> {
  record(runner);
  await keep(inbox, sampleEntry({ delivery: sampleDelivery({ receivedAt: Date.now() }) }));
  const [entry] = await inbox.claim({ now: Date.now(), limit: 1, leaseTime: MINUTE, runner });
  expect(entry?.lease).toMatch(new RegExp(`^${runner}\\.`));
}

const leasedFor = async () => ((await inbox.list({}))[0]?.runAt ?? 0) - Date.now();

describe("an inbox file", () => {
  it("records a process and locks a file beside it until it is closed", async () => {
    await inbox.open();
    await inbox.register(OWN, AT);
    const row = { id: "0a", version: "1.0.0", role: "both", sources: '["service"]' };
    expect(recorded()).toEqual([{ ...row, kinds: '["lead.*"]' }]);
    expect(locks()).toEqual(["inbox.db-holder-0a"]);
    expect(statSync(`${path}-holder-0a`).mode & 0o777).toBe(0o600);
    expect(isHeld(path, "0a")).toBe(true);
    await inbox.register({ ...OWN, kinds: ["*"] }, AT);
    expect(recorded()).toEqual([{ ...row, kinds: '["*"]' }]);
    await inbox.close();
    expect(recorded()).toEqual([]);
    expect(locks()).toEqual([]);
  });

  it("knows the other processes that live, of those that are recorded", async () => {
    await inbox.open();
    await inbox.register(OWN, AT);
    const lock = runnerLock(path, "0b");
    onTestFinished(() => lock.release());
    for (const id of ["0b", "0c"]) record(id);
    expect((await inbox.runners?.())?.map(({ id }) => id)).toEqual(["0b"]);
  });

  it("in a folder that another program synchronises is warned of", async () => {
    const folder = join(dirname(path), "OneDrive - Contoso");
    inbox = sqliteInbox(join(folder, "inbox.db"));
    await inbox.open({ log: log.log });
    expect(log.lines.filter(({ level }) => level === "warn")).toEqual([]);
    await inbox.register(OWN, AT);
    const warnings = log.lines.filter(({ level }) => level === "warn");
    expect(warnings).toMatchObject([{ fields: { folder: "OneDrive - Contoso" } }]);
  });
});

describe("the leases of a process that is dead", () => {
  it("end as soon as another registers, which logs their number", async () => {
    await inbox.open({ log: log.log });
    await leaseTo("dead");
    writeFileSync(`${path}-holder-dead`, "");
    await inbox.register(OWN, AT);
    expect(await leasedFor()).toBeLessThanOrEqual(0);
    expect(log.lines.slice(1)).toMatchObject([{ level: "info", fields: { entries: 1 } }]);
    expect(recorded()).toMatchObject([{ id: "0a" }]);
    expect(locks()).toEqual(["inbox.db-holder-0a"]);
  });

  it("end while another runs, within a second", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    await inbox.open({ log: log.log });
    await inbox.register(OWN, AT);
    await leaseTo("dead");
    vi.advanceTimersByTime(1000);
    await vi.waitFor(async () => expect(await leasedFor()).toBeLessThanOrEqual(0));
    expect(recorded()).toMatchObject([{ id: "0a" }]);
  });

  it("are left to the processes that run entries by a command that only changes them", async () => {
    await inbox.open();
    await leaseTo("dead");
    await inbox.close();
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    await inbox.open({ access: "change" });
    vi.advanceTimersByTime(5000);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await leasedFor()).toBeGreaterThan(0);
    expect(recorded()).toMatchObject([{ id: "dead" }]);
  });
});

it("the leases of a process that holds its lock stay, and so does its record", async () => {
  await inbox.open({ log: log.log });
  const lock = runnerLock(path, "0b");
  onTestFinished(() => lock.release());
  await leaseTo("0b");
  await inbox.register(OWN, AT);
  expect(await leasedFor()).toBeGreaterThan(0);
  expect(recorded()).toMatchObject([{ id: "0a" }, { id: "0b" }]);
  expect(log.lines).toHaveLength(1);
});

it("lock files of dead processes that were never recorded are removed, and a held one is not", async () => {
  await inbox.open();
  const lock = runnerLock(path, "0b");
  onTestFinished(() => lock.release());
  writeFileSync(`${path}-holder-0c`, "");
  await inbox.register(OWN, AT);
  expect(locks()).toEqual(["inbox.db-holder-0a", "inbox.db-holder-0b"]);
});

it("a lock file that another program removes is made again, so that its process does not seem dead", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  await inbox.open();
  await inbox.register(OWN, AT);
  unlinkSync(`${path}-holder-0a`);
  vi.advanceTimersByTime(1000);
  await vi.waitFor(() => expect(existsSync(`${path}-holder-0a`)).toBe(true));
  expect(isHeld(path, "0a")).toBe(true);
});

it("a process that cannot lock a file beside an inbox says so once, is not recorded, and takes every other for a living one", async () => {
  await inbox.open({ log: log.log });
  await leaseTo("0b");
  writeFileSync(`${path}-holder-0d`, "");
  mkdirSync(`${path}-holder-0a`);
  for (const _ of [1, 2]) await inbox.register(OWN, AT);
  expect(log.lines.slice(1)).toMatchObject([
    { level: "warn", fields: { error: expect.stringContaining("open database file") } },
  ]);
  expect(recorded()).toMatchObject([{ id: "0b" }]);
  expect((await inbox.runners?.())?.map(({ id }) => id)).toContain("0b");
  expect(await leasedFor()).toBeGreaterThan(0);
  expect(locks()).toContain("inbox.db-holder-0d");
});
