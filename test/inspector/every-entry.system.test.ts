import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { startServer } from "../../src/adapters/server.ts";
import { createReceiver } from "../../src/entries/index.ts";
import type { Inbox } from "../../src/inbox/inbox.ts";
import { memoryInbox } from "../../src/inbox/memory.ts";
import { postgresStore } from "../../src/inbox/postgres.ts";
import { handleOf } from "../../src/inbox/shared/handle.ts";
import { sqliteInbox } from "../../src/inbox/sqlite.ts";
import { inboxOf } from "../../src/receiver/inbox-view.ts";
import { runCli, tempFolder } from "../cli/fake-io.ts";
import { pgliteInboxes } from "../inbox/postgres/pglite.ts";
import { openServer } from "../inbox/postgres/schemas.ts";
import { NO_SERVER } from "../inbox/postgres/server.ts";
import { openInspector, SECRET, until } from "./open.ts";

const { makeInbox } = await pgliteInboxes("every_entry");
const server = NO_SERVER === undefined ? await openServer() : undefined;
/** An inbox, and how `--inbox` names it for commands. */
interface Shown {
  readonly inbox: Inbox;
  readonly named?: string;
}
const INBOXES: readonly (readonly [string, () => Shown])[] = [
  ["the inbox in memory", () => ({ inbox: memoryInbox() })],
  [
    "an inbox file",
    () => {
      const named = join(tempFolder(), "inbox.db");
      return { inbox: sqliteInbox(named), named };
    },
  ],
  ["PostgreSQL, in PGlite", () => ({ inbox: makeInbox() })],
  ...(server === undefined
    ? []
    : [
        [
          "a PostgreSQL server",
          () => {
            const schema = server.newSchema();
            const url = server.server.url;
            return { inbox: postgresStore(url, { schema }), named: `${url}?schema=${schema}` };
          },
        ] as const,
      ]),
];

const envelope = (parts: object) => ({
  event: "payment.received",
  timestamp: new Date().toISOString(),
  data: {},
  webhook: { id: "wh_1", url: "https://app.test/webhooks" },
  ...parts,
});
const json = (parts: object) => Buffer.from(JSON.stringify(envelope(parts)));

/** An event with a text as its id, instead of which something else is written. */
const withId = (text: string) =>
  Buffer.from(
    json({ data: { id: "x" } })
      .toString()
      .replace('"x"', text),
  );
const OTHER_KINDS = ["__proto__", "constructor", "payment.*", "*", " payment.received\n", "../x"];
const TIMES = ["2026-02-30T00:00:00Z", "2016-12-31T23:59:60Z", "1768471200", ""];

/** Bodies that a sender may sign. */
const BODIES: readonly Buffer[] = [
  Buffer.alloc(0),
  Buffer.from(" "),
  Buffer.from([0]),
  Buffer.from([0xe2, 0x82]), // half a character
  Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), json({})]), // a byte order mark
  Buffer.from("null"),
  Buffer.from("[".repeat(5000)),
  Buffer.from("[".repeat(100_000) + "]".repeat(100_000)),
  Buffer.from(`${'{"data":'.repeat(200)}1${"}".repeat(200)}`),
  Buffer.from('{"__proto__":{"a":1},"event":"x"}'),
  Buffer.from(`${json({}).toString().slice(0, -1)},"data":{"id":2}}`), // the same key twice
  json({ data: { id: "\0\0" } }),
  json({ data: { id: { id: { id: 1 } } } }),
  json({ data: { id: "x".repeat(900_000) } }),
  withId('"\\ud800"'),
  withId("1e999"),
  withId("[9007199254740993,-1e400,0.10000000000000000555]"),
  json({ event: "<img src=x onerror=alert(1)>" }),
  json({ event: "\u202epayment.received" }),
  json({ event: "k".repeat(10_000) }),
  json({ event: "x".repeat(900_000) }),
  json({ event: "" }),
  json({ event: "a\u200b\u00ad\ufeff", data: { id: "\u{e0041}" } }), // invisible text
  json({ event: "payment.receiv\u00e9d" }),
  ...[...OTHER_KINDS, "error"].map((event) => json({ event })),
  ...[...TIMES, "2999-01-01T00:00:00Z", "1999-01-01T00:00:00Z", "soon"].map((timestamp) =>
    json({ timestamp }),
  ),
  json({ timestamp: "+275760-09-13T00:00:00Z" }),
  ...[null, [], "x", 1, true, { "": { "": null } }].map((data) => json({ data })),
  ...["hook_1", "WH_1", "", 1, ["wh_1"], {}].map((id) =>
    json({ webhook: { id, url: "https://app.test/webhooks" } }),
  ),
];

