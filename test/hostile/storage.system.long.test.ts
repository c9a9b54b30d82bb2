import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { expect, it, vi } from "vitest";
import { createReceiver } from "../../src/entries/index.ts";
import { memoryInbox } from "../../src/inbox/memory.ts";
import { pruneInbox } from "../../src/inbox/prune.ts";
import { handleOf } from "../../src/inbox/shared/handle.ts";
import { loadSqlite, openDatabase, pragma } from "../../src/inbox/sqlite/client.ts";
import { inboxOf } from "../../src/receiver/inbox-view.ts";
import { dueForPruning } from "../../src/receiver/retention.ts";
import { expectError, json, openReceiver } from "../receiver/open.ts";
import {
  bytes,
  DAY,
  envelope,
  freshEnvelope,
  gate,
  inboxFile,
  keptLog,
  SECRET,
  signedHeaders,
  until,
  wrapInbox,
} from "../receiver/sample.ts";
import { dial } from "../receiver/wire.ts";
import { caseTitle } from "./catalogue.ts";
import { nowEnvelope } from "./cli.ts";
import { head, openServer } from "./open.ts";
import { entriesOf, runsOf, startChild } from "./process.ts";

/**
 * The SQLite library that the inbox uses: two libraries in one process would break each other's
 * locks.
 */
const { DatabaseSync } = loadSqlite();

it(caseTitle(67, "storing an entry"), async () => {
  const path = inboxFile();
  const full = await startChild(path, "end", 1000); // at most half a megabyte
  const kept: string[] = [];
  const refused: object[] = [];
  for (let n = 0; n < 30; n++) {
    const event = nowEnvelope({ data: { n, text: "x".repeat(50_000) } });
    const reply = await full.post(event);
    if (reply.status === 200) kept.push((JSON.parse(reply.text) as { id: string }).id);
    else {
      expectError(reply, 503, "unavailable");
      expect(Number(reply.headers["retry-after"])).toBeGreaterThan(0);
      refused.push(event);
    }
  }
  expect(Math.min(kept.length, refused.length)).toBeGreaterThan(2);
  await full.end("SIGKILL");

  const roomy = await startChild(path); // now there is room
  for (const event of refused) {
    const reply = await roomy.post(event);
    expect([reply.status, JSON.parse(reply.text)]).toEqual([
      200,
      expect.objectContaining({ duplicate: false }),
    ]);
  }
  await until(() => expect(new Set(runsOf(path).map(({ id }) => id)).size).toBe(30));
  await roomy.end("SIGTERM");
  const ids = (await entriesOf(path)).map(({ key }) => key.eventId);
  expect(ids).toHaveLength(30);
  expect(ids).toEqual(expect.arrayContaining(kept));
}, 60_000);

it(caseTitle(67, "storing a result"), async () => {
  const path = inboxFile();
  const { receiver, post, entry, untilState, lines } = await openServer({ inbox: path });
  const settle = vi.spyOn(inboxOf(receiver), "settle");
  let runs = 0;
  receiver.on("*", () => void runs++);
  const other = new DatabaseSync(path);
  other.exec(`CREATE TRIGGER full BEFORE UPDATE ON entry WHEN NEW.state = 'handled'
    BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END`);
  expect((await post(envelope())).status).toBe(200);
  await until(() => expect(settle.mock.calls.length).toBeGreaterThan(1));
  expect(await entry()).toMatchObject({ state: "running", attempts: 1 });
  other.exec("DROP TRIGGER full");
  other.close();
  await untilState("handled");
  expect(await entry()).toMatchObject({ attempts: 1 });
  expect(runs).toBe(1);
  expect(lines).toEqual([]);
});

it(caseTitle(68, "locked"), async () => {
  const path = inboxFile();
  // No polling, since each poll would wait for the lock too.
  const { post, nothingKept, stillServes } = await openServer({ inbox: path, poll: 60_000 });
  await new Promise((resolve) => setTimeout(resolve, 20));
  const other = new DatabaseSync(path);
  other.exec("BEGIN IMMEDIATE");
  // The answer arrives although the lock is never released.
  expectError(await post(envelope()), 503, "unavailable");
  other.exec("ROLLBACK");
  other.close();
  await nothingKept();
  expect(json(await post(envelope()))).toMatchObject({ duplicate: false });
  await stillServes();
}, 30_000);

