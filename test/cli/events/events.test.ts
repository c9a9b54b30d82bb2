import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { AT, claimOne, keep, numberedEntry, settlementOf } from "../../inbox/entries.ts";
import { tempFolder } from "../fake-io.ts";
import { cliIn, inboxFolder } from "../inbox-folder.ts";
import { listening } from "../open-listen.ts";

/** A running `listen`, and command lines in its folder. */
async function listeningHere() {
  const { url, cwd, records } = await listening();
  const cli = cliIn(cwd);
  const trigger = (line: string) => cli(`trigger ${line} --url ${url}`);
  const until = (type: string, count: number) =>
    vi.waitFor(() => expect(records(type)).toHaveLength(count), 20_000);
  return { url, cwd, cli, trigger, until };
}

it("entries can be listed, shown, retried and exported while listen runs", async () => {
  const { url, cwd, cli, trigger, until } = await listeningHere();
  await trigger("--all");
  await until("attempt", 12);
  const { records } = await cli("events list --json --kind payment.*");
  expect(records).toMatchObject([
    { kind: "payment.received", state: "received" },
    { kind: "payment.overdue" },
  ]);
  const id = String(records[0]?.id);
  const show = await cli(`events show ${id.slice(0, 16)}`);
  expect(show.stdout).toContain('"event":"payment.received"');
  expect((await cli("events show nope")).code).toBe(2);
  expect((await cli(`events retry ${id} --json`)).records).toMatchObject([{ ended: 1 }]);
  await until("attempt", 13);
  expect((await cli("events export --to out --kind payment.*")).code).toBe(0);
  expect(readdirSync(join(cwd, "out"))).toHaveLength(2);
  expect((await cli(`replay out --exact --url ${url}`)).code).toBe(0);
  expect((await cli(`replay ${id} --url ${url}`)).code).toBe(0);
});

it("commands that only read leave no state behind", async () => {
  const cwd = tempFolder();
  await cliIn(cwd)("events list");
  expect(existsSync(join(cwd, ".hookporter"))).toBe(false);
});

it("on a terminal of 80 columns, each entry of a list takes one line", async () => {
  const { cli, trigger, until } = await listeningHere();
  await trigger("deal.status_changed --duplicate 3");
  await trigger("property.created --set data.rooms=two");
  await until("delivery", 4);
  expect((await cli("events list")).stdout).toMatch(
    /received {3}deal\.status_changed {3}evt_1_\w{40} {2}no_handler, 2 duplicates\n/,
  );
  const shown = await cli("events list --no-color", { isTTY: { stdout: true } });
  const lines = shown.stdout.trimEnd().split("\n");
  expect(lines).toHaveLength(2);
  expect(lines[0]).toMatch(
    /^ {3}#1 +\d\S* m?s ago {2}received {3}deal\.status_changed {3}evt_1_\w{6} {2}no_handler/,
  );
  expect(lines[1]).toMatch(/evt_1_\w{6} {2}invalid_data:.*…$/);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
});

it("a list ends with a word about signatures that match no secret, if nothing was accepted since", async () => {
  const { inbox, cli } = await inboxFolder();
  const at = Date.now();
  await inbox.recordSender?.({ source: "service", days: [], authentic: { first: at, last: at } });
  expect((await cli("events list")).stderr).not.toContain("refused");
  const mismatches = { count: 1305, bodies: 3, from: at + 1, to: at + 2 };
  await inbox.recordSender?.({ source: "service", days: [], mismatches });
  await keep(inbox, numberedEntry(1));
  expect((await cli("events list")).stderr).toMatch(
    /1 305 refused since \d\d:\d\d, none accepted since \d\d:\d\d: was the secret changed\?\n1 shown/,
  );
});

it("on a terminal `events show` breaks between words, and prints an error of several attempts once", async () => {
  const { inbox, cli } = await inboxFolder();
  await keep(inbox, numberedEntry(1));
  const stack = `TypeError: no\n    at ${"handler (file.ts:1:1) ".repeat(8)}`;
  const failure = { name: "TypeError", at: "file.ts:1:1", stack };
  const error = `${"a long error ".repeat(9)}end`;
  const run = { handler: "*", startedAt: AT, duration: 1, outcome: "error", note: null } as const;
  for (const attempt of [1, 2, 3]) {
    const records = [{ ...run, attempt, error, failure }];
    const failing = { state: "failing", runAt: AT, records } as const;
    await inbox.settle(settlementOf(await claimOne(inbox), failing), AT);
  }
  const { stdout } = await cli("events show 1 --no-color", { isTTY: { stdout: true } });
  const lines = stdout.split("\n");
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  expect(stdout.match(/a long error/g)).toHaveLength(9);
  expect(lines.filter((line) => /as attempt [12]$/.test(line))).toHaveLength(2);
  expect((await cli("events show 1")).stdout).toContain(error);
});
