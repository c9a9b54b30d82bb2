import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { FAILURE_PAUSE } from "../../../src/cli/send/send-all.ts";
import { eventKinds } from "../../../src/entries/index.ts";
import { openTarget } from "../../relay/sample.ts";
import { runCli, startCli, tempFolder } from "../fake-io.ts";
import { startReceiving } from "../fake-target.ts";
import { listening } from "../open-listen.ts";

const env = { HOOKPORTER_SECRET: "a secret that is long enough" };

/**
 * A folder with envelopes `00.json` to `<count - 1>.json` that differ in their timestamps alone.
 */
function folderOf(count: number) {
  const cwd = tempFolder();
  mkdirSync(join(cwd, "fx"));
  for (let at = 0; at < count; at++) {
    const name = `${String(at).padStart(2, "0")}.json`;
    const timestamp = new Date(Date.UTC(2026, 0, 1) + at).toISOString();
    const envelope = {
      event: "payment.received",
      timestamp,
      data: { id: "same" },
      webhook: { id: "wh_1", url: "u" },
    };
    writeFileSync(join(cwd, "fx", name), JSON.stringify(envelope));
  }
  return cwd;
}

const timestamps = (bodies: readonly string[]) =>
  bodies.map((body) => Date.parse(JSON.parse(body).timestamp));
const rises = (values: readonly number[]) =>
  values.every((value, at) => at === 0 || value > (values[at - 1] ?? 0));

describe("events of their own", () => {
  it("replay of fixtures that differ in their timestamps alone makes as many new events", async () => {
    const cwd = folderOf(20);
    const own = await listening([], cwd);
    const first = await runCli(["replay", "fx", "--url", own.url], { cwd });
    expect(first.stderr).toContain("20 sent, 20 new\n");
    const again = await runCli(["replay", "fx", "--url", own.url, "HOOKPORTER_CONCURRENCY=8"], {
      cwd,
    });
    expect(again.stderr).toContain("20 sent, 20 new\n");
  });

  it("timestamps rise within a run and across runs of trigger and replay in a folder", async () => {
    const target = await startReceiving();
    const cwd = folderOf(5);
    for (const argv of [
      ["trigger", "payment.received", "--count", "300", "--data", "{}"],
      ["replay", "fx"],
      ["trigger", "payment.received", "--count", "300", "--data", "{}"],
    ])
      expect(await runCli([...argv, "--url", target.url], { cwd, env })).toMatchObject({ code: 0 });
    const got = timestamps(target.bodies());
    expect(got).toHaveLength(605);
    expect(rises(got)).toBe(true);
  });

  it("two runs at the same time never send the same timestamp", async () => {
    const target = await startReceiving();
    const cwd = tempFolder();
    const argv = [
      "trigger",
      "payment.received",
      "--count",
      "200",
      "--data",
      "{}",
      "--url",
      target.url,
    ];
    await Promise.all(Array.from({ length: 4 }, () => runCli(argv, { cwd, env })));
    expect(new Set(target.bodies()).size).toBe(800);
  });

  it("a last instant from a clock that was an hour ahead does not count", async () => {
    const target = await startReceiving();
    const cwd = tempFolder();
    mkdirSync(join(cwd, ".hookporter"), { mode: 0o700 });
    writeFileSync(join(cwd, ".hookporter", "last-instant"), `${Date.now() + 3_600_000}\n`);
    await runCli(["trigger", "lead.created", "--url", target.url], { cwd, env });
    expect(timestamps(target.bodies())[0]).toBeLessThanOrEqual(Date.now());
  });

  it("a lock that a killed process left behind does not stop a run", async () => {
    const target = await startReceiving();
    const cwd = tempFolder();
    mkdirSync(join(cwd, ".hookporter"), { mode: 0o700 });
    const lock = join(cwd, ".hookporter", "last-instant.lock");
    writeFileSync(lock, "");
    utimesSync(lock, 0, 0);
    const run = await runCli(["trigger", "lead.created", "--url", target.url], { cwd, env });
    expect(run.code).toBe(0);
  });

  it("each triggered event is about another resource, which a seed repeats", async () => {
    const ids = async (...flags: string[]) => {
      const target = await startReceiving();
      await runCli(["trigger", ...flags, "--url", target.url], { env });
      return target.bodies().map((body) => JSON.parse(body).data.id as string);
    };
    const random = await ids("payment.received", "--count", "50");
    expect(new Set(random).size).toBe(50);
    expect(random.every((id) => /^payment_sample_[0-9a-f]{12}$/.test(id))).toBe(true);
    const seeded = await ids("payment.received", "--count", "3", "--seed", "7");
    expect(await ids("payment.received", "--count", "3", "--seed", "7")).toEqual(seeded);
    expect(await ids("payment.received", "--count", "3", "--seed", "8")).not.toEqual(seeded);
    const [created, updated] = await ids("--all", "--seed", "7");
    expect(created).toBe(updated);
  });
});

