import {
  chmodSync,
  closeSync,
  copyFileSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { expect, vi } from "vitest";
import { sampleEvent } from "../../../../src/event/sample.ts";
import { loadSqlite } from "../../../../src/inbox/sqlite/client.ts";
import { sqliteInbox } from "../../../../src/inbox/sqlite.ts";
import { keep, numberedEntry, sampleDelivery } from "../../../inbox/entries.ts";
import { runCli } from "../../fake-io.ts";
import { listening } from "../../open-listen.ts";
import type { Fault } from "../fault.ts";
import { changeInbox } from "../place.ts";

/** SQL that notes authentic deliveries until a time ago, one an hour, and refused ones since. */
const refusedSince = (hours: number) => {
  const now = Date.now();
  const authenticAt = now - hours * 3_600_000;
  const days = JSON.stringify([
    { day: Math.floor(authenticAt / 86_400_000), events: 20, longestGap: 3_600_000 },
  ]);
  return `INSERT INTO sender VALUES ('service', ${authenticAt}, 1305, 3, ${authenticAt + 60_000}, ${now}, '${days}')`;
};

/** Faults of the inbox file. */
export const INBOX_FAULTS: readonly Fault[] = [
  {
    title: "an inbox with a second name",
    plant: ({ inbox }) => linkSync(inbox, `${inbox}.second`),
    found: { check: "inbox", status: "warn", message: /has 2 names \(hard links\)/ },
    fix: /use one name, and remove the others/,
    follow: ({ inbox }) => rmSync(`${inbox}.second`),
  },
  {
    title: "an inbox that others may read",
    plant: ({ inbox }) => chmodSync(inbox, 0o644),
    found: { check: "inbox", status: "warn", message: /may read .*inbox\.db \(mode 0644\)/ },
    fix: /^chmod 600 \S+inbox\.db$/,
  },
  {
    title: "a rescued file that was not merged",
    plant: ({ inbox }) => copyFileSync(inbox, `${inbox}-rescued-20260101T120000Z`),
    found: {
      check: "inbox",
      status: "warn",
      message: /inbox\.db-rescued-20260101T120000Z holds what was in/,
    },
    fix: /inbox copy \S+-rescued-20260101T120000Z --into \S+inbox\.db`, then delete/,
    follow: async ({ inbox }) => {
      const rescued = `${inbox}-rescued-20260101T120000Z`;
      expect((await runCli(["inbox", "copy", rescued, "--into", inbox])).code).toBe(0);
      rmSync(rescued);
    },
  },
  {
    title: "an inbox in a folder that others may write to",
    plant: ({ cwd }) => chmodSync(join(cwd, ".hookporter"), 0o777),
    found: {
      check: "inbox",
      status: "warn",
      message: /may replace files in .*\.hookporter \(mode 0777\)/,
    },
    fix: /^chmod go-w \S+\.hookporter$/,
  },
  {
    title: "an inbox in a synchronised folder",
    plant: (place) => {
      mkdirSync(join(place.cwd, "Dropbox"), { mode: 0o700 });
      place.argv.push("--inbox", "Dropbox/inbox.db");
    },
    found: {
      check: "inbox",
      status: "warn",
      message: /is in Dropbox, which copies files while they change/,
    },
    fix: /move the inbox to a folder that is not synchronised, and pass it with --inbox/,
    follow: (place) => place.argv.push("--inbox", ".hookporter/inbox.db"),
  },
  {
    title: "a folder at the path of the inbox",
    plant: (place) => place.argv.push("--inbox", ".hookporter"),
    found: { check: "inbox", status: "fail", message: /is a folder/ },
    fix: /name a file in it with --inbox/,
    follow: (place) => place.argv.push("--inbox", ".hookporter/inbox.db"),
  },
  {
    title: "an inbox that is gone while its log is there",
    plant: ({ inbox }) => {
      renameSync(inbox, `${inbox}.backup`);
      writeFileSync(`${inbox}-wal`, "frames");
    },
    found: {
      check: "inbox",
      status: "fail",
      message: /^expected the inbox file \S+ beside its log/,
    },
    fix: /^put it back, see docs\/recovery\.md; or/,
    follow: ({ inbox }) => {
      rmSync(`${inbox}-wal`);
      renameSync(`${inbox}.backup`, inbox);
    },
  },
  {
    title: "an empty file at the path of the inbox",
    plant: ({ inbox }) => {
      renameSync(inbox, `${inbox}.backup`);
      writeFileSync(inbox, "", { mode: 0o600 });
    },
    found: {
      check: "inbox",
      status: "fail",
      message: /^expected an inbox at \S+, got an empty file$/,
    },
    fix: /^if there was an inbox, put it back, .*; if not, remove the file$/,
    follow: ({ inbox }) => renameSync(`${inbox}.backup`, inbox),
  },
  {
    title: "an inbox whose log was removed",
    plant: ({ inbox }) => writeFileSync(`${inbox}-shm`, Buffer.alloc(32_768), { mode: 0o600 }),
    found: {
      check: "inbox",
      status: "fail",
      message: /^expected the log \S+inbox\.db-wal, which held .*got none$/,
    },
    fix: /^put it back, .*; or, to go on without them, remove \S+-shm$/,
    follow: ({ inbox }) => rmSync(`${inbox}-shm`),
  },
  {
    title: "a damaged page in the inbox",
    plant: ({ inbox }) => {
      copyFileSync(inbox, `${inbox}.backup`);
      damage(inbox);
    },
    found: { check: "content", status: "fail", message: /is damaged/ },
    fix: /keep all its files, and follow docs\/recovery\.md$/,
    follow: ({ inbox }) => renameSync(`${inbox}.backup`, inbox),
  },
  {
    title: "another SQLite database at the path of the inbox",
    plant: (place) => {
      const { DatabaseSync } = loadSqlite();
      const database = new DatabaseSync(join(place.cwd, "other.db"));
      database.exec("CREATE TABLE t (a)");
      database.close();
      chmodSync(join(place.cwd, "other.db"), 0o600);
      place.argv.push("--inbox", "other.db");
    },
    found: {
      check: "content",
      status: "fail",
      message: /to be an inbox, got another SQLite database/,
    },
    fix: /choose another path with --inbox/,
    follow: (place) => place.argv.push("--inbox", ".hookporter/inbox.db"),
  },
  {
    title: "an inbox of a newer version",
    plant: (place) => {
      copyFileSync(place.inbox, join(place.cwd, ".hookporter", "newer.db"));
      chmodSync(join(place.cwd, ".hookporter", "newer.db"), 0o600);
      changeInbox(
        join(place.cwd, ".hookporter", "newer.db"),
        "INSERT INTO migration VALUES (99, 0)",
      );
      place.argv.push("--inbox", ".hookporter/newer.db");
    },
    found: { check: "content", status: "fail", message: /schema \d or older .*, got 99/ },
    fix: /update hookporter, or choose another inbox with --inbox/,
    follow: (place) => place.argv.push("--inbox", ".hookporter/inbox.db"),
  },
  {
    title: "an inbox that another program keeps locked",
    plant: ({ inbox }) => {
      const { DatabaseSync } = loadSqlite();
      const database = new DatabaseSync(inbox);
      database.exec("BEGIN IMMEDIATE");
      return () => {
        database.exec("ROLLBACK");
        database.close();
      };
    },
    found: { check: "content", status: "fail", message: /holds .*inbox\.db locked/ },
    fix: /end that program .* or its transaction/,
  },
  {
    title: "dead letters",
    plant: ({ inbox }) =>
      opened(inbox, (opened) =>
        keep(opened, numberedEntry(1, 0, { state: "dead", reason: "invalid_data" })),
      ),
    found: { check: "entries", status: "warn", message: /^1 dead letter$/ },
    fix: /hookporter events list --group/,
    follow: async ({ cwd }) => {
      const { stdout } = await runCli(["events", "list", "--group"], { cwd });
      const [, argv = ""] = /^ +hookporter (events retry --like 1)$/m.exec(stdout) ?? [];
      expect((await runCli(argv.split(" "), { cwd })).code).toBe(0);
    },
  },
  {
    title: "entries that nobody runs",
    plant: ({ inbox }) =>
      opened(inbox, (opened) => keep(opened, numberedEntry(1, 0, { delivery: realDelivery() }))),
    found: {
      check: "entries",
      status: "warn",
      message: /^1 entry is due, .* and no process runs them/,
    },
    fix: /start listen, or your receiver, with handlers or a target/,
    follow: async (place) => {
      writeFileSync(join(place.cwd, "all.mjs"), 'export default { "*": () => {} };');
      const { records, stop } = await listening(
        ["--handlers", "all.mjs", "--no-inspect"],
        place.cwd,
      );
      await vi.waitFor(() => expect(records("attempt")).toMatchObject([{ state: "handled" }]));
      await stop();
    },
  },
  {
    title: "a sender whose secret was changed",
    plant: ({ inbox }) => changeInbox(inbox, refusedSince(4)),
    found: {
      check: "signatures",
      status: "fail",
      message:
        /^1 305 refused since .*\d\d:\d\d, none accepted since .*\d\d:\d\d: was the secret changed\?$/,
    },
    fix: /^compare the secret with the sender's/,
    follow: ({ inbox }) => changeInbox(inbox, "UPDATE sender SET mismatches = 0, bodies = 0"),
  },
  {
    title: "signatures that match no secret, for no longer than is normal",
    plant: ({ inbox }) => changeInbox(inbox, refusedSince(1)),
    found: { check: "signatures", status: "warn", message: /^1 305 refused since / },
    fix: /^compare the secret with the sender's/,
    follow: ({ inbox }) => changeInbox(inbox, "UPDATE sender SET mismatches = 0, bodies = 0"),
  },
];

/** A delivery that was received long ago, with an envelope that handlers can run on. */
function realDelivery() {
  const body = Buffer.from(JSON.stringify(sampleEvent("payment.received")));
  return sampleDelivery({ body, headers: {} });
}

/** Overwrites the first page of the table of entries. */
function damage(path: string): void {
  const { DatabaseSync } = loadSqlite();
  const database = new DatabaseSync(path);
  const row = database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'delivery'").get();
  database.close();
  const file = openSync(path, "r+");
  writeSync(file, Buffer.alloc(4096, 0x5a), 0, 4096, (Number(row?.rootpage) - 1) * 4096);
  closeSync(file);
}

/** Uses an inbox file as a receiver would, and closes it. */
async function opened(
  path: string,
  use: (inbox: ReturnType<typeof sqliteInbox>) => Promise<unknown>,
) {
  const inbox = sqliteInbox(path);
  await inbox.open();
  try {
    await use(inbox);
  } finally {
    await inbox.close();
  }
}
