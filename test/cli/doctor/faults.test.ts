import {
  chmodSync,
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { sampleEvent } from "../../../src/event/sample.ts";
import { loadSqlite } from "../../../src/inbox/sqlite/client.ts";
import { SCHEMA_VERSION } from "../../../src/inbox/sqlite/migrations.ts";
import { sqliteInbox } from "../../../src/inbox/sqlite.ts";
import { keep, numberedEntry, sampleDelivery } from "../../inbox/entries.ts";
import { runCli } from "../fake-io.ts";
import { listening } from "../open-listen.ts";
import { changeInbox, diagnose, GOOD_SECRET, openPlace, type Place, runFix, writeEnvFile } from "./place.ts";

/** A fault that is planted in a setup in which nothing else is wrong. */
interface Fault {
  /** What is wrong, as the end of a sentence. */
  readonly title: string;
  /** Plants it; what it returns removes it, if the fix is not a command. */
  readonly plant: (place: Place) => unknown;
  /** The only finding that is not `ok`. */
  readonly found: { readonly check: string; readonly status: "warn" | "fail"; readonly message: RegExp };
  readonly fix: RegExp;
  /** Does what the fix says. Default: runs it, letter for letter. */
  readonly follow?: (place: Place, fix: string) => unknown;
}

const FAULTS: readonly Fault[] = [
  {
    title: "no secret in production",
    plant: (place) => {
      rmSync(join(place.cwd, ".env"));
      place.env.NODE_ENV = "production";
    },
    found: { check: "secret", status: "fail", message: /got no secret/ },
    fix: /export HOOKPORTER_SECRET, write it to \.env/,
    follow: (place) => writeEnvFile(place, `HOOKPORTER_SECRET=${GOOD_SECRET}\n`),
  },
  {
    title: "a placeholder as the secret",
    plant: (place) => writeEnvFile(place, "HOOKPORTER_SECRET=changeme\n"),
    found: { check: "secret", status: "fail", message: /placeholder/ },
    fix: /openssl rand -hex 32/,
    follow: (place) => writeEnvFile(place, `HOOKPORTER_SECRET=${GOOD_SECRET}\n`),
  },
  {
    title: "an empty secret",
    plant: (place) => writeEnvFile(place, "HOOKPORTER_SECRET=\n"),
    found: { check: "secret", status: "fail", message: /empty/ },
    fix: /set it to the subscription's secret/,
    follow: (place) => writeEnvFile(place, `HOOKPORTER_SECRET=${GOOD_SECRET}\n`),
  },
  {
    title: "a short secret",
    plant: (place) => writeEnvFile(place, "HOOKPORTER_SECRET=k3xQ9z\n"),
    found: { check: "secret", status: "warn", message: /only 6 bytes/ },
    fix: /at least 16 random ones/,
    follow: (place) => writeEnvFile(place, `HOOKPORTER_SECRET=${GOOD_SECRET}\n`),
  },
  {
    title: "quotes around the secret",
    plant: (place) => {
      rmSync(join(place.cwd, ".env"));
      place.env.HOOKPORTER_SECRET = `"${GOOD_SECRET}"`;
    },
    found: { check: "secret", status: "warn", message: /quotes around it/ },
    fix: /write HOOKPORTER_SECRET without them/,
    follow: (place) => {
      place.env.HOOKPORTER_SECRET = GOOD_SECRET;
    },
  },
  {
    title: "white space around the secret",
    plant: (place) => writeEnvFile(place, `HOOKPORTER_SECRET="${GOOD_SECRET} "\n`),
    found: { check: "secret", status: "warn", message: /white space around it/ },
    fix: /write HOOKPORTER_SECRET without them/,
    follow: (place) => writeEnvFile(place, `HOOKPORTER_SECRET=${GOOD_SECRET}\n`),
  },
  {
    title: "a secret in the environment that differs from the one in .env",
    plant: (place) => {
      place.env.HOOKPORTER_SECRET = "another-secret-that-is-long-enough";
    },
    found: {
      check: "env file",
      status: "warn",
      message: /in the environment .* is used, not the one in \.env/,
    },
    fix: /^unset HOOKPORTER_SECRET/,
    follow: (place) => {
      delete place.env.HOOKPORTER_SECRET;
    },
  },
  {
    title: "a .env file that others may read",
    plant: ({ cwd }) => chmodSync(join(cwd, ".env"), 0o644),
    found: { check: "env file", status: "warn", message: /mode 0644/ },
    fix: /^chmod 600 \.env$/,
  },
  {
    title: "a development secret that others may read",
    plant: ({ cwd }) => {
      rmSync(join(cwd, ".env"));
      writeFileSync(join(cwd, ".hookporter", "secret"), `${GOOD_SECRET}\n`);
      chmodSync(join(cwd, ".hookporter", "secret"), 0o644);
    },
    found: { check: "secret", status: "fail", message: /only its owner can read/ },
    fix: /run chmod 600 on it/,
    follow: ({ cwd }) => chmodSync(join(cwd, ".hookporter", "secret"), 0o600),
  },
  {
    title: "an inbox that others may read",
    plant: ({ inbox }) => chmodSync(inbox, 0o644),
    found: { check: "inbox", status: "warn", message: /may read .*inbox\.db \(mode 0644\)/ },
    fix: /^chmod 600 \S+inbox\.db$/,
  },
  {
    title: "an inbox in a folder that others may write to",
    plant: ({ cwd }) => chmodSync(join(cwd, ".hookporter"), 0o777),
    found: { check: "inbox", status: "warn", message: /may replace files in .*\.hookporter \(mode 0777\)/ },
    fix: /^chmod go-w \S+\.hookporter$/,
  },
  {
    title: "an inbox in a synchronised folder",
    plant: (place) => {
      mkdirSync(join(place.cwd, "Dropbox"), { mode: 0o700 });
      place.argv.push("--inbox", "Dropbox/inbox.db");
    },
    found: { check: "inbox", status: "warn", message: /is in Dropbox, which copies files while they change/ },
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
    found: { check: "inbox", status: "fail", message: /is missing or empty, but its log/ },
    fix: /put the file back from a backup/,
    follow: ({ inbox }) => {
      rmSync(`${inbox}-wal`);
      renameSync(`${inbox}.backup`, inbox);
    },
  },
  {
    title: "a damaged page in the inbox",
    plant: ({ inbox }) => {
      copyFileSync(inbox, `${inbox}.backup`);
      damage(inbox);
    },
    found: { check: "content", status: "fail", message: /is damaged/ },
    fix: /move it and its -wal away, and recover its rows as docs\/inbox-file\.md says/,
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
    found: { check: "content", status: "fail", message: /to be an inbox, got another SQLite database/ },
    fix: /choose another path with --inbox/,
    follow: (place) => place.argv.push("--inbox", ".hookporter/inbox.db"),
  },
  {
    title: "an inbox of a newer version",
    plant: (place) => {
      copyFileSync(place.inbox, join(place.cwd, ".hookporter", "newer.db"));
      chmodSync(join(place.cwd, ".hookporter", "newer.db"), 0o600);
      changeInbox(join(place.cwd, ".hookporter", "newer.db"), "INSERT INTO migration VALUES (99, 0)");
      place.argv.push("--inbox", ".hookporter/newer.db");
    },
    found: { check: "content", status: "fail", message: /schema \d or older .*, got 99/ },
    fix: /update hookporter, or choose another inbox with --inbox/,
    follow: (place) => place.argv.push("--inbox", ".hookporter/inbox.db"),
  },
  {
    title: "an inbox of an older version",
    plant: ({ inbox }) =>
      changeInbox(
        inbox,
        `DROP INDEX entry_waits; ALTER TABLE entry DROP COLUMN waits; DELETE FROM migration WHERE version = ${SCHEMA_VERSION}`,
      ),
    found: { check: "content", status: "warn", message: /of an older version/ },
    fix: /start listen once/,
    follow: ({ inbox }) => opened(inbox, async () => {}),
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
      opened(inbox, (opened) => keep(opened, numberedEntry(1, 0, { state: "dead", reason: "invalid_data" }))),
    found: { check: "entries", status: "warn", message: /^1 dead letter$/ },
    fix: /hookporter events redrive --state dead/,
    follow: async (place) => {
      const { code } = await runCli(["events", "redrive", "--state", "dead"], { cwd: place.cwd });
      expect(code).toBe(0);
    },
  },
  {
    title: "entries that nobody runs",
    plant: ({ inbox }) =>
      opened(inbox, (opened) => keep(opened, numberedEntry(1, 0, { delivery: realDelivery() }))),
    found: { check: "entries", status: "warn", message: /^1 entry is due, .* and no process runs them/ },
    fix: /start listen, or your receiver, with handlers or a target/,
    follow: async (place) => {
      writeFileSync(join(place.cwd, "all.mjs"), 'export default { "*": () => {} };');
      const { records, stop } = await listening(["--handlers", "all.mjs", "--no-inspect"], place.cwd);
      await vi.waitFor(() => expect(records("attempt")).toMatchObject([{ state: "done" }]));
      await stop();
    },
  },
  {
    title: "a port that another program uses",
    plant: async (place) => {
      const server = createServer((_, response) => response.end("not a receiver"));
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      place.argv.push("--port", String((server.address() as AddressInfo).port));
      return () => void server.close();
    },
    found: { check: "port", status: "fail", message: /is in use by / },
    fix: /stop that program, or choose another port with --port/,
  },
];

it("there are at least twenty faults", () => {
  expect(FAULTS.length).toBeGreaterThanOrEqual(20);
});

it.each(FAULTS)("doctor finds $title, and nothing else, and its fix works", async (fault) => {
  const place = await openPlace();
  const { findings, wrong } = await diagnose(place);
  expect(wrong).toEqual([]);
  expect(findings.map(({ check }) => check)).toContain(fault.found.check);
  const remove = await fault.plant(place);
  const end = once(remove);
  onTestFinished(end);
  const before = contentOf(place.cwd);
  const found = await diagnose(place);
  expect(found.wrong).toEqual([
    {
      ...{ schemaVersion: 1, type: "finding", time: expect.any(String) },
      ...fault.found,
      message: expect.stringMatching(fault.found.message),
      fix: expect.stringMatching(fault.fix),
    },
  ]);
  expect(found.code).toBe(fault.found.status === "fail" ? 1 : 0);
  expect(contentOf(place.cwd)).toEqual(before);
  const fix = found.wrong[0]?.fix ?? "";
  if (fault.follow !== undefined) await fault.follow(place, fix);
  else if (typeof remove === "function") end();
  else runFix(place, fix);
  expect((await diagnose(place)).wrong).toEqual([]);
});

/** A function that calls another one only once, if it is one. */
function once(given: unknown): () => void {
  let left = [given].filter((one) => typeof one === "function");
  return () => {
    const calls = left;
    left = [];
    for (const call of calls) call();
  };
}

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

/** Every file of a folder with its bytes, but for those that SQLite keeps in memory as it reads. */
function contentOf(folder: string): Readonly<Record<string, string>> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const files = names.filter((name) => !name.endsWith("-shm") && statSync(join(folder, name)).isFile());
  return Object.fromEntries(files.sort().map((name) => [name, readFileSync(join(folder, name), "base64")]));
}

/** Uses an inbox file as a receiver would, and closes it. */
async function opened(path: string, use: (inbox: ReturnType<typeof sqliteInbox>) => Promise<unknown>) {
  const inbox = sqliteInbox(path);
  await inbox.open();
  try {
    await use(inbox);
  } finally {
    await inbox.close();
  }
}
