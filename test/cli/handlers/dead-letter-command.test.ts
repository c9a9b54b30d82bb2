import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import {
  DeadLetterCommand,
  type DeadLetterCommandOptions,
  LAST_RUN,
  TIME_LIMIT,
} from "../../../src/cli/handlers/dead-letter-command.ts";
import type { DeadLetter } from "../../../src/entries/index.ts";
import { savedDelivery } from "../../relay/sample.ts";
import { tempFolder } from "../fake-io.ts";

const PATIENCE = { timeout: 10_000, interval: 10 };
const HOUR = 3_600_000;

/** Writes what it got to a file per run. */
const KEEP = `
const { writeFileSync, readFileSync } = require("node:fs");
const got = { env: process.env, input: JSON.parse(readFileSync(0, "utf8")) };
writeFileSync("run-" + process.env.HOOKPORTER_ENTRY, JSON.stringify(got));`;

/** The same, once there is a file `go`. */
const KEEP_LATER = `const fs = require("node:fs");
const timer = setInterval(() => { if (fs.existsSync("go")) { clearInterval(timer); ${KEEP} } }, 5);`;

/** A command that runs a script with Node; it ends with the test. */
function commandOf(
  script: string,
  options: Partial<DeadLetterCommandOptions> = {},
  times: Partial<DeadLetterCommandOptions> = { lastRun: 0, interval: HOUR },
) {
  const cwd = options.cwd ?? tempFolder();
  const said: string[] = [];
  const command = new DeadLetterCommand({
    words: [process.execPath, "-e", script],
    cwd,
    env: { PATH: process.env.PATH ?? "" },
    inbox: "inbox.db",
    onLine: (line: string) => void said.push(line),
    onFailure: (line: string) => void said.push(line),
    ...times,
    ...options,
  });
  onTestFinished(() => command.close());
  /** The entries that a run was for. */
  const runs = () =>
    readdirSync(cwd).flatMap((name) => (name.startsWith("run-") ? [Number(name.slice(4))] : []));
  const got = (seq: number) => JSON.parse(readFileSync(join(cwd, `run-${seq}`), "utf8"));
  const ran = (seq: number) => vi.waitFor(() => got(seq), PATIENCE);
  return { command, cwd, said, runs, ran };
}

function letter(seq: number, more: Partial<DeadLetter> = {}): DeadLetter {
  const event = { id: `evt_${seq}`, kind: "payment.received", timestamp: "2026-01-15T10:00:00Z" };
  return {
    seq,
    eventId: `evt_${seq}`,
    kind: "payment.received",
    reason: "attempts_exhausted",
    problems: [],
    error: "the books are closed",
    delivery: savedDelivery({ body: Buffer.from('{"iban":"DE07"}') }),
    event: event as never,
    ...more,
  };
}

it("a dead letter that is no event has an empty kind and timestamp, and null in JSON; a long kind is cut in its variable", async () => {
  const { command, ran } = commandOf(KEEP, { inbox: undefined, interval: 1 });
  command.note(letter(1, { kind: null, event: null, error: null, reason: "malformed_json" }));
  const { env, input } = await ran(1);
  expect(env).toMatchObject({
    HOOKPORTER_EVENT_KIND: "",
    HOOKPORTER_EVENT_TIMESTAMP: "",
    HOOKPORTER_INBOX: "",
  });
  expect(input).toMatchObject({ kind: null, timestamp: null, error: null, inbox: null });
  const kind = "k".repeat(500_000);
  command.note(letter(2, { kind }));
  const long = await ran(2);
  expect(long.env.HOOKPORTER_EVENT_KIND).toMatch(/^k{900,}…$/);
  expect(long.input.kind).toBe(kind);
});

it("dead letters during a run make one run after it, with their number and the latest of them", async () => {
  const { command, cwd, runs, ran } = commandOf(KEEP_LATER, { interval: 1 });
  for (const seq of [1, 2, 3, 4]) command.note(letter(seq));
  expect(command.pending).toBe(3);
  writeFileSync(join(cwd, "go"), "");
  expect((await ran(4)).input).toMatchObject({ seq: 4, count: 3 });
  expect((await ran(1)).input).toMatchObject({ seq: 1, count: 1 });
  expect(runs().sort()).toEqual([1, 4]);
  expect(command.pending).toBe(0);
});

it("the next run begins a minute after the previous one, if there were dead letters meanwhile", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const { command, cwd, runs } = commandOf(KEEP, {}, {});
  const ended = (seq: number) => expectFile(join(cwd, `run-${seq}`));
  command.note(letter(1));
  await ended(1);
  command.note(letter(2));
  vi.advanceTimersByTime(59_999);
  command.note(letter(3));
  expect(command.pending).toBe(2);
  await vi.advanceTimersByTimeAsync(1);
  await ended(3);
  expect(command.pending).toBe(0);
  await vi.advanceTimersByTimeAsync(60_000);
  command.note(letter(4)); // nothing since: at once again
  await ended(4);
  expect(runs().sort()).toEqual([1, 3, 4]);
});

it("a command that fails, or is no program, is reported, and run for later dead letters", async () => {
  const script = `console.error("no network"); if (process.env.HOOKPORTER_ENTRY === "1") process.exit(3); ${KEEP}`;
  const { command, said, ran } = commandOf(script, { interval: 1 });
  command.note(letter(1));
  await vi.waitFor(() => expect(said).toHaveLength(2), PATIENCE);
  expect(said).toEqual([
    "no network",
    expect.stringMatching(/to end with exit code 0, got exit code 3$/),
  ]);
  command.note(letter(2));
  expect((await ran(2)).input).toMatchObject({ count: 1 });
  const missing = commandOf("", { words: ["./missing one"] });
  missing.command.note(letter(1));
  const told = [expect.stringContaining("could not start ./missing one")];
  await vi.waitFor(() => expect(missing.said).toEqual(told), PATIENCE);
});

it("a command that hangs is ended after 30 seconds, and after 5 once listen ends, and reported", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  for (const [limit, begin, words] of [
    [TIME_LIMIT, () => {}, /to end within 30 s, so it was ended$/],
    [LAST_RUN, (command: DeadLetterCommand) => command.close(), /was ended, since listen ends$/],
  ] as const) {
    const { command, cwd, said } = commandOf(`${KEEP}; setInterval(() => {}, 1000)`, {}, {});
    command.note(letter(1));
    await expectFile(join(cwd, "run-1"));
    void begin(command);
    vi.advanceTimersByTime(limit - 1);
    await new Promise(setImmediate);
    expect(said).toEqual([]);
    vi.advanceTimersByTime(1);
    while (said.length === 0) await new Promise(setImmediate);
    expect(said).toEqual([expect.stringMatching(words)]);
    await command.close();
  }
});

/** Waits for a whole JSON file without the timers that a test replaces. */
async function expectFile(path: string): Promise<void> {
  for (;;) {
    if (existsSync(path) && readFileSync(path, "utf8").endsWith("}")) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
