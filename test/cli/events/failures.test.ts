import { renameSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { DEFAULT_INBOX } from "../../../src/cli/files/state-folder.ts";
import { fetchReceiver } from "../../../src/entries/fetch.ts";
import { createReceiver } from "../../../src/entries/index.ts";
import { sampleEvent, signedRequest } from "../../../src/entries/testing.ts";
import { keep, numberedEntry } from "../../inbox/entries.ts";
import { gate, SECRET } from "../../receiver/sample.ts";
import { runCli, tempFolder } from "../fake-io.ts";
import { cliIn, inboxFolder } from "../inbox-folder.ts";

/** An inbox with two dead letters of one cause, one of another, and an entry that waits. */
async function failed() {
  const { cwd, inbox, cli } = await inboxFolder();
  const dead = { state: "dead", kind: "lead.created" } as const;
  for (const [number, reason] of ["too_old", "too_old", "dropped", "empty_body"].entries())
    await keep(inbox, numberedEntry(number, number, { ...dead, reason }));
  await keep(inbox, numberedEntry(9));
  await inbox.close();
  const groups = async (flags = "") =>
    (await cli(`events list --group${flags} --json`)).records.map(({ entries, like }) => [
      entries,
      like,
    ]);
  return { cwd, cli, groups };
}

it("events list --group shows each error once, with the command that retries all that failed alike", async () => {
  const { cli } = await failed();
  const { stdout, stderr } = await cli("events list --group");
  const lines = stdout.trimEnd().split("\n");
  expect(lines).toHaveLength(6);
  expect(lines[1]).toMatch(
    /^ {2}2 events · 2 dead · lead\.created · since (?:\d+ \w+ )?\d\d:\d\d$/,
  );
  expect(lines[2]).toBe("  hookporter events retry --like 2");
  expect(stderr).toContain("2 errors in 3 entries");
  const { records } = await cli("events list --group --json");
  expect(records.filter(({ type }) => type === "failures")).toMatchObject([
    { entries: 2, failing: 0, dead: 2, kinds: ["lead.created"], like: 2 },
    { entries: 1, dead: 1, like: 4 },
  ]);
});

it("events list --group counts what is selected, and nothing else, and does not follow", async () => {
  const { groups, cli } = await failed();
  expect(await groups(" --kind payment.*")).toEqual([]);
  expect(await groups(" --kind lead.*")).toEqual(await groups());
  expect(await groups(" --state failing,handled")).toEqual([]);
  expect(await groups(" --source another")).toEqual([]);
  expect(await groups(" --like 4")).toEqual([[1, 4]]);
  expect(await groups(" --limit 1")).toEqual([[1, 4]]);
  expect(await cli("events list --group --follow")).toMatchObject({
    code: 2,
    stderr: "error: expected --group or --follow, got both: remove one\n",
  });
});

it.each([
  ["--like 1", { retried: 2 }],
  ["2 4 --like 1", { retried: 1 }],
  ["2 4 --like 1 --rate 5", { retried: 1 }],
  ["2 4 --like 1 --dry-run", { wouldRetry: 1 }],
])("events retry %s selects what failed alike, of what is named", async (flags, count) => {
  const { cli } = await failed();
  expect((await cli(`events retry ${flags} --json`)).records[0]).toMatchObject(count);
});

it("--like refuses an entry that did not fail", async () => {
  const { cli } = await failed();
  const list = await cli("events list --like 1 --json");
  expect(list.records.map(({ seq }) => seq)).toEqual([1, 2]);
  const wrong = await cli("events retry --like 5");
  expect(wrong.code).toBe(2);
  expect(wrong.stderr).toContain(
    "expected --like to name a failing entry or a dead letter, got #5, which is waiting",
  );
  expect((await cli("events drop --like 3")).stderr).toContain("#3, which is dropped");
});

it("suggested commands name the inbox that was typed, so that they can be copied", async () => {
  const { cwd, cli } = await failed();
  renameSync(join(cwd, DEFAULT_INBOX), join(cwd, "an inbox.db"));
  const typed = await runCli(["events", "list", "--group", "--inbox", "an inbox.db"], { cwd });
  expect(typed.stdout).toContain("hookporter events retry --like 2 --inbox 'an inbox.db'\n");
  const set = await cli("events list --group", { env: { HOOKPORTER_INBOX: "an inbox.db" } });
  expect(set.stdout).toContain("hookporter events retry --like 2\n");
});

it("--like takes an entry that runs again, or has been handled since, as it last failed", async () => {
  const cwd = tempFolder();
  const cli = cliIn(cwd);
  const held = gate();
  const seen = new Set<string>();
  const bookIn = (id: string) => {
    seen.add(id);
    throw new Error("the ledger is down");
  };
  const receiver = createReceiver({
    secret: SECRET,
    inbox: join(cwd, DEFAULT_INBOX),
    retry: { attempts: 2, delay: 1 },
    handlers: {
      "lead.created": ({ id }) => (seen.has(id) ? held.opened : bookIn(id)),
      "payment.overdue": ({ id }) => bookIn(id),
      "payment.received": () => {},
    },
  });
  await receiver.start();
  const receive = fetchReceiver(receiver);
  for (const kind of ["lead.created", "payment.overdue", "payment.received"] as const) {
    const signed = signedRequest(sampleEvent(kind), { secret: SECRET });
    await receive(new Request("http://127.0.0.1/webhooks", signed));
  }
  const alike = async () =>
    (await cli("events list --like 1 --json")).records.map(({ seq }) => seq);
  const counts = (expected: object) =>
    vi.waitFor(async () => expect(await receiver.inbox.count()).toMatchObject(expected));
  await counts({ handled: 1, running: 1, dead: 1 });
  expect(await alike()).toEqual([2]);
  held.open();
  await counts({ handled: 2, dead: 1 });
  await receiver.close();
  expect(await alike()).toEqual([2]);
  const retry = await cli("events retry --like 1 --json");
  expect(retry.records).toContainEqual(expect.objectContaining({ type: "retry", retried: 1 }));
  const never = await cli("events retry --like 3");
  expect(never).toMatchObject({ code: 2, stderr: expect.stringContaining("#3, which is handled") });
});
