import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { afterAll, expect, it } from "vitest";
import { CpuProfile } from "../../../../tools/bench/server/cpu-profile.ts";
import { nameStatements } from "../../../../tools/bench/server/name-statements.ts";

const folder = mkdtempSync(join(tmpdir(), "hookporter-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const anchor = join(import.meta.dirname, "..", "..", "..", "..", "package.json");

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
    workerData: { anchor, path: join(folder, "some.db") },
  });
  try {
    const message = () => new Promise((resolve) => worker.once("message", resolve));
    await message();
    const profile = new CpuProfile();
    await profile.start();
    const done = message();
    worker.postMessage("go");
    await done;
    const threads = await profile.stop();
    const [writer] = threads.filter(({ receives }) => !receives);
    const names = writer?.profile.nodes.map(({ callFrame }) => callFrame.functionName);
    expect(names).toContain("sql$INSERT$INTO$entry");
    expect(writer?.commits).toMatchObject({ count: 40 });
    if (process.platform === "linux") {
      expect(writer?.commits.measured).toBe(5);
      expect(writer?.id).not.toBe(process.pid);
    }
  } finally {
    await worker.terminate();
  }
});
