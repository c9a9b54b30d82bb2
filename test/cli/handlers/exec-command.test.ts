import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { ExecCommand, type ExecOptions } from "../../../src/cli/handlers/exec-command.ts";
import { sampleEvent } from "../../dispatch/sample.ts";
import { savedDelivery } from "../../relay/sample.ts";
import { isAlive } from "../../relay/tunnel/processes.ts";
import { tempFolder } from "../fake-io.ts";

const PATIENCE = { timeout: 10_000, interval: 10 };
const windows = process.platform === "win32";

/** A command, and a function that runs it for an event of entry 7. */
function commandOf(words: readonly string[], options: Partial<ExecOptions> = {}) {
  const cwd = options.cwd ?? tempFolder();
  const lines: string[] = [];
  const command = new ExecCommand({
    words,
    cwd,
    env: { PATH: process.env.PATH ?? "" },
    inbox: join(cwd, "inbox.db"),
    onLine: (seq: number, line: string) => void lines.push(`${seq} ${line}`),
    ...options,
  });
  const aborter = new AbortController();
  onTestFinished(async () => {
    aborter.abort(new Error("the test is over"));
    await command.close();
  });
  const run = (
    body: string | Uint8Array = "{}",
    { signal }: Pick<AbortController, "signal"> = aborter,
  ) => {
    const delivery = savedDelivery({ body: Buffer.from(body) });
    const event = sampleEvent();
    return Promise.resolve(
      command.handler(event as never, { seq: 7, attempt: 2, delivery, signal } as never),
    );
  };
  return { command, cwd, lines, run, abort: (reason: Error) => aborter.abort(reason) };
}

/** A script for Node, as a command. */
function node(script: string): readonly string[] {
  return [process.execPath, "-e", script];
}

it("a command gets the body on standard input, byte for byte, and need not read it", async () => {
  const { cwd, run } = commandOf(
    node('process.stdin.pipe(require("fs").createWriteStream("got"))'),
  );
  const body = Buffer.from([0, 255, 10, 13, 0x80, 0xef, 0xbb, 0xbf]);
  await run(body);
  expect(readFileSync(join(cwd, "got"))).toEqual(body);
  await commandOf(node("process.exit(0)")).run("x".repeat(4 * 1024 * 1024));
});

it("a command that exits with another code fails with the last lines of its standard error", async () => {
  const script = 'for (let n = 1; n < 9; n++) console.error("line", n); console.log("out");';
  const { run, lines } = commandOf(node(`${script} process.exitCode = 3`));
  await expect(run()).rejects.toThrow(
    /got exit code 3: line 4 \| line 5 \| line 6 \| line 7 \| line 8$/,
  );
  expect(lines).toEqual(expect.arrayContaining(["7 line 1", "7 line 8", "7 out"]));
});

it("arguments are passed as they are, without a shell, and the name is the program alone, since they may hold secrets", async () => {
  const given = [...node("console.log(process.argv.slice(1))"), "$HOME", "*", "a|b"];
  const { run, lines } = commandOf(given);
  await run();
  expect(lines).toEqual(["7 [ '$HOME', '*', 'a|b' ]"]);
  expect(commandOf(["curl", "-H", "authorization: hunter2"]).command.name).toBe("exec curl");
});

it("a program that does not exist, or is no program, is reported", async () => {
  const cwd = tempFolder();
  writeFileSync(join(cwd, "text"), "no program", { mode: 0o600 });
  for (const program of ["./missing", "./text"])
    await expect(commandOf([program], { cwd }).run()).rejects.toThrow(`could not start ${program}`);
});

describe.skipIf(windows)("a command whose time is over", () => {
  it("gets SIGTERM, and its handler fails", async () => {
    const { run, abort, lines } = commandOf(
      node(
        'process.on("SIGTERM", () => { console.log("ending"); process.exit(1) }); console.log("up"); setInterval(() => {}, 1000)',
      ),
    );
    const running = run();
    await vi.waitFor(() => expect(lines).toEqual(["7 up"]), PATIENCE);
    abort(new Error("time is over"));
    await expect(running).rejects.toThrow("exit code 1");
    expect(lines).toEqual(["7 up", "7 ending"]);
  });

  it("is killed if it ignores SIGTERM, with everything it started", async () => {
    const script = "trap '' TERM; sleep 1000 & echo $!; wait; sleep 1000";
    const { run, abort, lines, command } = commandOf(["sh", "-c", script], { grace: 100 });
    const running = run();
    await vi.waitFor(() => expect(lines).toHaveLength(1), PATIENCE);
    const pid = Number(lines[0]?.split(" ")[1]);
    expect(isAlive(pid)).toBe(true);
    abort(new Error("time is over"));
    await expect(running).rejects.toThrow("SIGKILL");
    await command.close();
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), PATIENCE);
  });

  it("is not run again before it has ended", async () => {
    const script = 'trap "" TERM; echo begin; sleep 0.5; echo end';
    const { run, lines } = commandOf(["sh", "-c", script], { grace: 10_000 });
    const aborter = new AbortController();
    const first = run("{}", { signal: aborter.signal });
    await vi.waitFor(() => expect(lines).toEqual(["7 begin"]), PATIENCE);
    aborter.abort(new Error("time is over"));
    await Promise.allSettled([first, run()]);
    expect(lines).toEqual(["7 begin", "7 end", "7 begin", "7 end"]);
  });
});

it.skipIf(windows)("what a command leaves running ends with it", async () => {
  const { run, lines } = commandOf(["sh", "-c", "sleep 1000 & echo $!"]);
  await run();
  const pid = Number(lines[0]?.split(" ")[1]);
  await vi.waitFor(() => expect(isAlive(pid)).toBe(false), PATIENCE);
});

it("a run that was ended does not begin again", async () => {
  const { run, lines, abort } = commandOf(node('console.log("up")'));
  abort(new Error("shutting down"));
  await expect(run()).rejects.toThrow("shutting down");
  await wait(20);
  expect(lines).toEqual([]);
});