it(caseTitle(68, "a commit after the sender has disconnected"), async () => {
  const real = memoryInbox();
  const slow = gate();
  const append: typeof real.append = async (entry) => {
    await slow.opened;
    return real.append(entry);
  };
  const { url, post, entries, outcomes } = await openServer({
    inbox: handleOf(wrapInbox(real, { append })),
  });
  const body = bytes(envelope());
  const socket = await dial(url);
  socket.write(head({ ...signedHeaders(body), "content-length": body.length }));
  await new Promise<void>((resolve) => socket.write(body, () => resolve()));
  await new Promise((resolve) => setTimeout(resolve, 30));
  socket.destroy();
  slow.open();
  await until(() => expect(outcomes()).toMatchObject([{ type: "accepted", duplicate: false }]));
  expect(json(await post(envelope()))).toMatchObject({ duplicate: true });
  expect(await entries()).toHaveLength(1);
});

it(caseTitle(68, "more waiting deliveries than the inbox allows"), async () => {
  const { receiver, entries } = await openReceiver({ inbox: inboxFile() });
  const inbox = inboxOf(receiver);
  const key = { source: "service", eventId: "evt_1", timestamp: 0 };
  const touches = Array.from({ length: 10_500 }, () => inbox.touch(key, 0));
  const settled = await Promise.allSettled(touches);
  const refused = settled.filter(
    (result): result is PromiseRejectedResult => result.status === "rejected",
  );
  expect(refused.length).toBeGreaterThanOrEqual(500);
  expect(refused[0]?.reason).toMatchObject({ code: "inbox_busy" });
  expect(await entries()).toEqual([]);
});

it(caseTitle(69, "while a handler runs, and before the commit"), async () => {
  const path = inboxFile();
  const first = await startChild(path, "hang");
  const event = nowEnvelope();
  const reply = await first.post(event);
  expect(reply.status).toBe(200);
  const { id } = JSON.parse(reply.text) as { id: string };
  await until(() => expect(runsOf(path)).toHaveLength(1));
  // A second delivery has not arrived completely when the process is killed.
  const other = bytes(nowEnvelope());
  const socket = await dial(first.url);
  socket.write(head({ ...signedHeaders(other), "content-length": other.length }));
  socket.write(other.subarray(0, other.length - 1));
  await first.end("SIGKILL");
  expect((await entriesOf(path)).map(({ key, state }) => [key.eventId, state])).toEqual([
    [id, "running"],
  ]);

  const second = await startChild(path);
  const told = async (content: object) => JSON.parse((await second.post(content)).text) as object;
  expect(await told(event)).toMatchObject({ id, duplicate: true });
  expect(await told(other)).toMatchObject({ duplicate: false });
  await until(() => expect(runsOf(path)).toHaveLength(3));
  expect(runsOf(path).filter((run) => run.id === id)).toMatchObject([
    { attempt: 1 },
    { attempt: 2 },
  ]);
  await second.end("SIGTERM");
  expect((await entriesOf(path)).map(({ state }) => state)).toEqual(["handled", "handled"]);
}, 60_000);

it(caseTitle(69, "at any moment under load"), async () => {
  const path = inboxFile();
  const first = await startChild(path, "slow");
  const events = Array.from({ length: 200 }, () => nowEnvelope());
  const acknowledged: string[] = [];
  let killed: Promise<void> | undefined;
  await Promise.all(
    events.map(async (event) => {
      const reply = await first.post(event).catch(() => undefined);
      if (reply?.status !== 200) return;
      acknowledged.push((JSON.parse(reply.text) as { id: string }).id);
      if (acknowledged.length === 60) killed = first.end("SIGKILL");
    }),
  );
  await killed;
  expect(acknowledged.length).toBeGreaterThanOrEqual(60);
  const kept = new Set((await entriesOf(path)).map(({ key }) => key.eventId));
  expect(acknowledged.filter((id) => !kept.has(id))).toEqual([]);
  const second = await startChild(path);
  await until(() => {
    const ran = new Set(runsOf(path).map(({ id }) => id));
    expect(acknowledged.filter((id) => !ran.has(id))).toEqual([]);
  });
  await second.end("SIGTERM");
}, 60_000);

it(caseTitle(70), async () => {
  const path = inboxFile();
  const { post } = await openServer({ inbox: path });
  // A power cut leaves exactly what is in the files at the moment of the answer.
  for (let n = 1; n <= 5; n++) {
    expect((await post(freshEnvelope())).status).toBe(200);
    const copy = `${path}.${n}`;
    copyFileSync(path, copy);
    copyFileSync(`${path}-wal`, `${copy}-wal`);
    expect(await entriesOf(copy)).toHaveLength(n);
  }
  const database = openDatabase(path);
  try {
    expect([pragma(database, "journal_mode"), pragma(database, "synchronous")]).toEqual(["wal", 2]);
  } finally {
    database.close();
  }
});

