import type { ChildProcess } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { tempFolder } from "../cli/fake-io.ts";
import { long } from "../long.ts";
import { openReceiver } from "../receiver/open.ts";
import { kill, LONG_LEASE, type RunnerTerms, runnerProcesses, send } from "./runner-processes.ts";
import { rowsOf } from "./sqlite/changed-file.ts";

let inbox: string;
let ran: string;
const startRunner = (terms?: RunnerTerms) => runnerProcesses(inbox, ran).start(terms);
const runs = () => runnerProcesses(inbox, ran).runs();

beforeEach(() => {
  const folder = tempFolder();
  inbox = join(folder, "inbox.db");
  ran = join(folder, "ran");
});

const until = (check: () => unknown) => vi.waitFor(check, { timeout: 10_000, interval: 10 });

const locks = () => readdirSync(join(inbox, "..")).filter((name) => name.includes("-holder-"));

/** The registered processes. */
const recorded = () => rowsOf(inbox, "SELECT * FROM runner");

describe("an entry that a killed process was running", () => {
  it("runs at once in the next process, without waiting for the lease", async () => {
    const killed = await startRunner({ handlerMs: LONG_LEASE });
    for (let n = 0; n < 10; n++) await send(killed, n);
    await until(() => expect(runs()).toHaveLength(10));
    await kill(killed);
    const next = await startRunner();
    await until(() => expect(runs()).toHaveLength(20)); // within much less than a lease
    const again = runs().slice(10);
    expect(again.every(({ pid, attempt }) => pid === next.pid && attempt === 2)).toBe(true);
    expect(locks()).toHaveLength(1);
    expect(recorded()).toHaveLength(1);
  });

  it("runs in another live process within seconds", async () => {
    const both = [
      await startRunner({ handlerMs: LONG_LEASE }),
      await startRunner({ handlerMs: LONG_LEASE }),
    ];
    await send(both[0] as ChildProcess, 1);
    await until(() => expect(runs()).toHaveLength(1));
    const ranBy = (child: ChildProcess) => child.pid === runs()[0]?.pid;
    const killed = both.find(ranBy);
    const other = both.find((child) => !ranBy(child));
    if (killed === undefined || other === undefined)
      throw new Error("expected one of them to run it");
    await kill(killed);
    await until(() =>
      expect(runs()).toMatchObject([{ pid: killed.pid }, { pid: other.pid, attempt: 2 }]),
    );
  });
});

describe("a process that is stopped, not killed", () => {
  it("for less than a lease keeps its entries, and nothing runs twice", async () => {
    const stopped = await startRunner({ handlerMs: 1000, leaseTime: 30_000 });
    await send(stopped, 1);
    await until(() => expect(runs()).toHaveLength(1));
    stopped.kill("SIGSTOP");
    await startRunner({ leaseTime: 30_000 });
    await sleep(3000); // several polls of the other one
    stopped.kill("SIGCONT");
    await until(() => expect(states()).toEqual(["handled"]));
    expect(runs()).toHaveLength(1);
  });

  it("for longer than a lease loses its entries, and its late result is refused", async () => {
    const stopped = await startRunner({ handlerMs: 1000, leaseTime: 1000 });
    await send(stopped, 1);
    await until(() => expect(runs()).toHaveLength(1));
    stopped.kill("SIGSTOP");
    const other = await startRunner({ handlerMs: 5000, leaseTime: 1000 });
    await until(() => expect(runs()).toMatchObject([{}, { pid: other.pid, attempt: 2 }]));
    stopped.kill("SIGCONT");
    await sleep(1000);
    expect(states()).toEqual(["running"]);
    await until(() => expect(states()).toEqual(["handled"]));
    expect(runs()).toHaveLength(2);
  });

  const states = () => rowsOf(inbox, "SELECT state FROM entry").map(({ state }) => state);
});

it("processes that start at the same time recognize each other as alive", async () => {
  for (let round = 0; round < long(3, 50); round++) {
    const both = await Promise.all([
      startRunner({ handlerMs: 300 }),
      startRunner({ handlerMs: 300 }),
    ]);
    expect(recorded()).toHaveLength(2);
    const before = runs().length;
    for (const [index, child] of both.entries()) await send(child, index);
    await until(() => expect(runs()).toHaveLength(before + 2));
    await sleep(1200);
    expect(runs()).toHaveLength(before + 2);
    for (const child of both) await kill(child);
  }
  expect(locks()).toHaveLength(2);
});

it("two receivers in one process have one record and one lock, which say what each of them runs", async () => {
  const options = { inbox, poll: 20, lease: LONG_LEASE };
  const first = await openReceiver({ ...options, source: "crm" });
  const second = await openReceiver({ ...options, source: "billing" });
  second.receiver.on("payment.*", () => {});
  second.receiver.replaceHandlers((registry) => registry.on("lease.*", () => {}));
  await until(() =>
    expect(recorded()).toMatchObject([
      {
        sources: '["crm","billing"]',
        version: expect.any(String),
        role: "both",
        kinds: JSON.stringify(["lease.*\tbilling"]), // the first has no handler
      },
    ]),
  );
  expect(locks()).toHaveLength(1);
  await sleep(1200);
  expect(recorded()).toHaveLength(1);
  await first.receiver.close();
  expect(recorded()).toMatchObject([{ sources: '["billing"]', kinds: '["lease.*"]' }]);
  expect(locks()).toHaveLength(1);
  await second.receiver.close();
  expect(locks()).toEqual([]);
});
