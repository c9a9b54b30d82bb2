import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { DEFAULT_INBOX } from "../../../src/cli/files/state-folder.ts";
import { sqliteInbox } from "../../../src/inbox/sqlite.ts";
import { AT, claimOne, keep, numberedEntry, settlementOf } from "../../inbox/entries.ts";
import { runCli, tempFolder } from "../fake-io.ts";
import { listening } from "../open-listen.ts";

it("entries can be listed, shown, retried and exported while listen runs", async () => {
  const { url, cwd, records } = await listening();
  await runCli(["trigger", "--all", "--url", url], { cwd });
  await vi.waitFor(() => expect(records("attempt")).toHaveLength(12));
  const list = await runCli(["events", "list", "--json", "--kind", "payment.*"], { cwd });
  expect(list.records).toMatchObject([
    { kind: "payment.received", state: "received" },
    { kind: "payment.overdue" },
  ]);
  const id = String(list.records[0]?.id);
  const show = await runCli(["events", "show", id.slice(0, 16)], { cwd });
  expect(show.stdout).toContain('"event":"payment.received"');
  expect((await runCli(["events", "show", "nope"], { cwd })).code).toBe(2);
  const retry = await runCli(["events", "retry", id, "--json"], { cwd });
  expect(retry.records).toMatchObject([{ ended: 1 }]);
  await vi.waitFor(() => expect(records("attempt")).toHaveLength(13), 5000);
  const exported = await runCli(["events", "export", "--to", "out", "--kind", "payment.*"], {
    cwd,
  });
  expect(exported.code).toBe(0);
  expect(readdirSync(join(cwd, "out"))).toHaveLength(2);
  expect((await runCli(["replay", "out", "--exact", "--url", url], { cwd })).code).toBe(0);
  expect((await runCli(["replay", id, "--url", url], { cwd })).code).toBe(0);
});

it("commands that only read leave no state behind", async () => {
  const cwd = tempFolder();
  await runCli(["events", "list"], { cwd });
  expect(existsSync(join(cwd, ".hookporter"))).toBe(false);
});

it("on a terminal of 80 columns, each entry of a list takes one line", async () => {
  const { url, cwd, records } = await listening();
  await runCli(["trigger", "deal.status_changed", "--duplicate", "3", "--url", url], { cwd });
  await runCli(["trigger", "property.created", "--set", "data.rooms=two", "--url", url], { cwd });
  await vi.waitFor(() => expect(records("delivery")).toHaveLength(4));
  const piped = await runCli(["events", "list"], { cwd });
  expect(piped.stdout).toMatch(
    /received {3}deal\.status_changed {3}evt_1_\w{40} {2}no_handler, 2 duplicates\n/,
  );
  const shown = await runCli(["events", "list", "--no-color"], { cwd, isTTY: { stdout: true } });
  const lines = shown.stdout.trimEnd().split("\n");
  expect(lines).toHaveLength(2);
  expect(lines[0]).toMatch(
    /^ {3}#1 +\d\S* m?s ago {2}received {3}deal\.status_changed {3}evt_1_\w{6} {2}no_handler/,
  );
  expect(lines[1]).toMatch(/evt_1_\w{6} {2}invalid_data:.*…$/);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
});

it("a list ends with a word about signatures that match no secret, if nothing was accepted since", async () => {
  const { url, cwd, records } = await listening();
  const last = async () => (await runCli(["events", "list"], { cwd })).stderr;
  await runCli(["trigger", "payment.received", "--url", url], { cwd });
  await vi.waitFor(() => expect(records("delivery")).toHaveLength(1));
  expect(await last()).not.toContain("refused");
  const inbox = sqliteInbox(join(cwd, DEFAULT_INBOX));
  await inbox.open({ access: "change" });
  const at = Date.now();
  await inbox.recordSender?.({ source: "service", days: [], authentic: { first: at, last: at } });
  const mismatches = { count: 1305, bodies: 3, from: at + 1, to: at + 2 };
  await inbox.recordSender?.({ source: "service", days: [], mismatches });
  await inbox.close();
  expect(await last()).toMatch(
    /1 305 refused since \d\d:\d\d, none accepted since \d\d:\d\d: was the secret changed\?\n1 shown/,
  );
});

it("on a terminal `events show` breaks between words, and prints an error of several attempts once", async () => {
  const cwd = tempFolder();
  const inbox = sqliteInbox(join(cwd, "inbox.db"));
  await inbox.open();
  await keep(inbox, numberedEntry(1));
  const stack = `TypeError: no\n    at ${"handler (file.ts:1:1) ".repeat(8)}`;
  const failure = { name: "TypeError", at: "file.ts:1:1", stack };
  const error = `${"a long error ".repeat(9)}end`;
  for (const attempt of [1, 2, 3]) {
    const records = [
      {
        attempt,
        handler: "*",
        startedAt: AT,
        duration: 1,
        outcome: "error",
        error,
        failure,
        note: null,
      },
    ] as const;
    const claimed = await claimOne(inbox);
    await inbox.settle(settlementOf(claimed, { state: "failing", runAt: AT, records }), AT);
  }
  await inbox.close();
  const args = ["events", "show", "1", "--no-color", "--inbox", join(cwd, "inbox.db")];
  const { stdout } = await runCli(args, { cwd, isTTY: { stdout: true } });
  const lines = stdout.split("\n");
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  expect(stdout.match(/a long error/g)).toHaveLength(9);
  expect(
    lines.filter((line) => line.endsWith("as attempt 1") || line.endsWith("as attempt 2")),
  ).toHaveLength(2);
  const piped = await runCli(args, { cwd });
  expect(piped.stdout).toContain(error);
});
