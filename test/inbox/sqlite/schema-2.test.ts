import { hash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import type { AttemptRecord } from "../../../src/inbox/attempt-record.ts";
import type { Inbox } from "../../../src/inbox/inbox.ts";
import { backUp } from "../../../src/inbox/sqlite/care/backup.ts";
import { checkFile } from "../../../src/inbox/sqlite/care/check-file.ts";
import { vacuumFile } from "../../../src/inbox/sqlite/care/vacuum.ts";
import { loadSqlite, markAsInbox } from "../../../src/inbox/sqlite/client.ts";
import { createSchema, SCHEMA_VERSION } from "../../../src/inbox/sqlite/migrations.ts";
import { salvageFile } from "../../../src/inbox/sqlite/salvage/salvage.ts";
import { openFileTransfer } from "../../../src/inbox/sqlite/transfer.ts";
import { sqliteInbox } from "../../../src/inbox/sqlite.ts";
import { copyInbox } from "../../../src/inbox/transfer/copy.ts";
import { AT, claimOne, keep, numberedEntry, sampleKey, settlementOf } from "../entries.ts";
import { contentOf } from "../transfer/every-state.ts";

const STATES = ["pending", "running", "done", "dead", "unhandled"] as const;
const BODY = Buffer.from('{"event":"payment.received"}');
const RUN: AttemptRecord = {
  ...{ attempt: 1, handler: "a", startedAt: AT, duration: 1.25, outcome: "ok" },
  ...{ error: null, failure: null, note: null },
};

let folder: string;
let path: string;

/** A file as version 0.1.0 left it: an entry in each state, received at `AT`, `AT + 1` and so on. */
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hookporter-schema-2-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  path = join(folder, "inbox.db");
  const database = new (loadSqlite().DatabaseSync)(path);
  markAsInbox(database);
  createSchema(database, AT, 2);
  for (const [index] of STATES.entries()) insertAsSchema2(database, index + 1);
  database.close();
});

