import { describe, expect, it } from "vitest";
import { keep, numberedEntry, settlementOf } from "../../inbox/entries.ts";
import { inboxFolder } from "../inbox-folder.ts";

/** A folder with an inbox of dead letters, which is open, and a command in it. */
async function deadLetters(many: number) {
  const { cli, inbox } = await inboxFolder();
  for (let number = 0; number < many; number++) await keep(inbox, numberedEntry(number));
  const dead = { state: "dead", reason: "attempts_exhausted" } as const;
  for (const entry of await inbox.claim({ now: Date.now(), limit: many, leaseTime: 60_000 }))
    await inbox.settle(settlementOf(entry, dead), Date.now());
  const run = (line: string) => cli(`events ${line}`);
  const due = async () =>
    (await inbox.list({ states: ["waiting", "failing"] })).map(({ seq, runAt }) => [seq, runAt]);
  const paused = async () =>
    (await inbox.pauses?.())?.paused.map(({ scope, name }) => `${scope} ${name}`).sort();
  return { cli, inbox, run, due, paused };
}

describe("`events pause` and `events resume`", () => {
  it("pause several things, show them everywhere, and resume them one by one or all", async () => {
    const { cli, run, paused } = await deadLetters(1);
    const none = { code: 0, stdout: "", stderr: "nothing is paused\n" };
    expect(await run("pause")).toMatchObject(none);
    const { stdout } = await run("pause --kind payment.*,lead.created --target 3000 --all");
    expect(stdout).toMatch(/^everything has been paused for \S+ ms by .+\n/);
    expect(stdout).toContain("target http://127.0.0.1:3000/ has been paused");
    expect(await paused()).toEqual([
      "all ",
      "kind lead.created",
      "kind payment.*",
      "target http://127.0.0.1:3000/",
    ]);
    expect((await run("list")).stderr).toContain("kind payment.* has been paused");
    expect((await cli("doctor --json")).stdout).toContain("kind payment.* has been paused");
    expect((await run("resume --kind payment.*")).stdout).toMatch(
      /^kind payment\.\* runs again\neverything has been paused/,
    );
    const again = await run("resume --kind payment.*");
    expect(again.code).toBe(2);
    expect(again.stderr).toContain("expected kind payment.* to be paused");
    expect((await run("resume --all")).stdout.match(/runs again/g)).toHaveLength(3);
    expect(await paused()).toEqual([]);
  });

  it("refuse a retry that is not under way, and to resume nothing in particular", async () => {
    const { run } = await deadLetters(1);
    const { code, stderr } = await run("pause --retry 7");
    expect(code).toBe(2);
    expect(stderr).toContain("expected retry 7 to be under way");
    expect((await run("resume")).code).toBe(2);
  });
});

describe("`events retry` at a measured pace", () => {
  it("says what it would do, and does nothing; without a pace it retries the oldest at once", async () => {
    const { run, due } = await deadLetters(30);
    const { stdout } = await run("retry --state dead --rate 20/s --limit 20 --dry-run");
    expect(stdout).toBe("20 entries would be retried, #1 to #20 at 20 a second, which takes 1 s\n");
    expect((await run("retry --kind lead.created --rate 1")).stdout).toBe("0 to be retried now\n");
    expect(await due()).toEqual([]);
    const oldest = await run("retry --state dead --limit 20");
    expect(oldest.stdout).toBe("20 to be retried now, #1 to #20\n");
    expect(await due()).toHaveLength(20);
  });

  it("makes each entry due at its time, in order, more than fit into a step", async () => {
    const { inbox, run, due } = await deadLetters(1205);
    const { stdout, stderr } = await run("retry --state dead --rate 50/s");
    expect(stdout).toMatch(
      /^retry 1: 1205 entries, #1 to #1205 at 50 a second, which takes 24 s\n/,
    );
    expect(stderr).toContain("it stops if more than half of its latest entries fail again");
    const times = await due();
    const [, first = 0] = times[0] ?? [];
    expect(times).toEqual(times.map((_, n) => [n + 1, first + n * 20]));
    await inbox.pause?.({ scope: "retry", name: "1", since: 1, who: "ann" });
    expect((await run("pause")).stdout).toBe("retry 1 is paused, by ann: 1205 of 1205 left\n");
    expect((await run("resume --retry 1")).stdout).toMatch(
      /^retry 1 runs again\nretry 1 is under way: 1205 of 1205 left, the last due in 24 s\n$/,
    );
  });
});