it(caseTitle(71), async () => {
  const foreign = (path: string) => {
    const database = new DatabaseSync(path);
    database.exec("CREATE TABLE customer (name TEXT); INSERT INTO customer VALUES ('x')");
    database.close();
  };
  const newer = async (path: string) => {
    await entriesOf(path);
    const database = new DatabaseSync(path);
    database.exec("INSERT INTO migration VALUES (999, 0)");
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    database.close();
  };
  const overwritten = async (path: string) => {
    const { receiver } = await openReceiver({ inbox: path });
    for (let n = 0; n < 50; n++) await inboxOf(receiver).append(entryOf(n));
    await receiver.close();
    const whole = readFileSync(path);
    writeFileSync(path, whole.fill(0xa5, 100));
  };
  const cases: readonly [string, (path: string) => unknown, string][] = [
    ["no database", (path) => writeFileSync(path, "not a database, ".repeat(999)), "inbox_corrupt"],
    ["another program's", foreign, "inbox_corrupt"],
    ["of a newer version", newer, "inbox_newer"],
    ["overwritten", overwritten, "inbox_corrupt"],
  ];
  for (const [name, make, code] of cases) {
    const path = `${inboxFile()}.other`; // does not exist yet
    await make(path);
    const before = readFileSync(path);
    const receiver = createReceiver({ secret: SECRET, inbox: path, log: keptLog().log });
    await expect(receiver.start()).rejects.toMatchObject({ code });
    // It has not started, so it answers 503, and it neither repairs nor recreates the file.
    const body = bytes(envelope());
    const delivery = {
      method: "POST",
      target: "/webhooks",
      headers: signedHeaders(body),
      body,
      receivedAt: 0,
    };
    expect(await receiver.accept(delivery)).toMatchObject({ type: "unavailable" });
    expect([name, readFileSync(path).equals(before)]).toEqual([name, true]);
    await receiver.close();
  }
});

it(caseTitle(71, "damaged or removed while it runs"), async () => {
  const path = inboxFile();
  const { post, receiver } = await openServer({ inbox: path });
  const other = new DatabaseSync(path);
  other.exec("DROP TABLE delivery");
  other.close();
  for (let n = 0; n < 3; n++) expectError(await post(freshEnvelope()), 503, "unavailable");
  expect(existsSync(path)).toBe(true);
  await receiver.close();
  const removed = inboxFile();
  const next = await openServer({ inbox: removed });
  expect((await next.post(freshEnvelope())).status).toBe(200);
  for (const end of ["", "-wal", "-shm"]) rmSync(removed + end);
  // An entry written now would be lost with the process: it must not be acknowledged.
  expectError(await next.post(freshEnvelope()), 503, "unavailable");
});

function entryOf(n: number) {
  const body = bytes(freshEnvelope());
  return {
    key: { source: "service", eventId: `evt_${n}`, timestamp: n },
    kind: "payment.received",
    eventTimestamp: n,
    reason: null,
    orderKey: null,
    state: "waiting" as const,
    delivery: { method: "POST", target: "/webhooks", headers: {}, body, receivedAt: n },
  };
}

it(caseTitle(72), async () => {
  const path = inboxFile();
  const { receiver, post, clock, entries } = await openServer({
    inbox: path,
    maxAge: DAY,
    maxSkew: 0,
    retention: DAY,
  });
  const runs = new Map<unknown, number>();
  receiver.on("*", ({ data }) => void runs.set(data.n, (runs.get(data.n) ?? 0) + 1));
  const events = Array.from({ length: 120 }, (_, n) => freshEnvelope({ data: { n } }));
  for (const event of events) expect((await post(event)).status).toBe(200);
  await until(() => expect(runs.size).toBe(120));
  await until(async () => expect((await inboxOf(receiver).counts()).handled).toBe(120));
  const stuck = gate();
  receiver.replaceHandlers((registry) => registry.on("*", () => stuck.opened));
  clock.now += DAY - 1;
  const waiting = freshEnvelope({
    timestamp: new Date(clock.now).toISOString(),
    data: { n: "waits" },
  });
  expect((await post(waiting)).status).toBe(200);
  clock.now += 2; // everything else exceeds its retention, and is too old
  const pruning = pruneInbox(
    inboxOf(receiver),
    dueForPruning({ ...TERMS, clock: () => clock.now }),
  );
  const replies = await Promise.all(events.map((event) => post(event)));
  expect((await pruning).pruned).toBe(120);
  for (const reply of replies) {
    if (reply.status === 200) expect(json(reply)).toMatchObject({ duplicate: true });
    else expectError(reply, 400, "invalid_request", "timestamp");
  }
  expect([...runs.values()].every((count) => count === 1)).toBe(true);
  expect(
    (await entries()).filter(({ state }) => state === "running" || state === "waiting"),
  ).toHaveLength(1);
  stuck.open();
}, 60_000);

const TERMS = { source: "service", maxAge: DAY, retention: DAY, deliveryRetention: DAY };
