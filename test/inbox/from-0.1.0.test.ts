import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { connect } from "../../src/inbox/postgres/connect.ts";
import { readPostgresOptions } from "../../src/inbox/postgres/options.ts";
import { Store } from "../../src/inbox/postgres/store.ts";
import { openSchemaTransfer } from "../../src/inbox/postgres/transfer.ts";
import { postgresStore } from "../../src/inbox/postgres.ts";
import { checkFile } from "../../src/inbox/sqlite/care/check-file.ts";
import { openFileTransfer } from "../../src/inbox/sqlite/transfer.ts";
import { sqliteInbox } from "../../src/inbox/sqlite.ts";
import { copyInbox } from "../../src/inbox/transfer/copy.ts";
import { createReceiver } from "../../src/receiver/create-receiver.ts";
import { inboxOf } from "../../src/receiver/inbox-view.ts";
import { pgliteInboxes } from "./postgres/pglite.ts";
import { contentOf } from "./transfer/every-state.ts";

const log = { debug() {}, info() {}, warn() {}, error() {} };
const FIXTURE = join(import.meta.dirname, "..", "fixtures", "inbox-0.1.0");
/** An hour after version 0.1.0 was killed, so that its lease has ended. */
const NOW = Date.parse("2026-01-15T10:30:00.000Z");

const { database } = await pgliteInboxes();

/** The file and its log, as version 0.1.0 left them when it was killed. */
function unpack(): string {
  const folder = mkdtempSync(join(tmpdir(), "hookporter-0.1.0-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of ["inbox.db", "inbox.db-wal"]) {
    writeFileSync(join(folder, name), gunzipSync(readFileSync(join(FIXTURE, `${name}.gz`))));
  }
  return join(folder, "inbox.db");
}

async function openFixture() {
  const path = unpack();
  const inbox = sqliteInbox(path);
  await inbox.open();
  onTestFinished(() => inbox.close());
  return { path, inbox };
}

describe("an inbox file of version 0.1.0", () => {
  it("opens with every entry, run and delivery that it had", async () => {
    const { inbox } = await openFixture();
    const { whole, counts } = await contentOf(inbox);
    const shown = whole.map(({ entry: { kind, state, reason, attempts, duplicates, orderKey } }) =>
      [kind, state, reason, attempts, duplicates, orderKey].join(" "),
    );
    expect(shown.sort()).toEqual(
      [
        "payment.received done  1 2 ",
        "payment.received dead attempts_exhausted 2 0 ",
        "tenant.created unhandled no_handler 1 0 ",
        " dead invalid_json 0 0 ",
        "property.created dead invalid_data 0 0 ",
        "payment.received pending  1 0 ",
        "lease.expired running  1 0 lease_sample_0001",
        "lease.expired pending  0 0 lease_sample_0001",
      ].sort(),
    );
    expect(counts).toMatchObject({ pending: 2, running: 1, done: 1, dead: 3, unhandled: 1 });
    const bodies = whole.map(({ delivery }) => Buffer.from(delivery.body ?? "", "hex").toString());
    expect(bodies.filter((body) => body === "not JSON at all")).toHaveLength(1);
    expect(bodies.filter((body) => body.includes('"wh_sample_0001"'))).toHaveLength(7);
    const runs = whole.flatMap(({ runs }) => runs.map(({ outcome, error }) => [outcome, error].join(" ")));
    expect(runs.sort()).toEqual([
      "error no account acc_sample_9",
      "error no account acc_sample_9",
      "error the ledger is closed",
      "ok ",
    ]);
  });

  it("runs what waited and what was running, in order, and the dead again, and takes known events for duplicates", async () => {
    const path = unpack();
    const ran: string[] = [];
    const receiver = createReceiver({
      secret: "a sample secret",
      inbox: path,
      clock: () => NOW,
      log,
      poll: 20,
    });
    receiver.on(
      "*",
      ({ kind, data }) =>
        void ran.push(`${kind} ${String(Object(data).id)}${Object(data).again ? " again" : ""}`),
    );
    await receiver.start();
    onTestFinished(() => receiver.close());
    await vi.waitFor(async () =>
      expect(await inboxOf(receiver).counts()).toMatchObject({ pending: 0, running: 0, done: 4 }),
    );
    expect(ran.filter((line) => line.startsWith("lease"))).toEqual([
      "lease.expired lease_sample_0001",
      "lease.expired lease_sample_0001 again",
    ]);
    expect(ran).toContain("payment.received pay_sample_0003");

    const [done] = await inboxOf(receiver).list({ kinds: ["payment.received"], states: ["done"], limit: 1 });
    expect(await inboxOf(receiver).touch(Object(done).key, NOW)).toMatchObject({ duplicate: true });
    expect(await inboxOf(receiver).retry({ seqs: [2] }, NOW)).toBe(1);
    await vi.waitFor(() => expect(ran).toContain("payment.received pay_sample_0002"));
  });

  it("is pruned and passes the check", async () => {
    const { path, inbox } = await openFixture();
    const request = { states: ["done", "dead"], receivedUntil: NOW, datedUntil: NOW } as const;
    await inbox.prune(request, { limit: 100 });
    expect(await inbox.counts()).toMatchObject({ done: 0, dead: 0, pending: 2 });
    expect(checkFile(path)).toEqual({ problems: [], unreadable: [], usable: true });
  });

  it.each([
    [
      "a new file",
      () => {
        const copy = `${unpack()}-copy`;
        return { inbox: sqliteInbox(copy), open: async () => openFileTransfer(copy, "own") };
      },
    ],
    [
      "PostgreSQL",
      () => {
        const terms = readPostgresOptions(database, { schema: "from_first" });
        return {
          inbox: postgresStore(database, { schema: "from_first" }),
          open: async () => openSchemaTransfer(new Store(await connect(terms), terms), "own"),
        };
      },
    ],
  ] as const)("is copied to %s with all its content", async (_, target) => {
    const { path, inbox } = await openFixture();
    const original = await contentOf(inbox);
    await inbox.close();
    const { inbox: copied, open } = target();
    const [from, to] = [await openFileTransfer(path, "read"), await open()];
    expect(await copyInbox(from, to)).toMatchObject({ entries: 8 });
    await from.close();
    await to.close();
    await copied.open();
    onTestFinished(() => copied.close());
    expect(await contentOf(copied)).toEqual(original);
  });
});
