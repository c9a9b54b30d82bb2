import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { sqliteInbox } from "../../src/inbox/sqlite.ts";
import { seededRandom } from "../../src/relay/random.ts";
import { long } from "../long.ts";

const CHILD = join(import.meta.dirname, "children", "first-starts.js");

/**
 * Runs a process that starts on new inboxes, and kills it after `ms`; returns the inboxes in which
 * it acknowledged an event.
 */
async function killedAfter(ms: number, folder: string): Promise<readonly string[]> {
  const child = spawn(process.execPath, [CHILD, folder], { stdio: ["ignore", "pipe", "inherit"] });
  let printed = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    printed += text;
  });
  await once(child.stdout, "data");
  await sleep(ms);
  child.kill("SIGKILL");
  await once(child, "close");
  return printed.split("\n").slice(1, -1);
}

it("a process killed in its first start leaves nothing that prevents the next start", async () => {
  const random = seededRandom(7);
  for (let kill = 0; kill < long(12, 200); kill++) {
    const folder = mkdtempSync(join(tmpdir(), "hookporter-first-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const acknowledged = await killedAfter(random() * 60, folder);
    for (const name of readdirSync(folder)) {
      const inbox = sqliteInbox(join(folder, name, "inbox.db"));
      await inbox.open();
      const entries = await inbox.list({});
      if (acknowledged.includes(name)) expect(entries).toHaveLength(1);
      await inbox.close();
    }
  }
}, 180_000);
