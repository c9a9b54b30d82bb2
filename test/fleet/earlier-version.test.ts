import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { sqliteInbox } from "../../src/inbox/sqlite.ts";
import { sign } from "../../src/signature/sign.ts";
import { tempFolder } from "../cli/fake-io.ts";
import { root } from "../docs/markdown.ts";
import { openServer } from "../inbox/postgres/schemas.ts";
import { NO_SERVER } from "../inbox/postgres/server.ts";

const SECRET = "a-secret-made-up-for-two-versions";
/** The last commit of version 0.2. */
const EARLIER = "a1fc3ec";
const WAIT = { timeout: 40_000, interval: 50 };

/** The source of version 0.2, unpacked from the repository's history; `undefined` in a clone without it. */
function earlierSource(): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), "hookporter-earlier-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  try {
    const archive = execFileSync("git", ["archive", EARLIER, "src", "package.json"], {
      ...{ cwd: root, maxBuffer: 2 ** 28 },
      stdio: ["ignore", "pipe", "ignore"],
    });
    execFileSync("tar", ["-x", "-C", folder], { input: archive });
  } catch {
    return undefined;
  }
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  return join(folder, "src");
}

const source = earlierSource();
const VERSIONS = {
  earlier: source === undefined ? [] : [join(source, "index.ts"), join(source, "receiver", "node.ts")],
  this: ["index.js", "node.js"].map((file) => join(root, "dist", file)),
};
type Version = keyof typeof VERSIONS;

