import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { run as runMain } from "../../../src/cli/main.ts";
import { FAILURE_PAUSE } from "../../../src/cli/send/send-all.ts";
import { openTarget } from "../../relay/sample.ts";
import { fakeIo, runCli } from "../fake-io.ts";
import { awayTarget, startReceiving, type TargetReply } from "../fake-target.ts";
import { folderWith } from "../folder-with.ts";
import { listening } from "../open-listen.ts";
import { env, envelope, sendingTo } from "./sending.ts";

/**
 * A folder with envelopes `00.json` to `<count - 1>.json` that differ in their timestamps alone.
 */
function folderOf(count: number) {
  const files = Array.from({ length: count }, (_, at) => [
    `fx/${String(at).padStart(2, "0")}.json`,
    envelope({ timestamp: new Date(Date.UTC(2026, 0, 1) + at).toISOString() }),
  ]);
  return folderWith(Object.fromEntries(files));
}

/** Sends envelopes of a folder to a target that gives these answers. */
async function sending(count: number, ...replies: readonly TargetReply[]) {
  const target = await startReceiving(...replies);
  return { target, ...sendingTo(target, folderOf(count)) };
}

const timestamps = (bodies: readonly string[]) =>
  bodies.map((body) => Date.parse(JSON.parse(body).timestamp));
const rises = (values: readonly number[]) =>
  values.every((value, at) => at === 0 || value > (values[at - 1] ?? 0));

describe("events of their own", () => {
  it("timestamps rise within a run and across runs of trigger and replay in a folder", async () => {
    const { target, run } = await sending(5);
    const trigger = "trigger payment.received --count 300 --data {}";
    for (const line of [trigger, "replay fx", trigger])
      expect(await run(line)).toMatchObject({ code: 0 });
    const got = timestamps(target.bodies());
    expect(got).toHaveLength(605);
    expect(rises(got)).toBe(true);
  });

  it("runs at the same time never send the same timestamp", async () => {
    const { target, run } = await sending(0);
    const line = "trigger payment.received --count 200 --data {}";
    await Promise.all(Array.from({ length: 4 }, () => run(line)));
    expect(new Set(target.bodies()).size).toBe(800);
  });
});

describe("a run that is stopped", () => {
  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("%s ends replay with %i, and --resume sends only the rest", async (signal, code) => {
    const body = '{"received":true,"id":"evt_1","duplicate":false}';
    const { target, cwd, run, start } = await sending(12, { status: 200, body });
    writeFileSync(join(cwd, "fx", "bad.json"), "{bad"); // is skipped, and does not hide the stop
    const stopped = start("replay fx --rate 10 --json");
    await vi.waitFor(() => expect(target.got.length).toBeGreaterThan(3));
    stopped.signal(signal);
    const { code: got, stderr, records } = await stopped.finished;
    const sent = target.got.length;
    expect(got).toBe(code);
    expect(stderr).toContain(`stopped by ${signal}: ${sent} of 12 sent\n`);
    expect(stderr).toContain(
      `run it again with --resume to send only the ${12 - sent} that are left\n`,
    );
    const counts = { total: 12, sent, ok: sent, new: sent, duplicates: 0 };
    expect(records.at(-1)).toMatchObject({ type: "interrupted", exitCode: code, ...counts });

    const rest = await run("replay fx --resume");
    expect(rest.code).toBe(1);
    expect(rest.stderr).toContain(`${sent} of 12 were sent before; ${12 - sent} are left\n`);
    expect(target.got).toHaveLength(12);
    expect(rises(timestamps(target.bodies()))).toBe(true);
    const none = await run("replay fx --resume");
    expect(none.stderr).toContain("12 of 12 were sent before; 0 are left\n");
    expect(target.got).toHaveLength(12);
  });

  it("what was refused or changed since is not counted as sent, also if settings turn flags off", async () => {
    const { target, cwd, run } = await sending(3, 200, 500, 200);
    const off = { env: { ...env, HOOKPORTER_DRY_RUN: "false", HOOKPORTER_NO_SIGNATURE: "0" } };
    const first = await run("replay fx", off);
    expect(first).toMatchObject({ code: 1 });
    expect(first.stderr).toContain("3 sent, 2 answered 2xx, 1 not answered 2xx\n");
    expect(first.stderr).toContain(
      "run it again with --resume to send only the one that is left\n",
    );
    writeFileSync(join(cwd, "fx", "00.json"), JSON.stringify(envelope({ data: {} })));
    const rest = await run("replay fx --resume", off);
    expect(rest.stderr).toContain("1 of 3 were sent before; 2 are left\n");
    expect(target.got).toHaveLength(5);
  });

  it("the record holds no bodies, only its owner can read it, and --resume needs a whole one of the same target", async () => {
    const { target, cwd, run } = await sending(2);
    const none = await run("replay fx --resume");
    expect(none).toMatchObject({ code: 2 });
    expect(none.stderr).toContain("--resume: expected an earlier replay of the same arguments");
    const url = `${target.url}?token=hunter2`;
    const secret = sendingTo({ url }, cwd);
    await secret.run("replay fx");
    const state = join(cwd, ".hookporter");
    const [name = ""] = readdirSync(state).filter((text) => text.startsWith("replay-"));
    expect(name).toMatch(/^replay-[0-9a-f]{12}\.json$/);
    const text = readFileSync(join(state, name), "utf8");
    expect(text).not.toMatch(/pay_1|payment|hunter2/);
    expect(JSON.parse(text)).toMatchObject({
      version: 1,
      what: ["fx"],
      sent: [expect.any(String), expect.any(String)],
    });
    expect(await run("replay fx --resume")).toMatchObject({ code: 2 });
    // what another version wrote, and what is damaged
    const others = [
      '{"version":2,"sent":[]}',
      '{"version":1}',
      '{"version":1,"sent":[1]}',
      "[]",
      "{",
    ];
    for (const other of others) {
      writeFileSync(join(state, name), other);
      expect(await secret.run("replay fx --resume"), other).toMatchObject({ code: 2 });
    }
    expect(target.got).toHaveLength(2);
  });

  it("a target that never answers is not waited for, and a second signal ends the process at once", async () => {
    const { got, url } = await startReceiving("never");
    const { io, signal, stdout, stderr } = fakeIo({ env });
    const exit = vi.fn();
    const argv = ["trigger", "lead.created", "--count", "3", "--url", url];
    const finished = runMain(argv, { ...io, exit });
    await vi.waitFor(() => expect(got).toHaveLength(1));
    signal("SIGINT");
    expect(exit).not.toHaveBeenCalled();
    signal("SIGTERM");
    expect(exit).toHaveBeenCalledExactlyOnceWith(143);
    expect(stderr()).toContain("stopped at once by SIGTERM: 0 of 3 sent\n");
    expect(stderr()).toContain("--count 3 sends the rest\n");
    // what was cut off is no failure
    expect([await finished, stdout(), got.length]).toEqual([130, "", 1]);
  });
});

