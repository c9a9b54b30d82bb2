import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { DEFAULT_INBOX } from "../../../src/cli/files/state-folder.ts";
import { loadSqlite } from "../../../src/inbox/sqlite/client.ts";
import { sqliteInbox } from "../../../src/inbox/sqlite.ts";
import { closedPort } from "../../relay/tunnel/machine.ts";
import { runCli, tempFolder } from "../fake-io.ts";

/** A setup in which nothing is wrong, until a test plants a fault. */
export interface Place {
  readonly cwd: string;
  /** The inbox file. */
  readonly inbox: string;
  readonly env: Record<string, string>;
  /** The flags that `listen` would be given. */
  readonly argv: string[];
}

/** One finding, as a record. */
export interface Found {
  readonly check: string;
  readonly status: string;
  readonly message: string;
  readonly fix: string | null;
}

export const GOOD_SECRET = "f4d2c1b0a9988776655443322110ffee";

/** Makes a folder with a secret, an inbox and a free port. */
export async function openPlace(): Promise<Place> {
  const cwd = tempFolder();
  const inbox = join(cwd, DEFAULT_INBOX);
  mkdirSync(join(cwd, ".hookporter"), { mode: 0o700 });
  writeEnvFile({ cwd }, `HOOKPORTER_SECRET=${GOOD_SECRET}\n`);
  writeFileSync(inbox, await healthyInbox(), { mode: 0o600 });
  const env = { PATH: process.env.PATH ?? "" };
  return { cwd, inbox, env, argv: ["--port", String(await closedPort())] };
}

/** Adds an entry, as a row of these columns beside those that each entry has. */
export function addRow(
  { inbox }: Pick<Place, "inbox">,
  { seq = 1, at = 1, ...columns }: { seq?: number; at?: number; state: string; reason?: string },
): void {
  const names = ["seq", "received_at", "run_at", "last_seen_at", ...Object.keys(columns)];
  const values = [seq, at, at, at, ...Object.values(columns).map((value) => `'${value}'`)];
  changeInbox(
    inbox,
    `INSERT INTO entry (key_timestamp, event_id, source, body_hash, body_length, ${names.join()})
       VALUES (0, 'e${seq}', 'service', '', 0, ${values.join()})`,
  );
}

export function writeEnvFile({ cwd }: Pick<Place, "cwd">, text: string): void {
  writeFileSync(join(cwd, ".env"), text, { mode: 0o600 });
}

/**
 * Runs SQL on an inbox file that no other connection has open: without statements, which would keep
 * it open on Node 20.
 */
export function changeInbox(path: string, sql: string): void {
  const database = new (loadSqlite().DatabaseSync)(path);
  database.exec(sql);
  database.close();
}

let healthy: Promise<Buffer> | undefined;

/** The bytes of an empty inbox file, made once. */
function healthyInbox(): Promise<Buffer> {
  healthy ??= (async () => {
    const path = join(tempFolder(), "inbox.db");
    const inbox = sqliteInbox(path);
    await inbox.open();
    await inbox.close();
    return readFileSync(path);
  })();
  return healthy;
}

/** What doctor finds, its exit code, and the messages of a check. */
export async function diagnose({ cwd, env, argv }: Place) {
  const { code, records, stderr } = await runCli(["doctor", "--json", ...argv], { cwd, env });
  const findings = records.filter(({ type }) => type === "finding") as unknown as readonly Found[];
  expect(findings.length, stderr).toBeGreaterThan(3);
  const of = (check: string) =>
    findings.filter((finding) => finding.check === check).map(({ message }) => message);
  return { code, findings, of, wrong: findings.filter(({ status }) => status !== "ok") };
}

/** Runs the command of a fix in the place's folder, letter for letter. */
export function runFix({ cwd, env }: Place, fix: string): void {
  execFileSync("sh", ["-c", fix], { cwd, env });
}