/** Starts a process; it ends with the test. */
function start(version: Version, inbox: string, more: Record<string, string> = {}) {
  const argv = [join(import.meta.dirname, "one-process.mjs"), ...VERSIONS[version], inbox];
  const child = spawn(process.execPath, argv, {
    cwd: root,
    env: { ...process.env, HOOKPORTER_SECRET: SECRET, ...more },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => {
      output += String(chunk);
    });
  const ended = once(child, "exit").then(([code]) => code as number | null);
  onTestFinished(() => void child.kill("SIGKILL"));
  const found = (pattern: RegExp) => [...output.matchAll(pattern)].map(([, text]) => text ?? "");
  return {
    ended,
    output: () => output,
    handled: () => found(/^handled (-?\d+)$/gm).map(Number),
    port: () =>
      vi
        .waitFor(() => expect(found(/^listening (\d+)$/gm)).toHaveLength(1), WAIT)
        .then(() => Number(found(/^listening (\d+)$/gm)[0])),
    refusal: () => found(/^refused (.+)$/gm),
    stop: () => {
      child.kill("SIGTERM");
      return ended;
    },
  };
}

/** A signed delivery of an event with this number. */
function signed(number: number) {
  const webhook = { id: "wh_1", url: "https://app.example/webhooks" };
  const timestamp = new Date(Date.now() - 1000).toISOString();
  return signedBody(JSON.stringify({ event: "payment.received", timestamp, data: { number }, webhook }));
}

function signedBody(body: string) {
  const headers = { "x-service-signature": sign(Buffer.from(body), SECRET) };
  return { method: "POST", headers, body };
}

/** Sends events without a pause to the processes that are there, and each again until one has taken it. */
function load() {
  const ports = new Set<number>();
  const taken: number[] = [];
  let isOver = false;
  let number = 0;
  const send = async (one: number) => {
    const request = signed(one);
    for (let attempt = 0; ; attempt++) {
      const port = [...ports][(one + attempt) % ports.size];
      const url = `http://127.0.0.1:${port}/webhooks`;
      const answer = await fetch(url, request).catch(() => undefined);
      if (answer?.status === 200) return void taken.push(one);
      await delay(20);
    }
  };
  const senders = Array.from({ length: 4 }, async () => {
    while (!isOver) {
      if (ports.size === 0) await delay(20);
      else await send(number++);
    }
  });
  const end = async () => {
    isOver = true;
    await Promise.all(senders);
    return taken;
  };
  /** Resolves when so many more events were taken. */
  const more = async (count: number) => {
    const goal = taken.length + count;
    await vi.waitFor(() => expect(taken.length).toBeGreaterThanOrEqual(goal), WAIT);
  };
  return { ports, end, more };
}

const sorted = (numbers: readonly number[]) => [...numbers].sort((one, other) => one - other);

describe.skipIf(source === undefined)("version 0.2, and this one", async () => {
  it("take turns on an inbox file under load: neither runs beside the other, nothing is lost, and the copy leads back", {
    timeout: 180_000,
    retry: 0,
  }, async () => {
    const file = join(tempFolder(), "inbox.db");
    const { ports, end, more } = load();
    const old = start("earlier", file);
    ports.add(await old.port());
    await more(100);

    const tooEarly = start("this", file);
    expect(await tooEarly.ended).toBe(3);
    expect(tooEarly.refusal()).toEqual([expect.stringMatching(/^inbox_busy: .*stop that receiver first$/)]);
    await more(100);

    ports.clear();
    expect(await old.stop()).toBe(0);
    const fresh = start("this", file);
    ports.add(await fresh.port());
    expect(fresh.output().match(/the inbox has newer tables now; to go back,/g)).toHaveLength(1);
    await more(100);

    const tooLate = start("earlier", file);
    expect(await tooLate.ended).toBe(3);
    expect(tooLate.refusal()).toEqual([expect.stringMatching(/^inbox_newer: expected schema 3 or older/)]);
    await more(100);

    const taken = await end();
    await vi.waitFor(
      () => expect(sorted([...new Set([...old.handled(), ...fresh.handled()])])).toEqual(sorted(taken)),
      WAIT,
    );
    expect(await fresh.stop()).toBe(0);

    const inbox = sqliteInbox(file);
    await inbox.open({ access: "read" });
    expect(await inbox.list({ states: ["done"] })).toHaveLength(taken.length);
    await inbox.close();

    for (const ending of ["", "-wal", "-shm"]) rmSync(file + ending, { force: true });
    renameSync(`${file}.schema-3`, file);
    const back = start("earlier", file);
    const again = load();
    again.ports.add(await back.port());
    await again.more(20);
    await again.end();
    expect(await back.stop()).toBe(0);
  });
});

describe.skipIf(source === undefined)("an inbox file of version 0.2", () => {
  it("is opened by this one with what was handled, what waits after failures and what is dead", {
    timeout: 60_000,
  }, async () => {
    const file = join(tempFolder(), "inbox.db");
    const old = start("earlier", file, { FAILS: "1" });
    const url = `http://127.0.0.1:${await old.port()}/webhooks`;
    const deliveries = [signed(1), signed(-1), signedBody('{"event":1}')];
    const statuses = [];
    for (const delivery of [...deliveries, ...deliveries.slice(0, 1)])
      statuses.push((await fetch(url, delivery)).status);
    expect(statuses).toEqual([200, 200, 400, 200]);
    await vi.waitFor(() => expect(old.output()).toContain("an event runs again"), WAIT);
    expect(await old.stop()).toBe(0);

    const fresh = start("this", file);
    const now = `http://127.0.0.1:${await fresh.port()}/webhooks`;
    await vi.waitFor(() => expect(fresh.handled()).toEqual([-1]), WAIT);
    for (const delivery of deliveries.slice(0, 2)) expect((await fetch(now, delivery)).status).toBe(200);
    expect(await fresh.stop()).toBe(0);

    const inbox = sqliteInbox(file);
    await inbox.open({ access: "read" });
    onTestFinished(() => inbox.close());
    const entries = [...(await inbox.list({}))].sort((one, other) => one.seq - other.seq);
    expect(entries).toMatchObject([
      { seq: 1, state: "done", attempts: 1, duplicates: 2 },
      { seq: 2, state: "done", duplicates: 1 },
      { seq: 3, state: "dead" },
    ]);
    expect(entries[1]?.attempts).toBeGreaterThan(1);
    expect(String(Buffer.from((await inbox.delivery(1))?.body ?? []))).toBe(deliveries[0]?.body);
  });
});

describe.skipIf(source === undefined || NO_SERVER !== undefined)(
  "on PostgreSQL, version 0.2 and this one",
  async () => {
    if (NO_SERVER !== undefined) return;
    const { server, newSchema, open } = await openServer();

    it("serve one inbox together under load, whichever starts or stops", { timeout: 180_000 }, async () => {
      const schema = newSchema();
      const url = `${server.url}?schema=${schema}`;
      const { ports, end, more } = load();
      const processes = [start("earlier", url)];
      const add = async (version: Version) => {
        const added = start(version, url);
        processes.push(added);
        const port = await added.port();
        ports.add(port);
        return { ...added, port };
      };
      const [first] = processes;
      const firstPort = (await first?.port()) ?? 0;
      ports.add(firstPort);
      await more(100);
      const fresh = await add("this");
      await more(200);
      ports.delete(firstPort);
      expect(await first?.stop()).toBe(0);
      await more(100);
      const returned = await add("earlier"); // on the newer tables
      await more(200);
      ports.delete(fresh.port);
      expect(await fresh.stop()).toBe(0);
      await more(100);
      await add("this");
      await more(100);
      const taken = await end();
      const handled = () => processes.flatMap((one) => one.handled());
      await vi.waitFor(() => expect(sorted([...new Set(handled())])).toEqual(sorted(taken)), WAIT);
      expect([fresh, returned].map((one) => one.handled().length > 0)).toEqual([true, true]);
      const inbox = await open(schema);
      expect(await inbox.counts()).toMatchObject({ done: taken.length, dead: 0, pending: 0, running: 0 });
    });
  },
);

if (source === undefined) it.skip("needs the history of the repository, for version 0.2", () => {});
