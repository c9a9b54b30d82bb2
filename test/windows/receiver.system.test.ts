import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { sqliteInbox } from "../../src/inbox/sqlite.ts";
import { seededRandom } from "../../src/relay/random.ts";
import { tempFolder } from "../cli/fake-io.ts";
import { nowEnvelope } from "../hostile/cli.ts";
import { listenOnWindows, missing, runOnWindows, windowsPath } from "./wine.ts";

/** A folder as people have it there. */
function userFolder(): string {
  const cwd = join(tempFolder(), "Zoë's été & co");
  mkdirSync(cwd);
  return cwd;
}

const stateFiles = (cwd: string) => readdirSync(join(cwd, ".hookporter"));
const isLock = (name: string) => name.includes("-holder-");

/**
 * A handler that notes each event in a file of its process; if the event says so, once a file `go`
 * is there. One file for all would not do: Wine appends in two steps, so one of
 * two processes that append at the same time can lose its line.
 */
const NOTING = `import { appendFileSync, existsSync } from "node:fs";
export default { "*": async ({ id, data }) => {
  while (data.waits && !existsSync("go")) await new Promise((next) => setTimeout(next, 20));
  appendFileSync("effects-" + process.pid, id + "\\n");
} };`;

const effects = (cwd: string) =>
  readdirSync(cwd)
    .filter((name) => name.startsWith("effects-"))
    .flatMap((name) => readFileSync(join(cwd, name), "utf8").split("\n").slice(0, -1));

describe.skipIf(missing !== undefined)("on Windows, a receiver", { timeout: 180_000 }, () => {
  it("starts, keeps events, stops by Ctrl-C with exit code 0, and knows them when it starts again", async () => {
    const cwd = userFolder();
    const first = await listenOnWindows([], { cwd });
    expect(first.ready).toMatchObject({ inbox: windowsPath(join(cwd, ".hookporter", "inbox.db")) });
    const envelope = nowEnvelope();
    expect(await first.post(envelope)).toMatchObject({ status: 200 });
    expect(await first.interrupt()).toBe(0);
    expect(first.records("stopped")).toMatchObject([{ reason: "stopped by SIGINT", exitCode: 0 }]);
    expect(stateFiles(cwd).filter(isLock)).toEqual([]);
    expect(stateFiles(cwd)).not.toContain("inbox.db-wal");
    const second = await listenOnWindows([], { cwd });
    expect(JSON.parse((await second.post(envelope)).text)).toMatchObject({ duplicate: true });
    expect(JSON.parse((await second.post(nowEnvelope())).text)).toMatchObject({ duplicate: false });
    expect(await second.interrupt()).toBe(0);
  });

  it("runs the events of one that was killed at once, and removes its lock", async () => {
    const cwd = userFolder();
    writeFileSync(join(cwd, "h.mjs"), NOTING);
    const killed = await listenOnWindows(["--handlers", "h.mjs"], { cwd });
    const { id } = JSON.parse((await killed.post(nowEnvelope({ data: { waits: true } }))).text);
    const other = await listenOnWindows(["--handlers", "h.mjs"], { cwd });
    expect(stateFiles(cwd).filter(isLock)).toHaveLength(2);
    await killed.kill();
    writeFileSync(join(cwd, "go"), "");
    await other.until("attempt", (attempt) => attempt.id === id && attempt.state === "handled");
    expect(effects(cwd)).toEqual([id]);
    expect(await other.interrupt()).toBe(0);
    expect(stateFiles(cwd).filter(isLock)).toEqual([]);
  });

  it("shares a file with another, whatever the case of the name that each has for it", async () => {
    const cwd = userFolder();
    writeFileSync(join(cwd, "h.mjs"), NOTING);
    const open = (inbox: string) =>
      listenOnWindows(["--inbox", inbox, "--handlers", "h.mjs"], { cwd });
    const all = [await open("Inbox.db"), await open("INBOX.DB")];
    const envelopes = Array.from({ length: 20 }, () => nowEnvelope());
    const replies = await Promise.all(
      envelopes.flatMap((envelope) => all.map(({ post }) => post(envelope))),
    );
    const fresh = replies.filter(({ text }) => JSON.parse(text).duplicate === false);
    expect(fresh).toHaveLength(20);
    await vi.waitFor(() => expect(new Set(effects(cwd)).size).toBe(20), 30_000);
    expect(effects(cwd)).toHaveLength(20);
    const holders = readdirSync(cwd).filter(isLock);
    expect(holders.map((name) => name.slice(0, 8))).toEqual(["Inbox.db", "Inbox.db"]);
    for (const one of all) expect(await one.interrupt()).toBe(0);
  });

  it("loses nothing when it is killed many times under load", { timeout: 400_000 }, async () => {
    const cwd = userFolder();
    writeFileSync(join(cwd, "h.mjs"), NOTING);
    const random = seededRandom(20_260_115);
    const acknowledged = new Set<string>();
    let post: ((envelope: object) => Promise<{ status: number; text: string }>) | undefined;
    let isOver = false;
    const send = async () => {
      while (!isOver) {
        const reply = await post?.(nowEnvelope()).catch(() => undefined);
        if (reply?.status === 200) acknowledged.add(JSON.parse(reply.text).id);
        else await sleep(20);
      }
    };
    const senders = Array.from({ length: 4 }, send);
    try {
      for (let kills = 0; kills < 12; kills++) {
        const listen = await listenOnWindows(["--handlers", "h.mjs"], { cwd });
        post = listen.post;
        await sleep(20 + random() * 600);
        await listen.kill();
      }
    } finally {
      isOver = true;
      await Promise.all(senders);
    }
    expect(acknowledged.size).toBeGreaterThan(50);
    const last = await listenOnWindows(["--handlers", "h.mjs"], { cwd });
    await vi.waitFor(() => {
      const done = new Set(effects(cwd));
      expect([...acknowledged].filter((id) => !done.has(id))).toEqual([]);
    }, 60_000);
    expect(await last.interrupt()).toBe(0);
    expect(stateFiles(cwd).filter(isLock)).toEqual([]);
    const check = await runOnWindows(["inbox", "check"], { cwd });
    expect(check.code, check.stderr).toBe(0);
    const inbox = sqliteInbox(join(cwd, ".hookporter", "inbox.db"));
    await inbox.open();
    const counts = await inbox.counts();
    await inbox.close();
    expect(counts).toMatchObject({ waiting: 0, running: 0, dead: 0 });
    process.stdout.write(
      `20 kills on Windows' Node: ${acknowledged.size} acknowledged, none lost\n`,
    );
  });
});
