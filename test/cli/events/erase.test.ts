import { copyFileSync, existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { Writable } from "node:stream";
import { beforeEach, expect, it } from "vitest";
import { run } from "../../../src/cli/main.ts";
import type { Inbox } from "../../../src/inbox/inbox.ts";
import { backUp } from "../../../src/inbox/sqlite/care/backup.ts";
import { loadSqlite } from "../../../src/inbox/sqlite/client.ts";
import {
  AT,
  claimOne,
  keep,
  numberedEntry,
  sampleDelivery,
  settlementOf,
} from "../../inbox/entries.ts";
import { fakeIo, runCli } from "../fake-io.ts";
import { inboxFolder } from "../inbox-folder.ts";

let cwd: string;
let path: string;
let inbox: Inbox;

/** An inbox that a receiver has open. */
beforeEach(async () => {
  ({ cwd, path, inbox } = await inboxFolder("inbox.db"));
});

/** Adds a dead letter of a tenant, who is named in all that can be said of an entry. */
async function add(
  number: number,
  tenant: string,
  data = `{"tenant_id":"${tenant}"}`,
  into = inbox,
) {
  const body = Buffer.from(`{"event":"payment.received","data":${data}}`);
  const headers = { "x-tenant": tenant };
  const delivery = sampleDelivery({ body, target: `/?t=${tenant}`, headers });
  const orderKey = `order-${tenant}`;
  const { seq } = await keep(into, numberedEntry(number, 0, { delivery, orderKey }));
  const run = { attempt: 1, handler: `for ${tenant}`, startedAt: AT, duration: 1 };
  const failure = { name: "E", code: null, at: null, stack: tenant, causes: [] };
  const failed = { outcome: "error", error: `no ${tenant}`, note: `answer of ${tenant}`, failure };
  const records = [{ ...run, ...failed }];
  const problems = [{ path: "data", message: `got ${tenant}` }];
  const waits = [{ target: `http://${tenant}/`, since: AT, attempts: 1, nextAt: AT, over: "gone" }];
  const dead = { state: "dead", reason: "attempts_exhausted", records, problems, waits } as const;
  await into.settle(settlementOf(await claimOne(into, AT, 1e12), dead as never), AT);
  return seq;
}

const erase = (...argv: readonly string[]) =>
  runCli(["events", "erase", "--inbox", "inbox.db", ...argv], { cwd });
const of = (tenant: string) => ["--where", `data.tenant_id=${tenant}`];

/** How often a text is in a file, as `grep` finds it. */
function grep(text: string, file: string): number {
  return existsSync(file) ? readFileSync(file).toString("latin1").split(text).length - 1 : 0;
}

it("shows what it would erase, and erases nothing without --yes", async () => {
  for (const number of [1, 2, 3]) await add(number, number === 3 ? "other" : "tenant-42");
  const { code, stdout, stderr } = await erase(...of("tenant-42"));
  expect([code, stderr]).toEqual([0, "nothing was erased: pass --yes to erase them\n"]);
  expect(stdout).toContain("2 entries to erase: 2 dead\n");
  expect(stdout).toMatch(/#2 .*evt_2[\s\S]*#1 .*evt_1/);
  expect(await inbox.counts()).toMatchObject({ dead: 3, handled: 0 });
  const { records } = await erase(...of("tenant-42"), "--json");
  expect(records).toMatchObject([
    { type: "entry", seq: 2, id: "evt_2" },
    { type: "entry", seq: 1 },
    { type: "to_erase", entries: 2, states: { dead: 2 } },
  ]);
});

it("leaves nothing of them in the file and its log, while a receiver has it open, and gives a receipt", async () => {
  for (let number = 0; number < 60; number++) await add(number, `tenant-${number % 4}-`);
  expect(grep("tenant-1-", path) + grep("tenant-1-", `${path}-wal`)).toBeGreaterThan(100);
  const { code, records } = await erase(...of("tenant-1-"), "--yes", "--json");
  expect([grep("tenant-1-", path), grep("tenant-1-", `${path}-wal`)]).toEqual([0, 0]);
  expect(grep("tenant-2-", path)).toBeGreaterThan(100);
  const seqs = Array.from({ length: 15 }, (_, index) => index * 4 + 2);
  expect(code).toBe(0);
  expect(records.at(-1)).toMatchObject({
    erased: 15,
    filter: "--where 'data.tenant_id=tenant-1-'",
    first: 2,
    last: 58,
    erasedBefore: 0,
    unfinishedSince: null,
    backups: [],
  });
  const [first] = await inbox.list({ seqs });
  expect(first).toMatchObject({ state: "handled", reason: "erased" });
  expect(await inbox.append(numberedEntry(1))).toMatchObject({ seq: first?.seq, duplicate: true });
  expect((await erase(...of("tenant-1-"), "--yes")).stdout).toMatch(
    /^0 entries to erase\n0 entries erased now, at /,
  );
});

it("leaves what runs, and says so", async () => {
  await keep(inbox, numberedEntry(1));
  await claimOne(inbox);
  const { code, stdout, stderr } = await erase("--all", "--yes");
  expect([code, stdout]).toEqual([1, expect.stringContaining("0 entries erased now")]);
  expect(stderr).toContain("#1 must end first: run this again then");
});

it("names what began to run before it was erased, and leaves it", async () => {
  await keep(inbox, numberedEntry(1));
  await keep(inbox, numberedEntry(2));
  const { io, stderr } = fakeIo({ cwd });
  let shown = "";
  const stdout = new Writable({
    write(chunk, _, done) {
      shown += chunk;
      if (shown.startsWith("2 entries to erase") && !shown.includes("erased now")) begin();
      done();
    },
  });
  const begin = () => {
    const database = new (loadSqlite().DatabaseSync)(path);
    database.exec("UPDATE entry SET state = 'running', lease = 'x', attempts = 1 WHERE seq = 2");
    database.close();
  };
  const argv = ["events", "erase", "--inbox", "inbox.db", "--all", "--yes"];
  const code = await run(argv, { ...io, stdout });
  expect(await inbox.list({})).toMatchObject([{ reason: "erased" }, { state: "running" }]);
  expect(shown).toContain("\n1 entry erased now, at ");
  expect([code, stderr()]).toEqual([
    1,
    expect.stringMatching(/^#2 began to run meanwhile, and must end first/m),
  ]);
});

it("erases in rescued files and in copies from before a migration too, and names backups", async () => {
  await add(1, "tenant-42", `{"tenant_id":"tenant-42","text":"${"z".repeat(100_000)}"}`);
  await add(2, "other");
  const rescued = `${path}-rescued-20260101T000000Z`;
  const old = `${path}.schema-1`;
  const backup = join(cwd, "backup.db");
  backUp(path, backup);
  for (const file of [rescued, old]) copyFileSync(backup, file);
  const { stdout, stderr } = await erase(...of("tenant-42"), "--yes");
  for (const file of [rescued, old]) {
    expect(statSync(file).size).toBeLessThan(statSync(backup).size - 90_000);
    expect(stdout).toContain(`1 entry to erase in ${file}\n`);
    expect(stdout).toContain(`1 entry erased in ${file}\n`);
    expect(grep("tenant-42", file)).toBe(0);
    expect(grep("other", file)).toBeGreaterThan(2);
  }
  expect(stderr).toContain(`beside this inbox: ${backup}`);
  expect(grep("tenant-42", backup)).toBeGreaterThan(2);
  const { records } = await runCli(["events", "list", "--inbox", rescued, "--json"], { cwd });
  expect(records).toMatchObject([
    { id: "evt_1", reason: "erased" },
    { id: "evt_2", state: "dead" },
  ]);
  expect(readdirSync(cwd).filter((name) => /rescued.*-(?:wal|shm)/.test(name))).toEqual([]);
});

it("takes the number of an entry for that of this inbox, not of a copy, which has others", async () => {
  const rescued = `${path}-rescued-20260101T000000Z`;
  const other = await inboxFolder("inbox.db");
  await add(7, "seven", undefined, other.inbox);
  await add(8, "eight", undefined, other.inbox);
  backUp(other.path, rescued);
  const seq = await add(8, "eight");
  const { stdout } = await erase(String(seq), "--yes");
  expect(stdout).toContain(`1 entry erased in ${rescued}\n`);
  expect([grep("seven", rescued) > 0, grep("eight", rescued)]).toEqual([true, 0]);
});

it.each([
  [`{"tenant_id":9007199254740993}`, ["data.tenant_id=9007199254740993"], true],
  [`{"tenant_id":9007199254740993}`, ["data.tenant_id=9007199254740992"], false],
  [`{"tenant_id":"\\u0034\\u0032"}`, ["data.tenant_id=42"], true],
  [`{"tenants":[{"id":"a"},{"id":"b"}]}`, ["data.tenants.1.id=b"], true],
  [`{"tenant_id":"42","to":"a=b,c"}`, ["data.tenant_id=42", "data.to=a=b,c"], true],
  [`{"tenant_id":"42","to":"x"}`, ["data.tenant_id=42", "data.to=y"], false],
  [`{"tenant_id":{"id":"42"}}`, ["data.tenant_id=42"], false],
  ["not json 42", ["data=42"], false],
])("of an entry with %s, --where %j selects it: %s", async (data, conditions, expected) => {
  await add(1, "x", data);
  const { stdout } = await erase(...conditions.flatMap((condition) => ["--where", condition]));
  expect(stdout).toContain(`${expected ? "1 entry" : "0 entries"} to erase`);
});

it("says how many entries have no body any more that --where could be compared with", async () => {
  await add(1, "tenant-42");
  await keep(inbox, numberedEntry(2));
  await inbox.settle(settlementOf(await claimOne(inbox, AT, 1e12)), AT);
  await inbox.slim({ settledUntil: AT }, { limit: 10 });
  const { stderr } = await erase(...of("tenant-42"));
  expect(stderr).toContain(
    "1 other entry has no body any more to compare: select them by number or time",
  );
});

it("asks a person at a terminal", async () => {
  await add(1, "tenant-42");
  const terminal = {
    isTTY: { stdin: true, stdout: true, stderr: true },
    env: { TERM: "xterm" },
  };
  const ask = (stdin: string) =>
    runCli(["events", "erase", "1", "--inbox", "inbox.db"], { cwd, stdin, ...terminal });
  expect((await ask("n")).stderr).toContain("nothing was erased");
  expect((await ask("y")).stdout).toContain("1 entry erased now, at");
});

it.each(["", "--json", "--quiet", "--where data", "--state running", "99"])(
  "refuses %j, which names no entries to erase",
  async (flags) => {
    expect((await erase(...flags.split(" ").filter(Boolean), "--yes")).code).toBe(2);
  },
);
