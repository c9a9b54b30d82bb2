import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { createReceiver, type ReceiverOptions } from "../../src/entries/index.ts";
import type { Inbox } from "../../src/inbox/inbox.ts";
import { memoryInbox } from "../../src/inbox/memory.ts";
import { postgresStore } from "../../src/inbox/postgres.ts";
import { handleOf } from "../../src/inbox/shared/handle.ts";
import { sqliteInbox } from "../../src/inbox/sqlite.ts";
import { inboxOf } from "../../src/receiver/inbox-view.ts";
import { pgliteInboxes } from "../inbox/postgres/pglite.ts";
import { NOTHING, openReceiver } from "./open.ts";
import {
  deliveryOf,
  freshEnvelope,
  gate,
  inboxFile,
  keptLog,
  SECRET,
  wrapInbox,
} from "./sample.ts";

const BUDGET = { budget: 10_000 };

let postgres: Awaited<ReturnType<typeof pgliteInboxes>>;
beforeAll(async () => {
  postgres = await pgliteInboxes();
}, 60_000);

/** An inbox, and the same one for another process. */
const INBOXES: readonly [string, () => { first: Inbox; again: Inbox }][] = [
  ["in memory", () => twice(memoryInbox())],
  ["in a file", () => twice(sqliteInbox(inboxFile()))],
  [
    "on PostgreSQL",
    () => ({ first: postgres.makeInbox(), again: postgresStore(postgres.database) }),
  ],
];

function twice(inbox: Inbox) {
  return { first: inbox, again: inbox };
}

function create(inbox: Inbox, options: Partial<ReceiverOptions> = {}) {
  const { log, lines } = keptLog();
  const given = { secret: SECRET, inbox: handleOf(inbox), log, handlerTimeout: 1000, ...options };
  const receiver = createReceiver(given as ReceiverOptions);
  onTestFinished(() => receiver.close());
  return { receiver, lines };
}

/** Keeps events in an inbox whose receiver is closed before it can handle them. */
async function keepEvents(inbox: Inbox, many: number) {
  const { receiver } = create(inbox, { concurrency: 1, drainTimeout: 0 });
  receiver.on("*", () => gate().opened);
  await receiver.start();
  const timestamp = new Date().toISOString();
  for (let number = 0; number < many; number++) {
    await receiver.accept(deliveryOf(freshEnvelope({ timestamp }), undefined, Date.now()));
  }
  await receiver.close();
}

describe.each(INBOXES)("draining an inbox %s", (_, makeInbox) => {
  it("runs what is due without being started, and closes it again", async () => {
    const { first, again } = makeInbox();
    await keepEvents(first, 3);
    const close = vi.spyOn(again, "close");
    const { receiver } = create(again);
    const run = vi.fn();
    receiver.on("*", run);
    expect(await receiver.drain(BUDGET)).toEqual({ ...NOTHING, handled: 3 });
    expect(run).toHaveBeenCalledTimes(3);
    expect(close).toHaveBeenCalledOnce();
    expect(receiver.ready).toBe(false);
    expect(await receiver.drain(BUDGET)).toEqual(NOTHING);
    await receiver.start();
    expect(receiver.ready).toBe(true);
  });

  it("counts the attempt of a handler that fails, and says when it is due again", async () => {
    const { first, again } = makeInbox();
    await keepEvents(first, 1);
    const { receiver } = create(again, { retry: { delay: 60_000, jitter: 0 } });
    receiver.on("*", () => {
      throw new Error("no");
    });
    const before = Date.now();
    const report = await receiver.drain(BUDGET);
    expect(report).toEqual({ ...NOTHING, failing: 1, nextRunAt: expect.any(Number) });
    expect(Math.abs((report.nextRunAt ?? 0) - before - 60_000)).toBeLessThan(10_000);
    await receiver.start();
    expect(await inboxOf(receiver).list({})).toMatchObject([{ state: "failing", attempts: 1 }]);
  });

  it("in the role receive runs the handlers that nothing else does", async () => {
    const { receiver } = create(makeInbox().first, { role: "receive" });
    const run = vi.fn();
    receiver.on("*", run);
    await receiver.start();
    const timestamp = new Date().toISOString();
    await receiver.accept(deliveryOf(freshEnvelope({ timestamp }), undefined, Date.now()));
    expect(await inboxOf(receiver).list({})).toMatchObject([{ state: "waiting", attempts: 0 }]);
    expect(await receiver.drain(BUDGET)).toEqual({ ...NOTHING, handled: 1 });
    expect(run).toHaveBeenCalledOnce();
  });

  it("beside a started receiver leaves its inbox open", async () => {
    const { receiver } = create(makeInbox().first);
    await receiver.start();
    expect(await receiver.drain(BUDGET)).toEqual(NOTHING);
    expect(receiver.ready).toBe(true);
    expect(await inboxOf(receiver).list({})).toEqual([]);
  });
});