describe("a run that is stopped", () => {
  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("%s ends replay with %i, and --resume sends only the rest", async (signal, code) => {
    const target = await startReceiving();
    const cwd = folderOf(12);
    const argv = ["replay", "fx", "--url", target.url];
    const run = startCli([...argv, "--rate", "50", "--json"], { cwd, env });
    await vi.waitFor(() => expect(target.got.length).toBeGreaterThan(3));
    run.signal(signal);
    const { code: got, stderr, records } = await run.finished;
    const sent = target.got.length;
    expect(got).toBe(code);
    expect(stderr).toContain(`stopped by ${signal}: ${sent} of 12 sent\n`);
    expect(stderr).toContain(
      `run it again with --resume to send only the ${12 - sent} that are left\n`,
    );
    expect(records.at(-1)).toMatchObject({
      type: "interrupted",
      exitCode: code,
      total: 12,
      sent,
      ok: sent,
    });

    const rest = await runCli([...argv, "--resume"], { cwd, env });
    expect(rest.code).toBe(0);
    expect(rest.stderr).toContain(`${sent} of 12 were sent before; ${12 - sent} are left\n`);
    expect(target.got).toHaveLength(12);
    expect(rises(timestamps(target.bodies()))).toBe(true);
    expect(await runCli([...argv, "--resume"], { cwd, env })).toMatchObject({ code: 0 });
    expect(target.got).toHaveLength(12);
  });

  it("settings that turn flags off do not make --resume send all again", async () => {
    const target = await startReceiving(200, 500, 200);
    const cwd = folderOf(3);
    const argv = ["replay", "fx", "--url", target.url];
    const off = { ...env, HOOKPORTER_DRY_RUN: "false", HOOKPORTER_NO_SIGNATURE: "0" };
    const first = await runCli(argv, { cwd, env: off });
    expect(first.stderr).toContain(
      "run it again with --resume to send only the one that is left\n",
    );
    const rest = await runCli([...argv, "--resume"], { cwd, env: off });
    expect(rest.stderr).toContain("2 of 3 were sent before; 1 are left\n");
    expect(target.got).toHaveLength(4);
  });

  it("what was refused or changed since is not counted as sent", async () => {
    const target = await startReceiving(200, 500, 200);
    const cwd = folderOf(3);
    const argv = ["replay", "fx", "--url", target.url];
    const first = await runCli(argv, { cwd, env });
    expect(first).toMatchObject({ code: 1 });
    expect(first.stderr).toContain("3 sent, 2 answered 2xx, 1 not answered 2xx\n");
    expect(first.stderr).toContain(
      "run it again with --resume to send only the one that is left\n",
    );
    writeFileSync(
      join(cwd, "fx", "00.json"),
      '{"event":"lead.created","timestamp":"2026-01-01T00:00:00Z"}',
    );
    await runCli([...argv, "--resume"], { cwd, env });
    expect(target.got).toHaveLength(5);
  });

  it("the record holds no bodies, and only its owner can read it", async () => {
    const target = await startReceiving();
    const cwd = folderOf(2);
    await runCli(["replay", "fx", "--url", `${target.url}?token=hunter2`], { cwd, env });
    const [name = ""] = readdirSync(join(cwd, ".hookporter")).filter((text) =>
      text.startsWith("replay-"),
    );
    expect(name).toMatch(/^replay-[0-9a-f]{12}\.json$/);
    const text = readFileSync(join(cwd, ".hookporter", name), "utf8");
    expect(text).not.toMatch(/same|payment|hunter2/);
    expect(JSON.parse(text)).toMatchObject({
      version: 1,
      what: ["fx"],
      sent: [expect.any(String), expect.any(String)],
    });
  });

  it("--resume without an earlier run, and with a damaged record, sends nothing", async () => {
    const target = await startReceiving();
    const cwd = folderOf(2);
    const argv = ["replay", "fx", "--url", target.url, "--resume"];
    const none = await runCli(argv, { cwd, env });
    expect(none).toMatchObject({ code: 2 });
    expect(none.stderr).toContain("--resume: expected an earlier replay of the same arguments");
    await runCli(argv.slice(0, -1), { cwd, env });
    const [name = ""] = readdirSync(join(cwd, ".hookporter")).filter((text) =>
      text.startsWith("replay-"),
    );
    writeFileSync(join(cwd, ".hookporter", name), '{"version":1,"sent":[1]}');
    expect(await runCli(argv, { cwd, env })).toMatchObject({ code: 2 });
    expect(target.got).toHaveLength(2);
  });

  it("--resume after a replay to another target sends nothing", async () => {
    const one = await startReceiving(200, 500);
    const other = await startReceiving();
    const cwd = folderOf(3);
    await runCli(["replay", "fx", "--url", one.url], { cwd, env });
    const run = await runCli(["replay", "fx", "--url", other.url, "--resume"], { cwd, env });
    expect(run).toMatchObject({ code: 2 });
    expect(other.got).toEqual([]);
  });

  it("a target that never answers is not waited for after Ctrl-C, and a second Ctrl-C ends at once", async () => {
    const target = await startReceiving("never");
    const run = startCli(["trigger", "lead.created", "--count", "3", "--url", target.url], { env });
    await vi.waitFor(() => expect(target.got).toHaveLength(1));
    run.signal("SIGINT");
    run.signal("SIGINT");
    expect(run.now().stderr).toContain("stopped at once by SIGINT: 0 of 3 sent\n");
    expect(run.now().stderr).toContain("--count 3 sends the rest\n");
    // what was cut off is no failure
    expect(await run.finished).toMatchObject({ code: 130, stdout: "" });
  });

  it("SIGINT ends replay --handlers after the handler that runs", async () => {
    const cwd = folderOf(3);
    writeFileSync(
      join(cwd, "h.mjs"),
      'export default { "payment.received": async () => { console.log("runs"); await new Promise((r) => setTimeout(r, 300)); } };',
    );
    const run = startCli(["replay", "fx", "--handlers", "h.mjs"], { cwd });
    await vi.waitFor(() => expect(run.now().stderr).toContain("runs"), 10_000);
    run.signal("SIGINT");
    const { code, stderr } = await run.finished;
    expect(code).toBe(130);
    expect(stderr).toContain("stopped by SIGINT: 1 of 3 replayed\n");
  });
});

