import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { recordListening, runningListen } from "../../../src/cli/ready/running-listen.ts";
import { isHeld, runnerLock } from "../../../src/inbox/sqlite/processes/runner-lock.ts";
import { type CliRun, runCli, tempFolder } from "../fake-io.ts";
import { listening } from "../open-listen.ts";

const PAYMENT = "payment.received";

it("trigger and replay send to the listen that runs in the folder, on whatever port and path", async () => {
  const { cwd, url } = await listening(["--path", "/in", "--no-inspect"]);
  const dry = ["trigger", PAYMENT, "--json", "--dry-run", "HOOKPORTER_BODIES_TO=."];
  const [sample] = (await runCli(dry, { cwd })).records.filter(({ type }) => type === "sending");
  for (const argv of [
    ["trigger", PAYMENT],
    ["replay", String(sample?.file)],
  ]) {
    const run = await runCli([...argv, "--json"], { cwd });
    const answer = expect.objectContaining({ type: "answer", url, ok: true });
    expect(run.records, run.stderr).toContainEqual(answer);
  }
});

it("a flag, a variable and the configuration file override the running listen", async () => {
  const { cwd, url } = await listening(["--no-inspect"]);
  const target = async (argv: readonly string[], env = {}) => {
    const run = await runCli(["trigger", PAYMENT, "--dry-run", "--json", ...argv], { cwd, env });
    return run.records.find(({ type }) => type === "sending")?.url;
  };
  expect(await target([])).toBe(url);
  expect(await target(["--url", "1"])).toBe("http://127.0.0.1:1/webhooks");
  expect(await target([], { HOOKPORTER_URL: "2" })).toBe("http://127.0.0.1:2/webhooks");
  writeFileSync(join(cwd, "hookporter.config.json"), '{ "url": "3" }');
  expect(await target([])).toBe("http://127.0.0.1:3/webhooks");
});

it("doctor looks at the port of the running listen, and --explain and a failure say where the endpoint is from", async () => {
  const { cwd, url, stop } = await listening(["--no-inspect"]);
  const here = `listen in this folder (process ${process.pid})`;
  expect(portLine(await runCli(["doctor"], { cwd }))).toMatch(
    new RegExp(`^ok .* ${new URL(url).port}: a receiver answers there, and this inbox is in use$`),
  );
  expect(portLine(await runCli(["doctor", "--port", "0"], { cwd }))).toMatch(/any free port$/);
  const explained = await runCli(["doctor", "--explain", "trigger"], { cwd });
  expect(explained.stdout).toMatch(`from ${here}`);
  const env = { HOOKPORTER_SECRET: "another secret, of another receiver" };
  expect((await runCli(["trigger", PAYMENT], { cwd, env })).stderr).toBe(
    `endpoint ${url}, from ${here}\n`,
  );
  expect((await runCli(["check"], { cwd })).stderr).toMatch(
    `such as ${url}, where listen runs, got none`,
  );
  await stop();
  const unset = await runCli(["trigger", PAYMENT], { cwd, env: { HOOKPORTER_URL: "1" } });
  expect(unset.stderr).toMatch(
    /^endpoint http:\/\/127\.0\.0\.1:1\/webhooks, from HOOKPORTER_URL\nerror: /,
  );
  const typed = await runCli(["trigger", PAYMENT, "--url", "1"], { cwd });
  expect(typed.stderr).toMatch(/^error: /);
});

it("a listen that could not write its record still closes in order, with the exit code that it should have", async () => {
  const cwd = tempFolder();
  mkdirSync(join(cwd, ".hookporter"), { mode: 0o700 });
  writeFileSync(join(cwd, ".hookporter", "listening"), "not a folder");
  const argv = ["listen", "--port", "0", "--count", "1", "--timeout", "1ms", "--json"];
  const { code, records, stderr } = await runCli(argv, { cwd });
  expect([code, stderr]).toEqual([6, expect.stringContaining("timed out")]);
  expect(records.at(-1)).toMatchObject({ type: "stopped", exitCode: 6 });
});

it("the record ends with listen, and that of a dead process does not count, though its number is in use again", async () => {
  const { cwd, stop } = await listening(["--no-inspect"]);
  expect(runningListen(cwd)?.pid).toBe(process.pid);
  await stop();
  expect(runningListen(cwd)).toBeUndefined();
  const dead = spawn(process.execPath, ["-e", ""]);
  await once(dead, "exit");
  record(cwd, dead.pid ?? 0, { port: 1, path: "/in", since: 0 }, false);
  record(cwd, process.ppid, { port: 1, path: "/in", since: 0 }, false);
  expect(runningListen(cwd)).toBeUndefined();
  await (await listening(["--no-inspect"], cwd)).stop();
  expect(readdirSync(join(cwd, ".hookporter", "listening"))).toEqual([]);
});

it("a process leaves the record of one with the same number, as in another container on the same folder", () => {
  const cwd = tempFolder();
  record(cwd, process.pid, { port: 4500, path: "/in", since: 1 });
  recordListening(cwd, new URL("http://127.0.0.1:4600/"), undefined)();
  expect(runningListen(cwd)).toMatchObject({ port: 4500, path: "/in" });
});

it("of several, the oldest counts; a damaged record, or one that leads elsewhere, does not", () => {
  const cwd = tempFolder();
  expect(runningListen(cwd)).toBeUndefined();
  record(cwd, process.pid, { port: 4500, path: "/in", since: 2 });
  expect(runningListen(cwd)).toMatchObject({ port: 4500, path: "/in" });
  record(cwd, process.ppid, { port: 4600, path: "/in", since: 1 });
  expect(runningListen(cwd)?.url.href).toBe("http://127.0.0.1:4600/in");
  record(cwd, process.ppid, { port: "4600@example.com", path: "/in", since: 1 });
  expect(runningListen(cwd)?.port).toBe(4500);
  record(cwd, process.pid, { port: 4500, path: "//example.com/in", since: 1 });
  expect(runningListen(cwd)?.url.hostname).toBe("127.0.0.1");
});

function record(cwd: string, pid: number, fields: object, lives = true): void {
  const folder = join(cwd, ".hookporter", "listening");
  mkdirSync(folder, { recursive: true });
  const file = join(folder, String(pid));
  writeFileSync(file, JSON.stringify(fields), { mode: 0o600 });
  if (!lives || isHeld(file, "")) return;
  const lock = runnerLock(file, "");
  onTestFinished(() => lock.release());
}

function portLine({ stdout }: CliRun): string | undefined {
  return stdout
    .split("\n")
    .find((line) => /^\w+ +port /.test(line))
    ?.replaceAll("\u001b", "");
}