describe("faults among many", () => {
  it("a broken file is skipped, with exit code 1; --fail-fast sends nothing", async () => {
    const { target, cwd, run } = await sending(2);
    writeFileSync(join(cwd, "fx", "01b.json"), "{bad");
    const { code, stderr, records } = await run("replay fx --json");
    expect(code).toBe(1);
    expect(stderr).toContain(
      "skipped: 01b.json: expected a saved delivery or an envelope, got what looks like text that is no JSON",
    );
    expect(records[0]).toMatchObject({ type: "passed_over", code: "fixture_invalid" });
    expect(await run("replay fx --fail-fast")).toMatchObject({ code: 2 });
    expect(target.got).toHaveLength(2);
  });

  it.each([
    ["HOOKPORTER_MAX_FAILURES=3", 3],
    ["--fail-fast", 1],
  ])(
    "a target that is away is given up with %s after %i, with exit code 5",
    async (flag, tries) => {
      const { run } = sendingTo(await awayTarget(), folderOf(9));
      const { code, records, said } = await run(`replay fx ${flag} --json`);
      expect(code).toBe(5);
      const answers = records.filter(({ type }) => type === "answer");
      expect(answers).toHaveLength(tries);
      expect(answers[0]).toMatchObject({ status: null, ok: false });
      expect(said).toContain(
        "(0 of 9 sent: run it again with --resume to send only the 9 that are left)",
      );
    },
  );

  it("one that comes back between is sent the rest, 200 ms after a delivery without an answer", async () => {
    const at: number[] = [];
    const target = await openTarget((response) => {
      response.shouldKeepAlive = false; // a kept-alive connection that was closed is tried twice
      if (at.push(performance.now()) % 2 === 1) response.destroy();
      else response.end("{}");
    });
    const { run } = sendingTo(target, folderOf(6));
    const { code, stderr } = await run("replay fx HOOKPORTER_MAX_FAILURES=2");
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining("3 sent, 3 answered 2xx, 3 without an answer\n"),
    ]);
    const [first = 0, second = 0] = at;
    expect(second - first).toBeGreaterThanOrEqual(FAILURE_PAUSE);
  });

  it("--fail-fast stops at the first answer that is not 2xx", async () => {
    const { target, run } = await sending(5, 200, 500, 200);
    expect((await run("replay fx --fail-fast")).code).toBe(1);
    expect(target.got).toHaveLength(2);
  });
});

it("--concurrency sends several at a time, each once", async () => {
  const waiting: (() => void)[] = [];
  let most = 0;
  const target = await openTarget((response) => {
    waiting.push(() => response.end("{}"));
    most = Math.max(most, waiting.length);
    if (waiting.length === 4) for (const answer of waiting.splice(0)) answer();
  });
  const { run } = sendingTo(target, folderOf(12));
  const { stderr } = await run("replay fx HOOKPORTER_CONCURRENCY=4");
  expect(stderr).toContain("12 sent, 12 answered 2xx\n");
  expect(most).toBe(4);
});

it("replay sends what events export writes, from standard input and from a file", async () => {
  const { cwd, url } = await listening([], undefined, env);
  const { run } = sendingTo({ url }, cwd);
  await run("trigger --all");
  const { stdout } = await runCli(["events", "export"], { cwd });
  expect((await run("replay -", { stdin: stdout })).stderr).toContain("12 sent, 12 new\n");
  writeFileSync(join(cwd, "all.ndjson"), `${stdout.replaceAll("\n", "\r\n")}{bad\r\n`);
  const file = await run("replay all.ndjson --exact");
  expect(file).toMatchObject({ code: 1 });
  expect(file.stderr).toContain("skipped: all.ndjson, line 13: ");
  expect(file.stderr).toContain("12 sent, 0 new, 12 duplicates\n");
  expect(await run("replay - --secret-stdin", { stdin: stdout })).toMatchObject({ code: 2 });
});