describe("faults among many", () => {
  it("a broken file is skipped, with exit code 1; --fail-fast sends nothing", async () => {
    const target = await startReceiving();
    const cwd = folderOf(2);
    writeFileSync(join(cwd, "fx", "01b.json"), "{bad");
    const argv = ["replay", "fx", "--url", target.url, "--json"];
    const run = await runCli(argv, { cwd, env });
    expect(run.code).toBe(1);
    expect(run.stderr).toContain(
      "skipped: 01b.json: expected a saved delivery or an envelope, got what looks like text that is no JSON",
    );
    expect(run.records[0]).toMatchObject({ type: "passed_over", code: "fixture_invalid" });
    expect(target.got).toHaveLength(2);
    expect(await runCli([...argv, "--fail-fast"], { cwd, env })).toMatchObject({ code: 2 });
    expect(target.got).toHaveLength(2);
  });

  it("an envelope among deliveries is skipped by --exact", async () => {
    const own = await listening(["--save-dir", "saved"]);
    await runCli(["trigger", "lead.created", "--url", own.url], { cwd: own.cwd });
    writeFileSync(join(own.cwd, "saved", "a.json"), '{"event":"lead.created"}');
    const run = await runCli(["replay", "saved", "--exact", "--url", own.url], { cwd: own.cwd });
    expect(run).toMatchObject({
      code: 1,
      stdout: expect.stringContaining(" ms  duplicate  evt_1_"),
    });
    expect(run.stderr).toContain("skipped: a.json: expected a saved delivery, got an envelope");
  });

  it("a target that is away is given up after --max-failures in a row, with exit code 5", async () => {
    const away = await startReceiving();
    await away.close();
    const cwd = folderOf(9);
    const run = await runCli(
      ["replay", "fx", "--url", away.url, "HOOKPORTER_MAX_FAILURES=3", "--json"],
      {
        cwd,
        env,
      },
    );
    expect(run.code).toBe(5);
    expect(run.records.filter(({ type }) => type === "answer")).toHaveLength(3);
    expect(run.records[0]).toMatchObject({
      status: null,
      ok: false,
      error: expect.stringContaining("connection refused"),
    });
    expect(run.said).toContain(
      "(0 of 9 sent: run it again with --resume to send only the 9 that are left)",
    );
  });

  it("one that comes back is sent the rest", async () => {
    let seen = 0;
    const target = await openTarget((response) => {
      if (++seen === 2 || seen === 3)
        response.destroy(); // a kept-alive connection that was closed is tried twice
      else response.end("{}");
    });
    const cwd = folderOf(4);
    const run = await runCli(["replay", "fx", "--url", target.url.href, "--json"], { cwd, env });
    expect(run.code).toBe(1);
    expect(run.stderr).toContain("3 sent, 3 answered 2xx, 1 without an answer\n");
  });

  it("answers between deliveries that get none are not failures in a row", async () => {
    let seen = 0;
    const target = await openTarget((response) => {
      response.shouldKeepAlive = false; // a kept-alive connection that was closed is tried twice
      if (++seen % 2 === 1) response.destroy();
      else response.end("{}");
    });
    const cwd = folderOf(6);
    const argv = ["replay", "fx", "--url", target.url.href, "HOOKPORTER_MAX_FAILURES=2"];
    const run = await runCli(argv, { cwd, env });
    expect(run).toMatchObject({ code: 1 });
    expect(run.stderr).toContain("3 sent, 3 answered 2xx, 3 without an answer\n");
  });

  it("after a delivery without an answer, the next one waits 200 ms", async () => {
    const at: number[] = [];
    const target = await openTarget((response) => {
      at.push(performance.now());
      response.destroy();
    });
    const argv = ["replay", "fx", "--url", target.url.href, "HOOKPORTER_MAX_FAILURES=2"];
    await runCli(argv, { cwd: folderOf(2), env });
    const [first = 0, second = 0] = at;
    expect(second - first).toBeGreaterThanOrEqual(FAILURE_PAUSE);
  });

  it("--fail-fast stops at the first delivery without an answer", async () => {
    const away = await startReceiving();
    await away.close();
    const argv = ["replay", "fx", "--url", away.url, "--fail-fast", "--json"];
    const run = await runCli(argv, { cwd: folderOf(3), env });
    expect(run).toMatchObject({ code: 5 });
    expect(run.records.filter(({ type }) => type === "answer")).toHaveLength(1);
  });

  it("--fail-fast stops at the first answer that is not 2xx", async () => {
    const target = await startReceiving(200, 500, 200);
    const cwd = folderOf(5);
    const run = await runCli(["replay", "fx", "--url", target.url, "--fail-fast"], { cwd, env });
    expect(run.code).toBe(1);
    expect(target.got).toHaveLength(2);
  });
});