/** What `hookporter check` sends, of what a receiver keeps. */
const checked: Uint8Array[] = [];

beforeAll(async () => {
  const inbox = memoryInbox();
  const receiver = createReceiver({ secret: SECRET, inbox: handleOf(inbox) });
  receiver.on("*", () => {});
  await receiver.start();
  const server = await startServer(receiver, { port: 0, host: "127.0.0.1", path: "/webhooks" });
  const { stdout } = await runCli(["check", server.url.href, "--json"], {
    cwd: tmpdir(),
    env: { HOOKPORTER_SECRET: SECRET },
  });
  expect(stdout).toContain('"type":"summary"');
  for (const { seq } of await inbox.list({})) {
    const delivery = await inbox.delivery(seq);
    if (delivery !== undefined) checked.push(delivery.body);
  }
  await server.close();
  await receiver.close();
});

const VIEWS = ["", "/related", "/alike", "/body", "/fixture", "/curl"];

const QUERIES = ["limit=500", "text=payment", "state=dead"].map((query) => `entries?${query}`);
const LISTS = [...QUERIES, "overview", "counts", "tally", "refusals"];

describe.each(INBOXES)("every view of %s", (_name, makeShown) => {
  it("answers for every entry that a sender can make", { timeout: 300_000 }, async () => {
    const { inbox, named } = makeShown();
    const handler = ({ kind }: { kind: string }) => {
      if (kind.startsWith("tenant.")) throw new Error(`no ${"\0\u202e"}`);
    };
    const { api, deliver, receiver } = await openInspector({ inbox, handler, attempts: 1 });
    for (const body of [...checked, ...BODIES]) await deliver(body);
    await until(async () => expect(await inbox.counts()).toMatchObject({ waiting: 0, running: 0 }));
    const entries = await inboxOf(receiver).list({});
    expect(entries.length).toBeGreaterThan(80);
    const wrong: string[] = [];
    const ask = async (path: string) => {
      const { status, text } = await api(path);
      if (status !== 200) wrong.push(`${path}: ${status} ${text.slice(0, 200)}`);
    };
    for (const list of LISTS) await ask(`/api/${list}`);
    for (const { seq } of entries) {
      for (const view of VIEWS) await ask(`/api/entries/${seq}${view}`);
      await ask(`/api/entries?like=${seq}`);
    }
    expect(wrong).toEqual([]);
    const listed = (await api("/api/entries?limit=5000")).json.rows;
    expect(listed.length).toBe(entries.length);
    if (named === undefined) return;
    for (const command of [["list", "--limit", "1000"], ["list", "--group"], ["export"]]) {
      const { code, stderr } = await runCli(["events", ...command, "--inbox", named]);
      expect([command, code, stderr.includes("error:")]).toEqual([command, 0, false]);
    }
    for (const { seq } of entries.slice(-BODIES.length)) {
      const { code, stdout } = await runCli(["events", "show", String(seq), "--inbox", named]);
      expect([seq, code]).toEqual([seq, 0]);
      expect(stdout).not.toMatch(/[\0\u202e\ud800\u200b\u00ad]/);
      const asRecord = await runCli(["events", "show", String(seq), "--json", "--inbox", named]);
      expect([seq, asRecord.code, asRecord.records.length]).toEqual([seq, 0, 1]);
    }
  });
});
