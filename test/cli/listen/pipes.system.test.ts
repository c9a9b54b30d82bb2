import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { sign } from "../../../src/entries/index.ts";
import { root } from "../../docs/markdown.ts";
import { tempFolder } from "../fake-io.ts";

const SECRET = "a-secret-for-the-test-of-pipes";
const BIN = join(root, "dist", "bin.js");

interface Started {
  readonly child: ChildProcess;
  readonly url: string;
  /** What it has written to each stream that a test reads. */
  readonly text: { stdout: string; stderr: string };
}

type Streams = readonly ["ignore", "pipe" | number, "pipe" | number];

/** `listen` with a handler that takes a while, in a process of its own; killed with the test. */
async function start(
  streams: Streams = ["ignore", "pipe", "pipe"],
  ...more: string[]
): Promise<Started> {
  const cwd = tempFolder();
  const handler =
    'export default { "*": ({ id }) => new Promise((done) => setTimeout(done, id === "slow" ? 3500 : 5)) };';
  writeFileSync(join(cwd, "handlers.mjs"), handler);
  const argv = [
    BIN,
    "listen",
    "--port",
    "0",
    "--health-port",
    "0",
    "--handlers",
    "handlers.mjs",
    ...more,
  ];
  const env = { PATH: process.env.PATH, HOME: cwd, HOOKPORTER_SECRET: SECRET };
  const child = spawn(process.execPath, argv, { cwd, env, stdio: [...streams] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const text = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.on("data", (chunk) => {
      text[name] += chunk;
    });
  }
  const found = () => /http:\/\/127\.0\.0\.1:\d+\/webhooks/.exec(text.stdout + text.stderr)?.[0];
  await expect.poll(found, { timeout: 15_000 }).toBeDefined();
  return { child, url: found() ?? "", text };
}

async function deliver(url: string, id: string): Promise<number> {
  const event = {
    id,
    event: "lead.created",
    timestamp: new Date().toISOString(),
    data: { id: "lead_1" },
  };
  const body = JSON.stringify({
    ...event,
    webhook: { id: "wh_1", url: "https://a.example/webhooks" },
  });
  const headers = {
    "content-type": "application/json",
    "x-service-signature": sign(Buffer.from(body), SECRET),
  };
  const { status } = await fetch(url, { method: "POST", body, headers });
  return status;
}

async function ended(child: ChildProcess): Promise<readonly unknown[]> {
  return child.exitCode === null && child.signalCode === null
    ? once(child, "exit")
    : [child.exitCode, child.signalCode];
}

it.each(["stdout", "stderr"] as const)(
  "`listen` goes on when the reader of %s goes away, and says so",
  async (name) => {
    const { child, url, text } = await start();
    expect(await deliver(url, "first")).toBe(200);
    child[name]?.destroy();
    for (let number = 0; number < 10; number++)
      expect(await deliver(url, `next-${number}`)).toBe(200);
    expect(await deliver(url, "slow")).toBe(200);
    await sleep(200);
    child.kill("SIGTERM");
    expect(await ended(child)).toEqual([0, null]);
    const [full, other] =
      name === "stdout" ? (["output", "stderr"] as const) : (["error", "stdout"] as const);
    // A message of standard error is written only when there is one.
    expect(text[other]).toContain(`cannot write to standard ${full} any more`);
    if (name === "stdout") expect(text.stderr).toContain("12 handled");
  },
  30_000,
);

it("`listen` goes on when standard output is a full disk, and blames no handler", async (context) => {
  if (process.platform !== "linux") context.skip("there is no /dev/full here");
  const { child, url, text } = await start(["ignore", openSync("/dev/full", "w"), "pipe"]);
  expect(await deliver(url, "first")).toBe(200);
  expect(await deliver(url, "second")).toBe(200);
  child.kill("SIGTERM");
  expect(await ended(child)).toEqual([0, null]);
  expect(text.stderr.match(/cannot write to standard output any more \([^)]*ENOSPC/g)).toHaveLength(
    1,
  );
  expect(text.stderr).not.toContain("outside any awaited handler");
}, 30_000);

it("a command that only prints fails if standard output is a full disk", async (context) => {
  if (process.platform !== "linux") context.skip("there is no /dev/full here");
  for (const argv of [
    ["check", "--list"],
    ["sign", "package.json"],
  ]) {
    const env = { ...process.env, HOOKPORTER_SECRET: SECRET };
    const stdio = ["ignore", openSync("/dev/full", "w"), "pipe"] as const;
    const { status, stderr } = spawnSync(process.execPath, [BIN, ...argv], {
      env,
      stdio: [...stdio],
    });
    expect([status, String(stderr)]).toEqual([1, expect.stringContaining("got ENOSPC")]);
  }
}, 30_000);

it("`listen --json` ends within seconds of SIGTERM though nobody reads what it prints", async () => {
  const { child, url } = await start(["ignore", "pipe", "pipe"], "--json");
  child.stdout?.pause();
  child.stdout?.removeAllListeners("data");
  for (let number = 0; number < 400; number++)
    expect(await deliver(url, `unread-${number}`)).toBe(200);
  const began = Date.now();
  child.kill("SIGTERM");
  expect((await ended(child))[0]).toBe(0);
  expect(Date.now() - began).toBeLessThan(10_000);
}, 60_000);

it("two SIGTERM at once count once, and the stop names the entry that it waits for", async () => {
  const { child, url, text } = await start();
  expect(await deliver(url, "slow")).toBe(200);
  await sleep(200);
  child.kill("SIGTERM");
  child.kill("SIGTERM");
  await sleep(20);
  child.kill("SIGTERM");
  expect(await ended(child)).toEqual([0, null]);
  expect(text.stderr).toContain("waiting for #1 lead.created");
  expect(text.stderr).toContain("1 handled");
}, 30_000);

it("SIGHUP waits for running handlers, as a closed terminal must", async () => {
  const { child, url, text } = await start();
  expect(await deliver(url, "slow")).toBe(200);
  await sleep(200);
  child.kill("SIGHUP");
  expect(await ended(child)).toEqual([0, null]);
  expect(text.stderr).toMatch(/stopped by SIGHUP: .*1 handled/);
}, 30_000);