it("--concurrency sends several at a time, each once", async () => {
  const cwd = folderOf(12);
  const waiting: (() => void)[] = [];
  let most = 0;
  const target = await openTarget((response) => {
    waiting.push(() => response.end("{}"));
    most = Math.max(most, waiting.length);
    if (waiting.length === 4) for (const answer of waiting.splice(0)) answer();
  });
  const run = await runCli(["replay", "fx", "--url", target.url.href, "HOOKPORTER_CONCURRENCY=4"], {
    cwd,
    env,
  });
  expect(run.stderr).toContain("12 sent, 12 answered 2xx\n");
  expect(most).toBe(4);
});

it("replay sends what events export writes, from standard input and from a file", async () => {
  const own = await listening();
  const { cwd, url } = own;
  await runCli(["trigger", "--all", "--url", url], { cwd });
  const { stdout } = await runCli(["events", "export"], { cwd });
  const piped = await runCli(["replay", "-", "--url", url], { cwd, stdin: stdout });
  expect(piped.stderr).toContain("12 sent, 12 new\n");
  writeFileSync(join(cwd, "all.ndjson"), `${stdout.replaceAll("\n", "\r\n")}{bad\r\n`);
  const file = await runCli(["replay", "all.ndjson", "--exact", "--url", url], { cwd });
  expect(file).toMatchObject({ code: 1 });
  expect(file.stderr).toContain("skipped: all.ndjson, line 13: ");
  expect(file.stderr).toContain("12 sent, 0 new, 12 duplicates\n");
  const both = await runCli(["replay", "-", "--secret-stdin", "--url", url], {
    cwd,
    stdin: stdout,
  });
  expect(both).toMatchObject({ code: 2 });
});

it("a run of several at a time ends whole if one cannot be made", async () => {
  const target = await startReceiving();
  const argv = [
    "trigger",
    "lead.created",
    "--count",
    "50",
    "HOOKPORTER_CONCURRENCY=4",
    "--set",
    "data.id.a=1",
  ];
  const run = await runCli([...argv, "--url", target.url], { env });
  expect(run).toMatchObject({ code: 2 });
  expect(target.got).toHaveLength(0);
});

it("a family sends one event of each of its kinds", async () => {
  const family = eventKinds.filter((kind) => kind.startsWith("payment."));
  const sent = await runCli(["trigger", "payment.*", "--dry-run", "--json"], { env });
  expect(sent.code).toBe(0);
  const told = family.filter((kind) => sent.stdout.includes(`"${kind}"`));
  expect(told).toEqual(family);
  const unknown = await runCli(["trigger", "nothing.*", "--dry-run"], { env });
  expect(unknown).toMatchObject({ code: 2 });
});
