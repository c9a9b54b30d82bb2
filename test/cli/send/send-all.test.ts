import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { endpointOf } from "../../../src/cli/send/send-with-chaos.ts";
import { openTarget } from "../../relay/sample.ts";
import { runCli, startCli, tempFolder } from "../fake-io.ts";
import { startReceiving } from "../fake-target.ts";

const env = { HOOKPORTER_SECRET: "a secret that is long enough" };
const OWN = { status: 200, body: '{"received":true,"id":"evt_1_ab","duplicate":false}' };

/** The URL of a target that is away. */
async function away(): Promise<string> {
  const target = await startReceiving();
  await target.close();
  return target.url;
}

/** A command that sends two deliveries to a target that is away. */
const triggerAway = async () => [
  "trigger",
  "lead.created",
  "--count",
  "2",
  "HOOKPORTER_MAX_FAILURES=2",
  "--url",
  await away(),
];

it("one delivery is one line, without a summary or a way to go on", async () => {
  const target = await startReceiving(200, { status: 500, body: "<p>Broken</p>" }, OWN);
  const argv = ["trigger", "lead.created", "--url", target.url];
  const ok = await runCli(argv, { env });
  expect(ok).toMatchObject({ code: 0, stderr: "" });
  expect(ok.stdout).toMatch(/^200 lead\.created [\d.]+ ms {2}\(empty body\)\n$/);
  const refused = await runCli(argv, { env });
  expect(refused).toMatchObject({ code: 1, stderr: "" });
  expect(refused.stdout).toMatch(/^500 lead\.created [\d.]+ ms {2}<p>Broken<\/p>\n$/);
  const own = await runCli(argv, { env });
  expect(own.stdout).toMatch(/^200 lead\.created [\d.]+ ms {2}new {2}evt_1_ab\n$/);
});

it("an answer's record has its status, how long it took and its body", async () => {
  const target = await startReceiving({ status: 202, body: "x".repeat(3000) });
  const argv = ["trigger", "lead.created", "--url", `${target.url}?key=hunter2`, "--json"];
  const { records } = await runCli(argv, { env });
  expect(records).toEqual([
    {
      schemaVersion: 1,
      time: expect.any(String),
      type: "answer",
      url: `${target.url}?key=…`,
      label: "lead.created",
      status: 202,
      ok: true,
      duration: expect.any(Number),
      chaos: null,
      body: "x".repeat(2000),
      error: null,
    },
  ]);
});

it("the record of a delivery without an answer has no status, duration or body", async () => {
  const argv = await triggerAway();
  const { records } = await runCli([...argv, "--json"], { env });
  expect(records[0]).toMatchObject({
    label: "lead.created",
    status: null,
    ok: false,
    duration: null,
    body: null,
    chaos: null,
    error: expect.stringContaining("connection refused"),
  });
});

it.each([
  ["signature", "signature tampered with"],
  ["body", "body tampered with"],
  ["header", "header tampered with"],
])("a line says that the %s was tampered with", async (what, said) => {
  const target = await startReceiving();
  const argv = ["trigger", "lead.created", "--tamper", what, "--url", target.url];
  expect((await runCli(argv, { env })).stdout).toMatch(`200 lead.created (${said}) `);
});

it("where a target comes from that nobody typed is said once, if something fails", async () => {
  const target = await startReceiving(500, 200, 500);
  const argv = ["trigger", "lead.created", "--count", "3"];
  const set = await runCli(argv, { env: { ...env, HOOKPORTER_URL: target.url } });
  expect(set.stderr.match(/^endpoint .*$/gm)).toEqual([
    `endpoint ${target.url}, from HOOKPORTER_URL`,
  ]);
  const typed = await runCli([...argv, "--url", target.url], { env });
  expect(typed.stderr).not.toContain("endpoint");
  const fine = await startReceiving();
  const silent = await runCli(argv, { env: { ...env, HOOKPORTER_URL: fine.url } });
  expect(silent.stderr).not.toContain("endpoint");
  const gone = await away();
  const none = await runCli(["trigger", "lead.created"], { env: { ...env, HOOKPORTER_URL: gone } });
  expect(none.code).toBe(5);
  expect(none.stderr).toMatch(`endpoint ${gone}, from HOOKPORTER_URL\n`);
});

it("without a URL the target is that of listen, and said to be the default", () => {
  const context = { origins: new Map([["url", "HOOKPORTER_URL"]]) } as never;
  expect(endpointOf({}, context)).toEqual({
    target: new URL("http://127.0.0.1:4400/webhooks"),
    where: "the default: no listen runs in this folder",
  });
});

