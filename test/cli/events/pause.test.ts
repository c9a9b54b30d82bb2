import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { sqliteInbox } from "../../../src/inbox/sqlite.ts";
import { keep, numberedEntry, settlementOf } from "../../inbox/entries.ts";
import { runCli, tempFolder } from "../fake-io.ts";

/** A folder with an inbox of dead letters, which is open, and a command in it. */
async function deadLetters(many: number) {
  const cwd = tempFolder();
  const inbox = sqliteInbox(join(cwd, "a.db"));
  await inbox.open();
  onTestFinished(() => inbox.close());
  for (let number = 0; number < many; number++) await keep(inbox, numberedEntry(number));
  for (const entry of await inbox.claim({ now: Date.now(), limit: many, leaseTime: 60_000 }))
    await inbox.settle(
      settlementOf(entry, { state: "dead", reason: "attempts_exhausted" }),
      Date.now(),
    );
  const run = (...argv: string[]) => runCli(["events", ...argv, "--inbox", "a.db"], { cwd });
  const due = async () =>
    (await inbox.list({ states: ["waiting", "failing"] })).map(({ seq, runAt }) => [seq, runAt]);
  return { cwd, inbox, run, due };
}

describe("`events pause` and `events resume`", () => {
  it("pause several things, show them everywhere, and resume them one by one or all", async () => {
    const { cwd, inbox, run } = await deadLetters(1);
    expect(await run("pause")).toMatchObject({
      code: 0,
      stdout: "",
      stderr: "nothing is paused\n",
    });
    const paused = await run(
      "pause",
      "--kind",
      "payment.*,lead.created",
      "--target",
      "3000",
      "--all",
    );
    expect(paused.stdout).toMatch(/^everything has been paused for \S+ ms by .+\n/);
    expect(paused.stdout).toContain("target http://127.0.0.1:3000/ has been paused");
    expect(
      (await inbox.pauses?.())?.paused.map(({ scope, name }) => `${scope} ${name}`).sort(),
    ).toEqual(["all ", "kind lead.created", "kind payment.*", "target http://127.0.0.1:3000/"]);
    expect((await run("list")).stderr).toContain("kind payment.* has been paused");
    const doctor = await runCli(["doctor", "--inbox", "a.db", "--json"], { cwd });
    expect(doctor.stdout).toContain("kind payment.* has been paused");
    expect((await run("resume", "--kind", "payment.*")).stdout).toMatch(
      /^kind payment\.\* runs again\neverything has been paused/,
    );
    expect(await run("resume", "--kind", "payment.*")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("expected kind payment.* to be paused"),
    });
    expect((await run("resume", "--all")).stdout.match(/runs again/g)).toHaveLength(3);
    expect((await inbox.pauses?.())?.paused).toEqual([]);
  });

  it("refuse a retry that is not under way, and to resume nothing in particular", async () => {
    const { run } = await deadLetters(1);
    const pause = await run("pause", "--retry", "7");
    expect([pause.code, pause.stderr]).toEqual([
      2,
      expect.stringContaining("expected retry 7 to be under way"),
    ]);
    expect((await run("resume")).code).toBe(2);
  });
});

describe("`events retry` at a measured pace", () => {
  it("says what it would do, and does nothing", async () => {
    const { run, due } = await deadLetters(30);
    const { stdout } = await run(
      "retry",
      "--state",
      "dead",
      "--rate",
      "20/s",
      "--limit",
      "20",
      "--dry-run",
    );
    expect(stdout).toBe("20 entries would be retried, #1 to #20 at 20 a second, which takes 1 s\n");
    expect(await due()).toEqual([]);
    expect((await run("retry", "--kind", "lead.created", "--rate", "1")).stdout).toBe(
      "0 to be retried now\n",
    );
  });

  it("retries the oldest at once, without a pace", async () => {
    const { run, due } = await deadLetters(30);
    expect((await run("retry", "--state", "dead", "--limit", "20")).stdout).toBe(
      "20 to be retried now, #1 to #20\n",
    );
    expect(await due()).toHaveLength(20);
  });

  it("makes each entry due at its time, in order, more than fit into a step", async () => {
    const { inbox, run, due } = await deadLetters(1205);
    const { stdout, stderr } = await run("retry", "--state", "dead", "--rate", "50/s");
    expect(stdout).toMatch(
      /^retry 1: 1205 entries, #1 to #1205 at 50 a second, which takes 24 s\n/,
    );
    expect(stderr).toContain("it stops if more than half of its latest entries fail again");
    const times = await due();
    const [, first = 0] = times[0] ?? [];
    expect(times).toEqual(times.map((_, n) => [n + 1, first + n * 20]));
    await inbox.pause?.({ scope: "retry", name: "1", since: 1, who: "ann" });
    expect((await run("pause")).stdout).toBe("retry 1 is paused, by ann: 1205 of 1205 left\n");
    expect((await run("resume", "--retry", "1")).stdout).toMatch(
      /^retry 1 runs again\nretry 1 is under way: 1205 of 1205 left, the last due in 24 s\n$/,
    );
  });
});
