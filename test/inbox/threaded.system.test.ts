import { spawnSync } from "node:child_process";
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Worker } from "node:worker_threads";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { openDatabase } from "../../src/inbox/sqlite/client.ts";
import { sqliteInbox } from "../../src/inbox/sqlite.ts";
import { describeInbox } from "./contract.ts";
import { keep, numberedEntry, sampleDelivery, sampleEntry } from "./entries.ts";
import { ALWAYS, threadedInbox } from "./threaded.ts";

const FOLDER = mkdtempSync(join(tmpdir(), "hookporter-threaded-"));
/** Whether Node has SQLite built in. */
const BUILT_IN = process.getBuiltinModule?.("node:sqlite" as "node:fs") !== undefined;
let files = 0;
const newPath = () => join(FOLDER, `inbox-${++files}.sqlite`);

afterAll(() => rmSync(FOLDER, { recursive: true }));

describeInbox("the SQLite inbox, written by its thread,", () => threadedInbox(newPath()));

describe("the thread that writes", () => {
  /** An open inbox, and its thread. */
  const open = async (path = newPath()) => {
    const threads: Worker[] = [];
    const inbox = threadedInbox(path, (worker) => threads.push(worker));
    await inbox.open();
    onTestFinished(() => inbox.close());
    const [thread] = threads;
    if (thread === undefined) throw new Error("expected a thread");
    return { inbox, thread, path };
  };

  it("returns the right result for each of many writes, in order", async () => {
    const { inbox } = await open();
    const kept = await Promise.all(
      Array.from({ length: 300 }, (_, number) => keep(inbox, numberedEntry(number))),
    );
    expect(kept.map(({ seq }) => seq)).toEqual(kept.map((_, index) => index + 1));
  });

  it("listens to the end of the process once, however many there are", async () => {
    const before = process.listenerCount("exit");
    const inboxes = await Promise.all(Array.from({ length: 3 }, () => open()));
    expect(process.listenerCount("exit")).toBe(before + 1);
    await Promise.all(inboxes.map(({ inbox }) => inbox.close()));
    expect(process.listenerCount("exit")).toBe(before);
  });

  it("is not disturbed by messages of others, such as Node's in watch mode", async () => {
    const { inbox, thread } = await open();
    const keeping = keep(inbox, numberedEntry(1));
    thread.emit("message", { "watch:import": ["file:///app/module.js"] });
    expect(await keeping).toMatchObject({ seq: 1 });
  });

  it("stores bodies of any length correctly", async () => {
    const { inbox } = await open();
    const bodies = [0, 1, 70_000, 3, 0, 65_536].map((length, index) =>
      Buffer.alloc(length, index + 1),
    );
    const kept = await Promise.all(
      bodies.map((body, number) =>
        keep(inbox, numberedEntry(number, 0, { delivery: sampleDelivery({ body }) })),
      ),
    );
    for (const [index, { seq }] of kept.entries()) {
      expect(
        Buffer.from((await inbox.delivery(seq))?.body ?? []).equals(bodies[index] ?? Buffer.of()),
      ).toBe(true);
    }
  });

  it("[case 68] does not block this thread while another process locks the file, then reports the lock", async () => {
    const { inbox, path } = await open();
    const other = openDatabase(path);
    onTestFinished(() => other.close());
    other.exec("BEGIN IMMEDIATE");
    let turns = 0;
    const timer = setInterval(() => turns++, 5);
    await expect(keep(inbox, sampleEntry())).rejects.toMatchObject({ code: "inbox_busy" });
    clearInterval(timer);
    expect(turns).toBeGreaterThan(20);
    other.exec("ROLLBACK");
    expect(await keep(inbox, sampleEntry())).toMatchObject({ duplicate: false });
  });

  it("acknowledges nothing once the file was replaced", async () => {
    const { inbox, path } = await open();
    await keep(inbox, numberedEntry(1));
    renameSync(path, `${path}.moved`);
    await expect(keep(inbox, numberedEntry(2))).rejects.toMatchObject({
      code: "inbox_unavailable",
    });
    renameSync(`${path}.moved`, path);
    expect(await keep(inbox, numberedEntry(2))).toMatchObject({ duplicate: false });
  });

  // The thread ends by itself: on Node 20, terminating it inside the native package would end the
  // process too.
  it("is not needed if it is lost: its writes are not acknowledged, and later ones are stored without it", async () => {
    const program = join(FOLDER, "lost.mjs");
    writeFileSync(
      program,
      `import { parentPort } from "node:worker_threads";
      parentPort.once("message", () => process.exit());
      parentPort.postMessage({ ready: true });`,
    );
    const threading = { ...ALWAYS, program: pathToFileURL(program) };
    const inbox = threadedInbox(newPath(), undefined, threading);
    await inbox.open();
    onTestFinished(() => inbox.close());
    await expect(keep(inbox, numberedEntry(1))).rejects.toMatchObject({
      code: "inbox_unavailable",
    });
    expect(await keep(inbox, numberedEntry(2))).toMatchObject({ state: "waiting" });
    expect(await keep(inbox, numberedEntry(1))).toMatchObject({
      state: "waiting",
      duplicate: false,
    });
  });

  it.skipIf(!BUILT_IN)("is not needed if it is terminated at any moment", async () => {
    const { inbox, thread } = await open();
    const lost = keep(inbox, numberedEntry(1));
    lost.catch(() => {});
    await new Promise((resolve) => setImmediate(resolve)); // by now the write is in progress
    await thread.terminate();
    await lost.catch((error) => expect(error).toMatchObject({ code: "inbox_unavailable" }));
    expect(await keep(inbox, numberedEntry(2))).toMatchObject({ state: "waiting" });
    expect((await keep(inbox, numberedEntry(1))).state).toBe("waiting");
  });

  it.each([
    ["missing", () => ({ program: undefined, missing: "/bundle/inbox-writer.js" })],
    [
      "broken",
      () => {
        const broken = join(FOLDER, "not-a-writer.js");
        writeFileSync(broken, 'import "./chunk-that-was-not-copied.js";');
        return { program: pathToFileURL(broken) };
      },
    ],
  ])("is not needed if its program is %s, which is reported once", async (_, program) => {
    const inbox = sqliteInbox(newPath(), { ...ALWAYS, ...program() });
    const warnings: string[] = [];
    const silent = () => {};
    const warn = (fields: object, message: string) =>
      void warnings.push(JSON.stringify(fields) + message);
    await inbox.open({ log: { debug: silent, info: silent, warn, error: silent } });
    onTestFinished(() => inbox.close());
    for (let number = 0; number < 20; number++)
      expect(await keep(inbox, numberedEntry(number))).toMatchObject({ duplicate: false });
    await expect.poll(() => warnings).toHaveLength(1);
    await keep(inbox, numberedEntry(20));
    expect(warnings).toEqual([
      expect.stringMatching(/(?:bundle.inbox-writer|was-not-copied).* slower under load/),
    ]);
  });

  it("lets the process exit in the middle of a write, with its own exit code and nothing acknowledged lost", async () => {
    for (let round = 0; round < 6; round++) {
      const path = newPath();
      const ended = spawnSync(
        process.execPath,
        [join(import.meta.dirname, "children", "exits.js"), path],
        {
          encoding: "utf8",
          timeout: 30_000,
        },
      );
      expect({ status: ended.status, stderr: ended.stderr }).toEqual({ status: 7, stderr: "" });
      const acknowledged = Number(ended.stdout.trim());
      expect(acknowledged).toBeGreaterThan(0);
      const inbox = sqliteInbox(path);
      await inbox.open();
      expect((await inbox.list({})).length).toBeGreaterThanOrEqual(acknowledged);
      await inbox.close();
    }
  }, 60_000);
});
