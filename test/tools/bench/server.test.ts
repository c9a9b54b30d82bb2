import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { expect, it, vi } from "vitest";
import { sqliteInbox } from "../../../src/inbox/sqlite.ts";
import { copyEntries } from "../../../tools/bench/server/copy-entries.ts";
import { CpuProfile } from "../../../tools/bench/server/cpu-profile.ts";
import { nameStatements } from "../../../tools/bench/server/name-statements.ts";
import { askNode } from "../../../tools/bench/server/server-node.ts";
import { ADDED_MS, slowFlush } from "../../../tools/bench/server/slow-flush.ts";
import { ThreadUses } from "../../../tools/bench/server/threads.ts";
import { tempFolder } from "../../cli/fake-io.ts";
import { root } from "../../docs/markdown.ts";
import { numberedEntry } from "../../inbox/entries.ts";

it("copies have keys of their own, later times, and the deliveries of the entries they were copied from", async () => {
  const path = join(tempFolder(), "inbox.db");
  const inbox = sqliteInbox(path);
  await inbox.open();
  for (let number = 1; number <= 7; number++) await inbox.append(numberedEntry(number));
  await inbox.close();
  await copyEntries(path, 24);
  await inbox.open();
  const entries = await inbox.list({});
  const delivery = (seq: number) => inbox.delivery(seq);
  expect(entries.map(({ seq }) => seq)).toEqual(
    Array.from({ length: 24 }, (_, index) => index + 1),
  );
  expect(new Set(entries.map(({ key }) => key.eventId)).size).toBe(24);
  for (const { seq, receivedAt, bodyHash } of entries) {
    const original = entries[(seq - 1) % 7];
    expect(bodyHash).toBe(original?.bodyHash);
    expect(receivedAt).toBe(
      (original?.receivedAt ?? 0) + Math.ceil((seq - (original?.seq ?? 0)) / 20),
    );
    expect((await delivery(seq))?.body).toEqual((await delivery(original?.seq ?? 0))?.body);
  }
  await inbox.close();
});

const anchor = join(root, "package.json");

/**
 * A thread that commits to a database with statements that it prepared at its start, as the writer
 * thread does; for long enough to be sampled on a busy machine.
 */
const PROGRAM = `
  const { parentPort, workerData } = require("node:worker_threads");
  const own = process.versions.sqlite === undefined ? undefined : process.getBuiltinModule("node:sqlite");
  const { DatabaseSync } = own ?? require("node:module").createRequire(workerData.anchor)("@photostructure/sqlite");
  const database = new DatabaseSync(workerData.path);
  database.exec("CREATE TABLE entry (text TEXT)");
  const [begin, insert, commit] = ["BEGIN", "INSERT INTO entry (text) VALUES (?)", "COMMIT"].map((sql) => database.prepare(sql));
  parentPort.on("message", () => {
    for (let batch = 0; batch < 40; batch++) {
      begin.run();
      for (let row = 0; row < 2000; row++) insert.run("x".repeat(200));
      commit.run();
    }
    parentPort.postMessage("done");
  });
  parentPort.postMessage("ready");
`;

const NAMED = `(${nameStatements})(${JSON.stringify(anchor)});\n${PROGRAM}`;

it("a thread that runs already is profiled too, with its statements by name", async () => {
  const worker = new Worker(NAMED, {
    eval: true,
    workerData: { anchor, path: join(tempFolder(), "some.db") },
  });
  try {
    const message = () => new Promise((resolve) => worker.once("message", resolve));
    await message();
    const profiled = async () => {
      const profile = new CpuProfile();
      await profile.start();
      const done = message();
      worker.postMessage("go");
      await done;
      const threads = await profile.stop();
      return threads.find(({ receives }) => !receives);
    };
    // On a busy machine, samples may miss all of it.
    const writer = await vi.waitFor(async () => {
      const found = await profiled();
      const names = found?.profile.nodes.map(({ callFrame }) => callFrame.functionName);
      expect(names).toContain("sql$INSERT$INTO$entry");
      return found;
    });
    expect(writer?.commits).toMatchObject({ count: 40 });
    if (process.platform === "linux") {
      expect(writer?.commits.measured).toBe(5);
      expect(writer?.id).not.toBe(process.pid);
    }
  } finally {
    await worker.terminate();
  }
});

it("a Node reports its version and its SQLite", () => {
  expect(askNode(process.execPath)).toMatchObject({
    version: process.version,
    sqlite: expect.stringMatching(/^3\.\d+\.\d+ \((node:sqlite|@photostructure\/sqlite)\)$/),
  });
});

it("a program that is not Node is refused by name", () => {
  expect(() => askNode("/nowhere/node")).toThrow("/nowhere/node");
});

const slow = slowFlush(process.execPath);

const FLUSHING = `
  const { fsyncSync, mkdtempSync, openSync, rmSync, writeSync } = require("node:fs");
  const folder = mkdtempSync(require("node:path").join(require("node:os").tmpdir(), "hookporter-"));
  const file = openSync(folder + "/flushed", "w");
  const times = Array.from({ length: 5 }, () => {
    writeSync(file, "x");
    const start = performance.now();
    fsyncSync(file);
    return performance.now() - start;
  });
  rmSync(folder, { recursive: true });
  process.stdout.write(String(Math.min(...times)));
`;

it.runIf("command" in slow)("makes every flush of a program take longer", () => {
  const [command = "", ...flags] = "command" in slow ? slow.command : [];
  const { stdout } = spawnSync(command, [...flags, process.execPath, "-e", FLUSHING], {
    encoding: "utf8",
  });
  expect(Number(stdout)).toBeGreaterThanOrEqual(ADDED_MS);
});

it("the reason is given if no flush can be made slow", () => {
  const { PATH } = process.env;
  process.env.PATH = "/nowhere";
  try {
    expect(slowFlush(process.execPath)).toMatchObject({
      missing: expect.stringContaining("strace"),
    });
  } finally {
    process.env.PATH = PATH;
  }
});

it.runIf(process.platform === "linux")(
  "the threads' processor time sums up to that of the process",
  () => {
    const uses = new ThreadUses();
    const before = process.cpuUsage();
    const end = performance.now() + 100;
    while (performance.now() < end);
    const threads = uses.since();
    const { user, system } = process.cpuUsage(before);
    const sum = threads.reduce((total, { cpu }) => total + cpu, 0);
    expect(sum / ((user + system) / 1e6)).toBeGreaterThan(0.8);
    expect(sum / ((user + system) / 1e6)).toBeLessThan(1.2);
  },
);