it("a run that gives up says how to go on only if it can", async () => {
  const url = await away();
  const gaveUp = ["HOOKPORTER_MAX_FAILURES=2", "--url", url];
  const one = await runCli(["trigger", "lead.created", "--count", "3", ...gaveUp], { env });
  expect(one.code).toBe(5);
  expect(one.stderr).toMatch(/\(0 of 3 sent: --count 3 sends the rest\)\n$/);
  for (const argv of [
    ["trigger", "--all"],
    ["trigger", "lead.created", "--count", "6", "--duplicate", "2"],
  ]) {
    const run = await runCli([...argv, ...gaveUp], { env });
    expect(run.code).toBe(5);
    expect(run.stderr).toMatch(/ \(0 of 12 sent\)\n$/);
  }
});

it("how to send the rest is said of a run of several whose deliveries were refused, unless it cannot be", async () => {
  const target = await startReceiving(500);
  const several = ["trigger", "lead.created", "--count", "2", "--url", target.url];
  expect((await runCli(several, { env })).stderr).toContain("--count 2 sends the rest\n");
  const copies = await runCli([...several, "--duplicate", "2"], { env });
  expect(copies.stderr).toBe("4 sent, 0 answered 2xx, 4 not answered 2xx\n");
});

it("a delivery that cannot be made is no delivery without an answer", async () => {
  const target = await startReceiving();
  const argv = ["trigger", "--all", "--set", "data.amount.net=1", "--url", target.url];
  const { code, stdout, stderr } = await runCli(argv, { env });
  expect(code).toBe(2);
  expect(stderr).toContain("error: --set data.amount.net: expected amount to be an object");
  expect(stdout).not.toContain("no answer");
});

it("an answer is shown before the next delivery is due, and Ctrl-C ends the wait for it", async () => {
  const target = await startReceiving();
  const argv = ["trigger", "lead.created", "--count", "2", "--rate", "0.001", "--url", target.url];
  const run = startCli(argv, { env });
  await vi.waitFor(() => expect(run.now().stdout).toMatch(/^200 lead\.created/));
  run.signal("SIGINT");
  const { code, stderr } = await run.finished;
  expect([code, target.got.length]).toEqual([130, 1]);
  expect(stderr).toContain("stopped by SIGINT: 1 of 2 sent\n--count 1 sends the rest\n");
});

it("a delivery is not sent before its time", async () => {
  const at: number[] = [];
  const target = await openTarget((response) => {
    at.push(performance.now());
    response.end();
  });
  const start = performance.now();
  const argv = [
    "trigger",
    "lead.created",
    "--count",
    "2",
    "--rate",
    "10",
    "--url",
    target.url.href,
  ];
  await runCli(argv, { env });
  expect((at[1] ?? 0) - start).toBeGreaterThanOrEqual(100);
});

it("on a terminal a long run shows its progress, and only what went wrong above it", async () => {
  const cwd = tempFolder();
  mkdirSync(join(cwd, "fx"));
  for (let at = 10; at < 30; at++)
    writeFileSync(
      join(cwd, "fx", `${at}.json`),
      '{"event":"lead.created","timestamp":"2026-01-01T00:00:00Z"}',
    );
  const target = await startReceiving(500, 200);
  const argv = ["replay", "fx", "--url", target.url];
  const isTTY = { stdout: true, stderr: true };
  const run = await runCli([...argv, "--no-color"], { cwd, env, isTTY });
  expect(run.stdout).toMatch(/^500 10\.json [\d.]+ ms {2}\(empty body\)\n$/);
  expect(run.stderr).toContain("20 sent, 19 answered 2xx, 1 not answered 2xx\n");
  expect(run.stderr).toMatch(/0 % {2}0 of 20/);
  const dropped = await runCli([...argv, "--drop", "100%", "--no-color"], { cwd, env, isTTY });
  expect(dropped.stdout).toBe("");
  expect(dropped.stderr).toContain("0 sent, 0 answered 2xx, 20 dropped\n");
  const colored = await runCli([...argv, "--drop", "100%"], { cwd, env, isTTY: { stdout: true } });
  expect(colored.stdout).toContain("\u001b[2mdropped 10.json\u001b[");
});

it("on a terminal a status is green, and red if it is not 2xx", async () => {
  const target = await startReceiving(200, OWN, 500);
  const argv = ["trigger", "lead.created", "--count", "3", "--url", target.url];
  const { stdout } = await runCli(argv, { env, isTTY: { stdout: true } });
  const green = "\u001b[32m200\u001b[39m";
  const red = "\u001b[31m500\u001b[39m";
  expect(stdout.split("\n").map((line) => line.split(" ")[0])).toEqual([green, green, red, ""]);
  const none = await triggerAway();
  const unanswered = await runCli(none, { env, isTTY: { stdout: true } });
  expect(unanswered.stdout).toContain("\u001b[31mno answer\u001b[39m lead.created");
});