it("drains at once share one opening of the inbox, which the last of them closes", async () => {
  const calls: string[] = [];
  const real = memoryInbox();
  const inbox = wrapInbox(real, {
    open: async () => void calls.push("open"),
    close: async () => void calls.push("close"),
  });
  const { receiver } = create(inbox);
  await Promise.all([receiver.drain(BUDGET), receiver.drain(BUDGET), receiver.start()]);
  expect(calls).toEqual(["open"]);
  await receiver.close();
  expect(calls).toEqual(["open", "close"]);
});

it("a drain after close() is refused, and one under way is ended by it", async () => {
  const inbox = memoryInbox();
  await keepEvents(inbox, 1);
  const { receiver, lines } = create(inbox, { drainTimeout: 10 });
  const started = gate();
  receiver.on("*", (_, { signal }) => {
    started.open();
    return new Promise((_resolve, reject) =>
      signal.addEventListener("abort", () => reject(signal.reason)),
    );
  });
  const draining = receiver.drain(BUDGET);
  await started.opened;
  await receiver.close();
  expect(await draining).toMatchObject({ returned: 1 });
  expect(await inbox.list({})).toMatchObject([{ state: "waiting", attempts: 0 }]);
  await expect(receiver.drain(BUDGET)).rejects.toMatchObject({ code: "closed" });
  expect(lines).toMatchObject([{ level: "error", message: "a drain failed" }]);
});

it("an inbox that cannot be opened is reported and logged, and can be tried again", async () => {
  const open = vi.fn().mockRejectedValueOnce(new Error("no such host"));
  const { receiver, lines } = create(wrapInbox(memoryInbox(), { open }));
  await expect(receiver.drain(BUDGET)).rejects.toThrow("no such host");
  expect(lines).toMatchObject([{ level: "error", fields: { error: "no such host" } }]);
  expect(await receiver.drain(BUDGET)).toEqual(NOTHING);
});

it("the time to open the inbox is part of the budget", async () => {
  const open = () => new Promise<void>((resolve) => setTimeout(resolve, 150));
  const inbox = memoryInbox();
  const claim = vi.spyOn(inbox, "claim");
  const { receiver } = create(wrapInbox(inbox, { open }), { handlerTimeout: 800 });
  await receiver.drain({ budget: 1000 });
  expect(claim).not.toHaveBeenCalled();
});

it.each([
  [{}],
  [undefined],
  [{ budget: 0 }],
  [{ budget: 1.5 }],
  [{ budget: "5s" }],
  [{ budget: 1000 }],
  [{ budget: 1 }],
])("mistakes are refused with the fix: %j", async (options) => {
  const { receiver } = await openReceiver();
  await expect(receiver.drain(options as typeof BUDGET)).rejects.toMatchObject({
    code: "option_invalid",
  });
});

it("a process that only drained ends by itself, and nothing is left that would go on later", async () => {
  const inbox = inboxFile();
  await keepEvents(sqliteInbox(inbox), 20);
  const child = join(import.meta.dirname, "children", "drains.js");
  const { stdout } = await promisify(execFile)(process.execPath, [child, inbox], {
    timeout: 30_000,
  });
  const { nextRunAt: _, ...counts } = NOTHING;
  expect(JSON.parse(stdout)).toEqual({
    report: { ...counts, handled: 20 },
    isNextKnown: false,
    timers: [],
    resources: [],
  });
}, 40_000);
