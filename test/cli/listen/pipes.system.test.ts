import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { root } from "../../docs/markdown.ts";
import { nowEnvelope } from "../../hostile/cli.ts";
import { posting } from "../../receiver/open.ts";
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
  const argv = [BIN, "listen", "--port", "0", "--handlers", "handlers.mjs", ...more];
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
  return (await posting(new URL(url)).post(nowEnvelope({ id }), SECRET)).status;
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
  const env = { ...process.env, HOOKPORTER_SECRET: SECRET };
  for (const argv of ["check --list", "sign package.json"]) {
    const command = [process.execPath, BIN, ...argv.split(" "), ">/dev/full"].join(" ");
    const { status, stderr } = spawnSync(command, { env, shell: true, encoding: "utf8" });
    expect([status, stderr]).toEqual([1, expect.stringContaining("got ENOSPC")]);
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

it("two SIGTERM at once count once, and the stop names the entry that it waits for; SIGHUP waits too, as a closed terminal must", async () => {
  const [first, second] = await Promise.all([start(), start()]);
  for (const { url } of [first, second]) expect(await deliver(url, "slow")).toBe(200);
  await sleep(200);
  second.child.kill("SIGHUP");
  first.child.kill("SIGTERM");
  first.child.kill("SIGTERM");
  await sleep(20);
  first.child.kill("SIGTERM");
  for (const { child } of [first, second]) expect(await ended(child)).toEqual([0, null]);
  expect(first.text.stderr).toContain("waiting for #1 payment.received");
  expect(first.text.stderr).toContain("1 handled");
  expect(second.text.stderr).toMatch(/stopped by SIGHUP: .*1 handled/);
}, 30_000);
