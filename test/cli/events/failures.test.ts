import { renameSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { DEFAULT_INBOX } from "../../../src/cli/files/state-folder.ts";
import { fetchReceiver } from "../../../src/entries/fetch.ts";
import { createReceiver } from "../../../src/entries/index.ts";
import { sampleEvent, signedRequest } from "../../../src/entries/testing.ts";
import { sqliteInbox } from "../../../src/inbox/sqlite.ts";
import { keep, numberedEntry } from "../../inbox/entries.ts";
import { gate } from "../../receiver/sample.ts";
import { runCli, tempFolder } from "../fake-io.ts";

const SECRET = "a-secret-of-these-tests";
const URL = "http://127.0.0.1/webhooks";

/** An inbox with two dead letters of one cause, one of another, and an entry that waits. */
async function failed(): Promise<string> {
  const cwd = tempFolder();
  const inbox = sqliteInbox(join(cwd, DEFAULT_INBOX));
  await inbox.open();
  for (const [number, reason] of ["too_old", "too_old", "dropped", "empty_body"].entries())
    await keep(
      inbox,
      numberedEntry(number, number, { state: "dead", reason, kind: "lead.created" }),
    );
  await keep(inbox, numberedEntry(9));
  await inbox.close();
  return cwd;
}

it("events list --group shows each error once, with the command that retries all that failed alike", async () => {
  const cwd = await failed();
  const { stdout, stderr } = await runCli(["events", "list", "--group"], { cwd });
  const lines = stdout.trimEnd().split("\n");
  expect(lines).toHaveLength(6);
  expect(lines[1]).toMatch(
    /^ {2}2 events · 2 dead · lead\.created · since (?:\d+ \w+ )?\d\d:\d\d$/,
  );
  expect(lines[2]).toBe("  hookporter events retry --like 2");
  expect(stderr).toContain("2 errors in 3 entries");
  const { records } = await runCli(["events", "list", "--group", "--json"], { cwd });
  expect(records.filter(({ type }) => type === "failures")).toMatchObject([
    { entries: 2, failing: 0, dead: 2, kinds: ["lead.created"], like: 2 },
    { entries: 1, dead: 1, like: 4 },
  ]);
});

it("--like selects what failed alike, and refuses an entry that did not fail", async () => {
  const cwd = await failed();
  const list = await runCli(["events", "list", "--like", "1", "--json"], { cwd });
  expect(list.records.filter(({ type }) => type === "entry").map(({ seq }) => seq)).toEqual([1, 2]);
  const retry = await runCli(["events", "retry", "--like", "1", "--json"], { cwd });
  expect(retry.records).toContainEqual(expect.objectContaining({ type: "retry", retried: 2 }));
  const wrong = await runCli(["events", "retry", "--like", "5"], { cwd });
  expect(wrong).toMatchObject({ code: 2 });
  expect(wrong.stderr).toContain(
    "expected --like to name a failing entry or a dead letter, got #5, which is waiting",
  );
  expect((await runCli(["events", "drop", "--like", "3"], { cwd })).stderr).toContain(
    "#3, which is dropped",
  );
});

it.each([[[]], [["--dry-run"]], [["--rate", "5"]]])(
  "--like and a name select what both do (%j)",
  async (argv) => {
    const cwd = await failed();
    const { records } = await runCli(
      ["events", "retry", "2", "4", "--like", "1", ...argv, "--json"],
      {
        cwd,
      },
    );
    const [{ retried, wouldRetry } = {}] = records;
    expect(retried ?? wouldRetry).toBe(1);
  },
);

it("events list --group counts what is selected, and nothing else", async () => {
  const cwd = await failed();
  const groups = async (...argv: string[]) => {
    const { records } = await runCli(["events", "list", "--group", ...argv, "--json"], { cwd });
    return records.map(({ entries, like }) => [entries, like]);
  };
  expect(await groups("--kind", "payment.*")).toEqual([]);
  expect(await groups("--kind", "lead.*")).toEqual([
    [2, 2],
    [1, 4],
  ]);
  expect(await groups("--state", "failing,handled")).toEqual([]);
  expect(await groups("--source", "another")).toEqual([]);
  expect(await groups("--like", "4")).toEqual([[1, 4]]);
  expect(await groups("--limit", "1")).toEqual([[1, 4]]);
});

it("events list --group does not follow", async () => {
  const { code, stderr } = await runCli(["events", "list", "--group", "--follow"], {
    cwd: await failed(),
  });
  expect([code, stderr]).toEqual([
    2,
    "error: expected --group or --follow, got both: remove one\n",
  ]);
});

it("suggested commands name the inbox that was typed, so that they can be copied", async () => {
  const cwd = await failed();
  renameSync(join(cwd, DEFAULT_INBOX), join(cwd, "an inbox.db"));
  const typed = await runCli(["events", "list", "--group", "--inbox", "an inbox.db"], { cwd });
  expect(typed.stdout).toContain("hookporter events retry --like 2 --inbox 'an inbox.db'\n");
  const env = { HOOKPORTER_INBOX: "an inbox.db" };
  const set = await runCli(["events", "list", "--group"], { cwd, env });
  expect(set.stdout).toContain("hookporter events retry --like 2\n");
});

it("--like takes an entry that runs again, or has been handled since, as it last failed", async () => {
  const cwd = tempFolder();
  const held = gate();
  const failed = new Set<string>();
  const bookIn = (id: string) => {
    failed.add(id);
    throw new Error("the ledger is down");
  };
  const receiver = createReceiver({
    secret: SECRET,
    inbox: join(cwd, DEFAULT_INBOX),
    retry: { attempts: 2, delay: 1 },
    handlers: {
      "lead.created": ({ id }) => (failed.has(id) ? held.opened : bookIn(id)),
      "payment.overdue": ({ id }) => bookIn(id),
      "payment.received": () => {},
    },
  });
  await receiver.start();
  const receive = fetchReceiver(receiver);
  for (const kind of ["lead.created", "payment.overdue", "payment.received"] as const)
    await receive(new Request(URL, signedRequest(sampleEvent(kind), { secret: SECRET })));
  const alike = async () => {
    const { records } = await runCli(["events", "list", "--like", "1", "--json"], { cwd });
    return records.filter(({ type }) => type === "entry").map(({ seq }) => seq);
  };
  await vi.waitFor(async () =>
    expect(await receiver.inbox.count()).toMatchObject({ handled: 1, running: 1, dead: 1 }),
  );
  expect(await alike()).toEqual([2]);
  held.open();
  await vi.waitFor(async () =>
    expect(await receiver.inbox.count()).toMatchObject({ handled: 2, dead: 1 }),
  );
  await receiver.close();
  expect(await alike()).toEqual([2]);
  const retry = await runCli(["events", "retry", "--like", "1", "--json"], { cwd });
  expect(retry.records).toContainEqual(expect.objectContaining({ type: "retry", retried: 1 }));
  const never = await runCli(["events", "retry", "--like", "3"], { cwd });
  expect(never).toMatchObject({ code: 2, stderr: expect.stringContaining("#3, which is handled") });
});