function insertAsSchema2(database: DatabaseSyncInstance, seq: number): void {
  const state = STATES[seq - 1] ?? "pending";
  const ended = state === "done" || state === "dead" || state === "unhandled";
  const finished = state === "done" ? '["a"]' : "[]";
  const { eventId, source, timestamp } = sampleKey({ eventId: `evt_old_${seq}` });
  database
    .prepare(
      `INSERT INTO entry (seq, key_timestamp, event_id, source, kind, event_timestamp, state, reason, received_at, run_at,
         last_seen_at, settled_at, lease, attempts, finished_handlers, body_hash, body_length)
       VALUES (?, ?, ?, ?, 'payment.received', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(
      ...[seq, timestamp, eventId, source, timestamp, state, state === "dead" ? "attempts_exhausted" : null],
      ...[AT + seq, AT + seq, AT + seq, ended ? AT + seq : null, state === "pending" ? null : "r.1"],
      ...[state === "pending" ? 0 : 1, finished, hash("sha256", BODY), BODY.byteLength],
    );
  database
    .prepare(
      "INSERT INTO delivery (seq, method, target, headers, body) VALUES (?, 'POST', '/webhooks', '{}', ?)",
    )
    .run(seq, BODY);
  if (state !== "done" && state !== "dead") return;
  database
    .prepare(
      `INSERT INTO attempt (seq, attempt, handler, started_at, duration_ms, outcome, error)
       VALUES (?, 1, 'a', ?, 1.25, ?, ?)`,
    )
    .run(seq, AT, ...(state === "done" ? ["ok", null] : ["error", "no"]));
}

async function open(at = path, access: "own" | "read" = "own"): Promise<Inbox> {
  const inbox = sqliteInbox(at);
  await inbox.open({ access });
  onTestFinished(() => inbox.close());
  return inbox;
}

/** Opens the file, keeps an entry and handles another, so that it has rows of both schemas. */
async function openMixed(): Promise<Inbox> {
  const inbox = await open();
  const lease = { token: "r.2", until: AT + 1000 };
  const { seq } = await keep(inbox, numberedEntry(1, 0, { lease }));
  const settlement = settlementOf({ seq, lease: "r.2" }, { records: [RUN], finishedHandlers: ["a"] });
  expect(await inbox.settle(settlement, AT + 1)).toBe(true);
  await keep(inbox, numberedEntry(2, 20_000));
  return inbox;
}

it("a file of schema 2 is read as it is, by a reader before and by its owner after the migration", async () => {
  const reader = await open(path, "read");
  const before = await contentOf(reader);
  expect(before.whole.map(({ entry }) => entry.state)).toEqual(STATES);
  expect(before.whole[2]).toMatchObject({ entry: { finishedHandlers: ["a"] }, runs: [RUN] });
  expect(before.whole[3]).toMatchObject({ runs: [{ error: "no", failure: null }] });
  await reader.close();
  const owner = await open();
  expect(await contentOf(owner)).toEqual(before);
});

it("a reader of a file of schema 2 finds nothing of what only newer files have", async () => {
  const reader = await open(path, "read");
  expect(await reader.senders?.()).toEqual([]);
  expect(await reader.pauses?.()).toEqual({ paused: [], retries: [] });
  expect(await reader.waiting()).toEqual([]);
  expect(await reader.list({ targets: ["http://localhost:3000"] })).toEqual([]);
  expect(await reader.list({ text: "evt_old_2" })).toMatchObject([{ seq: 2 }]);
});

it("entries of schema 2 are claimed, settled and known again", async () => {
  const inbox = await open();
  const claimed = await inbox.claim({ now: AT + 10, limit: 10, leaseTime: 1000 });
  expect(claimed.map(({ seq, attempts }) => [seq, attempts])).toEqual([
    [1, 1],
    [2, 2],
  ]);
  expect(claimed.map(({ unreadable }) => unreadable)).toEqual([undefined, undefined]);
  const run = { ...RUN, attempt: 2 };
  for (const entry of claimed) {
    const settlement = settlementOf(entry, { records: [run], finishedHandlers: ["a"] });
    expect(await inbox.settle(settlement, AT + 11)).toBe(true);
  }
  expect(await inbox.attempts(2)).toEqual([run]);
  expect(await inbox.retry({ seq: 4 }, AT + 12)).toBe(1);
  const retried = await claimOne(inbox, AT + 12);
  await inbox.settle(settlementOf(retried, { records: [RUN], finishedHandlers: ["a"] }), AT + 13);
  expect((await inbox.attempts(4)).map(({ outcome }) => outcome)).toEqual(["error", "ok"]);
  expect(await inbox.touch(sampleKey({ eventId: "evt_old_3" }), AT + 14)).toMatchObject({ seq: 3 });
});

it("a file with rows of both schemas is searched, slimmed and pruned as a whole", async () => {
  const inbox = await openMixed();
  expect((await inbox.list({ text: "a", kinds: ["payment.*"] })).length).toBe(7);
  const entries = await inbox.list({ states: ["done"] });
  const outlines = (await inbox.outlines?.({ entries, bodyBytes: 8 })) ?? [];
  expect(outlines.map(({ seq, lastRuns }) => [seq, lastRuns.map(({ handler }) => handler)])).toEqual([
    [3, ["a"]],
    [6, ["a"]],
  ]);
  expect((await inbox.slim({ settledUntil: AT + 100 }, { limit: 100 })).changed).toBe(2);
  expect(await inbox.attempts(6)).toEqual([RUN]);
  const request = { states: ["done"], receivedUntil: AT + 100, datedUntil: AT + 100 } as const;
  expect((await inbox.prune(request, { limit: 100 })).changed).toBe(2);
  expect(await inbox.attempts(6)).toEqual([]);
  expect((await inbox.list({})).map(({ seq }) => seq)).toEqual([1, 2, 4, 5, 7]);
});

it("a file with rows of both schemas is copied, backed up, written anew, checked and salvaged with all its content", async () => {
  const inbox = await openMixed();
  const content = await contentOf(inbox);
  await inbox.close();
  const contentAt = async (at: string) => contentOf(await open(at));

  const [from, to] = await Promise.all([
    openFileTransfer(path, "read"),
    openFileTransfer(join(folder, "copy.db"), "own"),
  ]);
  await copyInbox(from, to).finally(() => Promise.all([from.close(), to.close()]));
  expect(await contentAt(join(folder, "copy.db"))).toEqual(content);

  const backup = backUp(path, join(folder, "backup.db"));
  expect(await contentAt(backup.path)).toEqual(content);

  vacuumFile(path);
  expect(checkFile(path)).toEqual({ problems: [], unreadable: [], usable: true });

  const salvaged = await openFileTransfer(join(folder, "salvaged.db"), "own");
  const result = await salvageFile(path, salvaged, { source: "service" }).finally(() => salvaged.close());
  expect(result).toMatchObject({ entries: 7, rebuilt: [], withoutDelivery: [], lost: [] });
  expect(await contentAt(join(folder, "salvaged.db"))).toEqual(content);
});

it("the runs of handlers that all succeeded can be read with SQL, as the changelog says", async () => {
  await openMixed();
  const database = new (loadSqlite().DatabaseSync)(path, { readOnly: true });
  onTestFinished(() => database.close());
  expect(database.prepare("SELECT max(version) AS v FROM migration").get()?.v).toBe(SCHEMA_VERSION);
  const runs = `SELECT seq, run.value ->> 0 AS handler, run.value ->> 1 AS attempt, run.value ->> 2 AS started_at,
      run.value ->> 3 AS duration_ms
    FROM entry, json_each(finished_handlers) AS run WHERE run.type = 'array'`;
  expect(
    database
      .prepare(runs)
      .all()
      .map((row) => ({ ...row })),
  ).toEqual([{ seq: 6, handler: "a", attempt: 1, started_at: AT, duration_ms: 1.25 }]);
});
