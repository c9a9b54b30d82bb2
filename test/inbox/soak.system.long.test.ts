import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { openToRead } from "../../src/inbox/sqlite/client.ts";
import { long } from "../long.ts";

const PROGRAM = join(import.meta.dirname, "children", "soak.js");
const FOLDER = mkdtempSync(join(tmpdir(), "hookporter-soak-"));
const PARALLEL = 4;

/**
 * Whether Node has SQLite built in. If not, a native package is used, which does not survive the
 * end of its thread.
 */
const BUILT_IN = process.getBuiltinModule?.("node:sqlite" as "node:fs") !== undefined;

afterAll(() => rmSync(FOLDER, { recursive: true }));

/** How a round ended. */
interface Round {
  readonly status: number | string | null;
  readonly stderr: string;
  /** Acknowledged events by the inbox's file name. */
  readonly acknowledged: Readonly<Record<string, number>>;
  readonly folder: string;
}

async function run(ending: string, seed: number): Promise<Round> {
  const folder = join(FOLDER, `${ending}-${seed}`);
  mkdirSync(folder);
  const child = spawn(process.execPath, [PROGRAM, folder, ending, String(seed)]);
  const hung = setTimeout(() => child.kill("SIGKILL"), 300_000);
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk) => {
    stdout += String(chunk);
  });
  child.stderr.on("data", (chunk) => {
    stderr += String(chunk);
  });
  const status = await new Promise<number | string | null>((resolve) => {
    child.on("close", (code, signal) => resolve(code ?? signal));
  });
  clearTimeout(hung);
  return { status, stderr, acknowledged: stdout === "" ? {} : JSON.parse(stdout), folder };
}

/** Runs rounds, some of them in parallel, and checks each. */
async function soak(ending: string, rounds: number, look: (round: Round) => void): Promise<void> {
  let seed = 0;
  const lane = async () => {
    while (seed < rounds) {
      const round = await run(ending, seed++);
      look(round);
      for (const [name, count] of Object.entries(round.acknowledged))
        expect(entriesIn(join(round.folder, name))).toBeGreaterThanOrEqual(count);
      rmSync(round.folder, { recursive: true });
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, lane));
}

/** Checks the integrity of an inbox file, and returns the number of its entries. */
function entriesIn(path: string): number {
  const database = openToRead(path);
  try {
    expect(database.prepare("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
    return Number(database.prepare("SELECT count(*) AS n FROM entry").get()?.n);
  } finally {
    database.close();
  }
}

/** Keeps the machine busy in long runs, to vary the timing of threads. */
function keepBusy(): void {
  const loops: ChildProcess[] = Array.from({ length: long(0, 4) }, () =>
    spawn(process.execPath, ["-e", "for (;;);"]),
  );
  onTestFinished(() => {
    for (const loop of loops) loop.kill();
  });
}

describe("a process with inboxes and threads that write them", () => {
  it.each([
    ["calls process.exit in the middle of batches", "exit", 8, 250],
    ["calls process.exit while inboxes are opened, filled and closed", "mixed", 6, 180],
    ["exits by itself after its inboxes were closed", "close", 4, 80],
    ["ends with an uncaught error", "throw", 8, 200],
    ["has worker threads that close their inboxes", "workerCloses", 4, 80],
    ["has worker threads that call process.exit", "workerExits", 6, 170],
  ])(
    "ends with its own exit code and no output if it %s; nothing acknowledged is lost",
    async (_, ending, short, longer) => {
      keepBusy();
      let events = 0;
      await soak(ending, long(short, longer), ({ status, stderr, acknowledged }) => {
        expect({ status, stderr }).toEqual({ status: 7, stderr: "" });
        for (const count of Object.values(acknowledged)) events += count;
      });
      if (!ending.startsWith("worker")) expect(events).toBeGreaterThan(0);
    },
    7_200_000,
  );

  // On Node 20, a thread that is ended inside the native package ends the process too, which we
  // cannot prevent.
  it.each([
    ["terminates worker threads while they write", "workerTerminated", 2, 40],
    ["calls process.exit while worker threads write", "exitBesideWorkers", 2, 40],
  ])(
    "leaves intact inboxes if it %s, even if Node 20 aborts it",
    async (_, ending, short, longer) => {
      keepBusy();
      const ends = new Set<number | string | null>(BUILT_IN ? [7] : [7, "SIGABRT"]);
      await soak(ending, long(short, longer), ({ status, stderr, folder }) => {
        expect(ends, stderr).toContain(status);
        if (status === "SIGABRT") expect(stderr).toContain("Napi::Error");
        for (const name of readdirSync(folder))
          if (name.endsWith(".db")) entriesIn(join(folder, name));
      });
    },
    7_200_000,
  );
});
