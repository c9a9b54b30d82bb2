import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Inbox } from "../../src/inbox/inbox.ts";
import type { Role } from "../../src/inbox/runner.ts";

const CHILD = join(import.meta.dirname, "children", "role.js");

/** An inbox that several processes open. */
export interface SharedInbox {
  /** A path or a URL. */
  readonly path: string;
  /** The schema, or an empty string for a file. */
  readonly schema: string;
  /** The same inbox, to look into it once the first process has made it. */
  readonly look: () => Promise<Inbox>;
}

/** Tests with several processes of different roles and handlers on one inbox. */
export function describeRoleProcesses(name: string, share: () => SharedInbox): void {
  describe(`processes on ${name}:`, () => {
    it("one that only receives loses nothing for one that runs and starts later", async () => {
      const { start, untilDone, runs } = crowd(share());
      const front = await start("receive", "");
      await sendAll(front, 0, 200);
      const worker = await start("run", "*");
      await untilDone(200);
      expect(new Set(runs().map(({ pid }) => pid))).toEqual(new Set([worker.pid]));
    });

    it("one without handlers leaves everything to one with handlers", async () => {
      const { start, untilDone, runs } = crowd(share());
      const front = await start("both", "");
      const worker = await start("both", "*");
      await sendAll(front, 0, 200);
      await untilDone(200);
      expect(new Set(runs().map(({ pid }) => pid))).toEqual(new Set([worker.pid]));
    });

    it("an old version leaves new kinds to the new version of a rolling deploy", async () => {
      const { start, untilDone, runs, look } = crowd(share());
      const front = await start("receive", "");
      const old = await start("both", "payment.received");
      await sendAll(front, 0, 50);
      await sendAll(old, 50, 100);
      // Those that the old version has a handler for are handled, and the others wait.
      const waiting = { waiting: 50, handled: 50, received: 0 };
      await vi.waitFor(
        async () => expect(await (await look()).counts()).toMatchObject(waiting),
        WAIT,
      );
      const next = await start("both", "payment.received,lead.created");
      await sendAll(front, 100, 150);
      await sendAll(old, 150, 200);
      await untilDone(200);
      const byNext = runs().filter(({ pid }) => pid === next.pid);
      expect(byNext.filter(({ kind }) => kind === "lead.created")).toHaveLength(100);
    });

    it("what is paused runs in none of them, new ones included, until it is resumed", async () => {
      const { start, untilDone, runs, look } = crowd(share());
      const front = await start("both", "*");
      const other = await start("run", "*");
      const inbox = await look();
      await inbox.pause?.({
        scope: "kind",
        name: "payment.received",
        since: Date.now(),
        who: "ann",
      });
      await delay(1500); // they look every second, or hear of it
      await sendAll(front, 0, 100);
      await vi.waitFor(
        async () => expect(await inbox.counts()).toMatchObject({ waiting: 50, handled: 50 }),
        WAIT,
      );
      other.kill("SIGKILL");
      await start("run", "*");
      await sendAll(front, 100, 150);
      await vi.waitFor(
        async () => expect(await inbox.counts()).toMatchObject({ waiting: 75, handled: 75 }),
        WAIT,
      );
      expect(runs().some(({ kind }) => kind === "payment.received")).toBe(false);
      await inbox.resume?.({ scope: "kind", name: "payment.received" }, Date.now());
      await untilDone(150);
    });

    it("what nobody has a handler for waits for `unhandledAfter`, and then ends as received", async () => {
      const { start, look } = crowd(share());
      const front = await start("receive", "");
      await start("run", "payment.received", 1000);
      await sendAll(front, 0, 20);
      const inbox = await look();
      const counts = { waiting: 0, running: 0, handled: 10, dead: 0, received: 10, failing: 0 };
      await vi.waitFor(async () => expect(await inbox.counts()).toEqual(counts), WAIT);
      const left = await inbox.list({ states: ["received"] });
      for (const { settledAt, receivedAt } of left)
        expect((settledAt ?? 0) - receivedAt).toBeGreaterThanOrEqual(1000);
    });
  });
}

const WAIT = { timeout: 15_000, interval: 50 };

function crowd({ path, schema, look: open }: SharedInbox) {
  const folder = mkdtempSync(join(tmpdir(), "hookporter-roles-"));
  const ran = join(folder, "ran");
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  let opened: Promise<Inbox> | undefined;
  const look = () => {
    opened ??= open();
    return opened;
  };
  const start = async (
    role: Role,
    kinds: string,
    unhandledAfter = 600_000,
  ): Promise<ChildProcess> => {
    const child = fork(CHILD, [path, schema, ran, role, kinds, String(unhandledAfter)]);
    onTestFinished(async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    });
    await once(child, "message");
    return child;
  };
  /** The runs of handlers so far. */
  const runs = () => {
    if (!existsSync(ran)) return [];
    const lines = readFileSync(ran, "utf8").split("\n").slice(0, -1);
    return lines.map((line) => {
      const [pid, kind, n] = line.split(" ");
      return { pid: Number(pid), kind, n: Number(n) };
    });
  };
  /** Resolves once all entries are handled; each ran once. */
  const untilDone = async (many: number) => {
    const done = { waiting: 0, running: 0, handled: many, dead: 0, received: 0, failing: 0 };
    await vi.waitFor(async () => expect(await (await look()).counts()).toEqual(done), WAIT);
    expect(
      runs()
        .map(({ n }) => n)
        .sort((a, b) => a - b),
    ).toEqual(Array.from({ length: many }, (_, n) => n));
  };
  return { start, untilDone, runs, look };
}

/** Makes a process receive events with these numbers; every other one is a lead. */
async function sendAll(child: ChildProcess, from: number, until: number): Promise<void> {
  const answered = new Set<number>();
  const all = new Promise<void>((resolve) => {
    child.on("message", ({ n, type }: { n: number; type: string }) => {
      expect(type).toBe("accepted");
      if (answered.add(n).size === until - from) resolve();
    });
  });
  for (let n = from; n < until; n++)
    child.send({ n, kind: n % 2 === 0 ? "payment.received" : "lead.created" });
  await all;
  child.removeAllListeners("message");
}
