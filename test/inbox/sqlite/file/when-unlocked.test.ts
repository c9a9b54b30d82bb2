import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { sqliteInbox } from "../../../../src/inbox/sqlite.ts";

/** Holds the lock of an inbox file until its standard input ends. */
const HOLDER = `
  import { createRequire } from "node:module";
  const require = createRequire(process.argv[1]);
  const { DatabaseSync } = process.versions.node.startsWith("20.")
    ? require("@photostructure/sqlite")
    : require("node:sqlite");
  const database = new DatabaseSync(process.argv[2]);
  database.exec("BEGIN IMMEDIATE");
  console.log("held");
  process.stdin.resume().on("end", () => process.exit());`;

async function hold(path: string) {
  const argv = ["--input-type=module", "-e", HOLDER, import.meta.filename, path];
  const child = spawn(process.execPath, argv, { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void child.kill());
  await once(child.stdout, "data");
  return child;
}

it("a start waits for a program that holds the file locked, and says which", async () => {
  const folder = mkdtempSync(join(tmpdir(), "hookporter-locked-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "inbox.db");
  const made = sqliteInbox(path);
  await made.open();
  await made.close();

  const holder = await hold(path);
  const told: string[] = [];
  const note = (_: object, message: string) => {
    told.push(message);
    holder.stdin.end();
  };
  const log = { debug() {}, info() {}, warn: note, error: note };
  const inbox = sqliteInbox(path);
  await inbox.open({ log });
  await inbox.close();
  const who = process.platform === "linux" ? `process ${holder.pid}` : "another process";
  expect(told).toEqual([`the start waits: the inbox is locked by ${who}`]);
});
