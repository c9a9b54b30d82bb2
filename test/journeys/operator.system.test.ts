import { createHmac, randomUUID } from "node:crypto";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync, readdirSync, writeFileSync, writeSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { codeOf, readPage } from "../docs/markdown.ts";
import { freePort, type PostgresServer, startPostgres } from "../inbox/postgres/server.ts";
import { journey } from "./kit/journey.ts";
import { commandsIn, linesOf } from "./kit/pages.ts";
import { pinned } from "./kit/pinned.ts";
import type { Ran } from "./kit/terminal.ts";
import type { Running, World } from "./kit/world.ts";

const OPERATIONS = "docs/operations.md";
const ENDPOINT = "https://app.example/webhooks";
const LISTENING = /"message":"listening"/;
/** Between two events of the sender: at most 30 a second. */
const PACE = 34;
const PATIENCE = 90_000;

interface Entry {
  readonly seq: number;
  readonly id: string;
  readonly kind: string;
  readonly state: string;
  readonly attempts: number;
  readonly duplicates: number;
}

/** An event of the sender; `key` is the id of its payment or lead. */
interface Sent {
  readonly key: string;
  readonly body: string;
}

const { step } = journey("operator");

/**
 * The system that handlers write to; it counts what it booked, and answers 500 while it is down.
 */
const books = {
  isDown: false,
  booked: new Map<string, number>(),
  url: "",
};

const bookkeeper = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const key = Buffer.concat(chunks).toString();
  if (books.isDown || request.url === "/leads") return void response.writeHead(500).end();
  books.booked.set(key, (books.booked.get(key) ?? 0) + 1);
  response.end();
});

beforeAll(async () => {
  await once(bookkeeper.listen(0, "127.0.0.1"), "listening");
  books.url = `http://127.0.0.1:${(bookkeeper.address() as AddressInfo).port}`;
});

afterAll(async () => {
  await server?.stop();
  await postgres?.stop();
  bookkeeper.close();
  bookkeeper.closeAllConnections();
});

let project = "";
let url = "";
let secret = "";
let server: Running | undefined;
let postgres: PostgresServer | undefined;

/** What the project's page says starts the server. */
async function startServer(world: World): Promise<void> {
  server = await world.start(project, "npm start", LISTENING, { BOOKS_URL: books.url });
}

async function restartServer(world: World): Promise<void> {
  await server?.stop();
  await startServer(world);
}

/** Runs a line of a page, which must end as the page has it. */
async function run(world: World, line: string, code = 0, cwd = project): Promise<Ran> {
  const ran = await world.shell(cwd, line.replaceAll(ENDPOINT, url));
  expect(ran.code, `${ran.line}\n${ran.text}`).toBe(code);
  return ran;
}

/** Runs the lines of an incident up to one, which is left out. */
async function runUntil(world: World, lines: string[], last: string): Promise<void> {
  for (;;) {
    const line = lines.shift();
    if (line === undefined) throw new Error(`expected the page to have "${last}"`);
    if (line === last) return;
    await run(world, line);
  }
}

const recordsOf = <Type>({ text }: Ran): readonly Type[] =>
  text
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line));

async function entriesOf(world: World, flags = ""): Promise<readonly Entry[]> {
  const listed = await run(world, `npx hookporter events list --json --limit 100000 ${flags}`);
  return recordsOf<Entry>(listed);
}

/** Waits until all entries are in one state, and as many as are expected. */
async function untilAll(world: World, state: string, many: number): Promise<void> {
  await vi.waitFor(
    async () => {
      const states = (await entriesOf(world)).map((entry) => entry.state);
      expect(states).toEqual(Array(many).fill(state));
    },
    { timeout: PATIENCE, interval: 500 },
  );
}

function makeEvent(kind = "payment.received"): Sent {
  const key = randomUUID();
  const timestamp = new Date().toISOString();
  const webhook = { id: "wh_1", url: "https://app.example/webhooks" };
  return { key, body: JSON.stringify({ event: kind, timestamp, data: { id: key }, webhook }) };
}

function makeEvents(many: number, kind?: string): readonly Sent[] {
  return Array.from({ length: many }, () => makeEvent(kind));
}

/** Sends an event once; returns the status, 0 if nothing answered, and the id of an entry. */
async function send({ body }: Sent, to = url, key = secret) {
  const signature = `sha256=${createHmac("sha256", key).update(body).digest("hex")}`;
  const headers = { "content-type": "application/json", "x-service-signature": signature };
  try {
    const answer = await fetch(to, { method: "POST", headers, body });
    const text = await answer.text();
    return { status: answer.status, id: answer.ok ? String(JSON.parse(text).id) : "" };
  } catch {
    return { status: 0, id: "" };
  }
}

async function sendAll(sent: readonly Sent[], status = 200, key = secret): Promise<void> {
  for (const event of sent) {
    await delay(PACE);
    expect((await send(event, url, key)).status).toBe(status);
  }
}

const timesBooked = (sent: readonly Sent[]) => sent.map(({ key }) => books.booked.get(key) ?? 0);

/** Waits until each event is booked, and checks that none is booked twice. */
async function untilBooked(sent: readonly Sent[]): Promise<void> {
  await vi.waitFor(() => expect(timesBooked(sent)).toEqual(sent.map(() => 1)), {
    timeout: PATIENCE,
    interval: 100,
  });
}

step("init makes a project, which is built and started as its README says", async (world) => {
  const [init = ""] = codeOf(readPage("README.md").split("**Integrate.**")[1] ?? "", "sh");
  const made = await world.shell(world.folder, init.trim(), { env: { npm_config_yes: "true" } });
  expect(made, made.text).toMatchObject({ code: 0 });
  project = join(world.folder, "my-receiver");
  url = await world.portFor(project);
  await run(world, "npm install");
  secret = /^HOOKPORTER_SECRET=(.+)$/m.exec(world.read(project, ".env"))?.[1] ?? "";

  const finances = join(project, "src", "handlers", "finances.ts");
  world.edit(
    finances,
    /receiver\.on\("payment\.received", \(event/,
    'receiver.on("payment.received", async (event',
  );
  world.edit(
    finances,
    'log.info({ id, amount }, "payment received");',
    `const answer = await fetch(String(process.env.BOOKS_URL), { method: "POST", body: id ?? "" });
    if (!answer.ok) throw new Error(\`books.example answered \${answer.status}\`);
    log.info({ id, amount }, "payment received");`,
  );
  const prospecting = join(project, "src", "handlers", "prospecting.ts");
  world.edit(
    prospecting,
    /receiver\.on\("lead\.created", \(event/,
    'receiver.on("lead.created", async (event',
  );
  world.edit(
    prospecting,
    'log.info({ fields: Object.keys(event.data) }, "lead created");',
    `const answer = await fetch(\`\${process.env.BOOKS_URL}/leads\`, { method: "POST", body: "" });
    if (!answer.ok) throw new Error(\`crm.example answered \${answer.status}\`);
    log.info({ fields: Object.keys(event.data) }, "lead created");`,
  );
  const [, deploy = ""] = world.read(project, "README.md").split("## Deploy\n");
  const [lines = ""] = codeOf(deploy, "sh");
  expect(lines.trim()).toBe("npm run build && npm start");
  await run(world, "npm run build");
  await startServer(world);
  const sent = makeEvents(3);
  await sendAll(sent);
  await untilAll(world, "handled", 3);
  expect(timesBooked(sent)).toEqual([1, 1, 1]);
});

step("everything is 401 after the sender changed its secret; no event is lost", async (world) => {
  const changed = (await run(world, "openssl rand -hex 32")).text.trim();
  const before = (await entriesOf(world)).length;
  const refused = makeEvents(5);
  await sendAll(refused, 401, changed);
  await server?.until(/was the secret changed/);
  const isSuspected = async () => {
    const found = await world.shell(project, "npx hookporter doctor --json");
    return recordsOf<{ check: string; status: string }>(found).some(
      ({ check, status }) => check === "signatures" && status === "warn",
    );
  };
  await vi.waitFor(async () => expect(await isSuspected()).toBe(true), {
    timeout: PATIENCE,
    interval: 500,
  });
  const lines = [...linesOf(project, OPERATIONS, "### Everything is 401")];
  const trigger = `npx hookporter trigger payment.received --url ${ENDPOINT}`;
  await runUntil(world, lines, trigger);

  const env = join(project, ".env");
  world.edit(env, `HOOKPORTER_SECRET=${secret}`, `HOOKPORTER_SECRET=${changed}`);
  world.edit(env, "#HOOKPORTER_SECRET_PREVIOUS=", `HOOKPORTER_SECRET_PREVIOUS=${secret}`);
  await restartServer(world);
  secret = changed;
  await sendAll(refused);
  await run(world, trigger);
  const verify = lines.findIndex((line) => line.startsWith("npx hookporter verify "));
  expect(verify).toBeGreaterThan(0);
  for (const line of lines.splice(0, verify)) await run(world, line);
  await untilAll(world, "handled", before + refused.length + 1);
  expect(timesBooked(refused)).toEqual(refused.map(() => 1));
  await vi.waitFor(async () => expect(await isSuspected()).toBe(false), {
    timeout: PATIENCE,
    interval: 500,
  });

  // The secret is the same, but something on the way has laid the body out anew.
  writeFileSync(join(project, "body.json"), '{"event": "payment.received"}');
  const signed = createHmac("sha256", secret).update('{"event":"payment.received"}').digest("hex");
  const [line = ""] = lines;
  const verified = await world.shell(project, line, { env: { DIGEST: signed } });
  expect(verified, verified.text).toMatchObject({
    code: 4,
    text: expect.stringContaining("json_spacing"),
  });
});

step("a backlog grows while the books are down; all of it runs once they are up", async (world) => {
  const program = join(project, "src", "server.ts");
  world.edit(
    program,
    "drainTimeout: 8_000 }",
    "drainTimeout: 8_000, retry: { attempts: 2, delay: 600_000 } }",
  );
  await run(world, "npm run build");
  await restartServer(world);
  const before = await entriesOf(world);
  const first = (before.at(-1)?.seq ?? 0) + 1;
  const pause = "npx hookporter events pause --kind 'payment.*'";
  await run(world, pause);
  await delay(2000); // the receiver looks for pauses every second
  const sent = makeEvents(6);
  await sendAll(sent);
  expect(await entriesOf(world, "--state waiting")).toHaveLength(6);

  const lines = linesOf(project, OPERATIONS, "### Backlog grows").map((line) =>
    line.replace("show 4", `show ${first}`),
  );
  expect(lines).toHaveLength(5);
  for (const line of lines.slice(0, 2)) await run(world, line);
  expect((await run(world, "npx hookporter events pause")).text).toContain("payment.*");
  books.isDown = true;
  await run(world, pause.replace("pause", "resume"));
  await vi.waitFor(async () => expect(await entriesOf(world, "--state failing")).toHaveLength(6), {
    timeout: PATIENCE,
    interval: 500,
  });
  await run(world, `npx hookporter events retry ${first}`);
  await vi.waitFor(async () => expect(await entriesOf(world, "--state dead")).toHaveLength(1), {
    timeout: PATIENCE,
    interval: 500,
  });

  books.isDown = false;
  for (const line of lines.slice(2)) await run(world, line);
  await untilAll(world, "handled", before.length + 6);
  expect(timesBooked(sent)).toEqual([1, 1, 1, 1, 1, 1]);
});

step("dead letters run again by the command below their error, then at a pace", async (world) => {
  world.edit(join(project, "src", "server.ts"), "attempts: 2", "attempts: 1");
  await run(world, "npm run build");
  await restartServer(world);
  const before = await entriesOf(world);
  const untilDead = (many: number) =>
    vi.waitFor(async () => expect(await entriesOf(world, "--state dead")).toHaveLength(many), {
      timeout: PATIENCE,
      interval: 500,
    });
  books.isDown = true;
  const leads = makeEvents(3, "lead.created");
  const sent = makeEvents(20);
  await sendAll(leads);
  await sendAll(sent);
  await untilDead(23);

  const [group = "", ...lines] = linesOf(project, OPERATIONS, "### Dead letters");
  const { text } = await run(world, group);
  const paragraph = text.split(/^(?=\S)/m).find((part) => part.startsWith("books.example")) ?? "";
  const [retry = "", ...others] = commandsIn(paragraph);
  expect([retry, others]).toEqual([expect.stringContaining("events retry --like"), []]);
  books.isDown = false;
  await run(world, retry);
  await untilDead(3);
  await untilBooked(sent);

  books.isDown = true;
  const later = makeEvents(20);
  await sendAll(later);
  await untilDead(23);
  books.isDown = false;
  const last = lines.pop();
  for (const line of lines.slice(0, 2)) await run(world, line);
  await untilDead(3);
  await untilBooked(later);
  for (const line of lines.slice(2)) await run(world, line);
  expect(last).toBe("npx hookporter doctor --report");
  await run(world, last ?? "");
  // What was dropped stays in the list, as dead; all else is handled.
  await vi.waitFor(
    async () => {
      const after = await entriesOf(world);
      const handled = after.filter(({ state }) => state === "handled");
      expect([handled.length, after.length]).toEqual([before.length + 40, before.length + 43]);
    },
    { timeout: PATIENCE, interval: 500 },
  );
  // From here on the server tries again as usual.
  world.edit(join(project, "src", "server.ts"), ", retry: { attempts: 1, delay: 600_000 }", "");
  await run(world, "npm run build");
  await restartServer(world);
});

/** A sender that goes on: what is refused, or not answered, it sends again. */
function startSender(...urls: readonly string[]) {
  const acknowledged: Sent[] = [];
  const entries = new Set<string>();
  const under: Promise<void>[] = [];
  let isStopped = false;
  let refused = 0;
  const deliver = async (event: Sent, turn: number) => {
    for (let attempt = turn; ; attempt++) {
      const { status, id } = await send(event, urls[attempt % urls.length]);
      if (status === 200) {
        acknowledged.push(event);
        entries.add(id);
        return;
      }
      // Anything else would be a fault: only an outage may refuse what is signed.
      if (status !== 0 && status !== 503) throw new Error(`expected 200 or 503, got ${status}`);
      refused++;
      await delay(300);
    }
  };
  const sending = (async () => {
    for (let turn = 0; !isStopped; turn++) {
      under.push(deliver(makeEvent(), turn));
      await delay(PACE);
    }
  })();
  return {
    acknowledged,
    entries,
    refused: () => refused,
    /** Ends once everything that it sent is acknowledged. */
    stop: async () => {
      isStopped = true;
      await sending;
      await Promise.all(under);
    },
  };
}

type Sender = ReturnType<typeof startSender>;

/** Nothing that the sender was told is kept is lost: it is in the inbox, handled and booked. */
async function untilKept(world: World, sender: Sender): Promise<readonly Entry[]> {
  return await vi.waitFor(
    async () => {
      const entries = await entriesOf(world);
      const handled = new Set(
        entries.flatMap(({ id, state }) => (state === "handled" ? [id] : [])),
      );
      expect([...sender.entries].filter((id) => !handled.has(id))).toEqual([]);
      expect(sender.acknowledged.filter(({ key }) => !books.booked.has(key))).toEqual([]);
      expect(sender.entries.size).toBe(sender.acknowledged.length);
      return entries;
    },
    { timeout: PATIENCE, interval: 1000 },
  );
}

step(
  "a backup is taken under load and restored; what came after it is sent again",
  async (world) => {
    const sender = startSender(url);
    await delay(2000);
    const before = [...sender.entries];
    const lines = linesOf(project, OPERATIONS, "## Backup and restore").slice(0, 2);
    for (const line of lines) await run(world, line);
    await delay(1000);
    await sender.stop();
    const all = await untilKept(world, sender);
    expect(before.length).toBeGreaterThan(10);
    const kept = await entriesOf(world, "--inbox backup.db");
    const inBackup = new Set(kept.map(({ id }) => id));
    expect(before.filter((id) => !inBackup.has(id))).toEqual([]);
    expect(kept.length).toBeLessThan(all.length);

    await server?.stop();
    const data = join(project, "data");
    for (const line of linesOf(project, "docs/reference/inbox-file.md", "## Restore"))
      await run(world, line.replace("cp backup.db", "cp ../backup.db"), 0, data);
    await startServer(world);
    expect(await entriesOf(world)).toHaveLength(kept.length);
    await sendAll(sender.acknowledged);
    const restored = await untilKept(world, sender);
    expect(restored).toHaveLength(all.length);
    // The page of the command takes another backup, elsewhere.
    const [backup = ""] = linesOf(project, "docs/reference/cli/events-backup.md");
    await run(world, backup.replace("/backups/", `${world.folder}/`));
    expect(await entriesOf(world, `--inbox ${join(world.folder, "inbox.db")}`)).toHaveLength(
      all.length,
    );
  },
);

step("a damaged inbox is salvaged as the recovery page says, with every entry", async (world) => {
  const before = await entriesOf(world);
  await server?.stop();
  const data = join(project, "data");
  const file = openSync(join(data, "inbox.db"), "r+");
  writeSync(file, Buffer.alloc(100));
  closeSync(file);
  const refused = await world.shell(project, "npm start");
  expect(refused.code, refused.text).not.toBe(0);
  expect(refused.text).toContain("recovery.md");

  const recovery = "docs/recovery.md";
  for (const line of linesOf(project, recovery, "## First", "text")) {
    // The check says what is damaged, and fails.
    const code = line.includes("inbox check") ? 1 : 0;
    await run(world, line, code, data);
  }
  for (const line of linesOf(project, recovery, "## Salvage", "text"))
    await run(world, line, 0, data);
  const restore = linesOf(project, "docs/reference/inbox-file.md", "## Restore").slice(1);
  for (const line of restore) await run(world, line.replace("backup.db", "salvaged.db"), 0, data);
  await startServer(world);
  const after = await entriesOf(world);
  expect(after.map(({ id, state }) => [id, state])).toEqual(
    before.map(({ id, state }) => [id, state]),
  );
});

let database = "";

async function ask<Row>(text: string, to = postgres?.url): Promise<readonly Row[]> {
  const client = new pg.Client({ connectionString: to });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

step(
  "the inbox moves to PostgreSQL while a sender sends; nothing is lost or runs again",
  async (world) => {
    postgres = await startPostgres();
    await ask("CREATE ROLE app LOGIN PASSWORD 'app'");
    await ask("CREATE DATABASE app OWNER app");
    const { host } = new URL(postgres.url);
    const guide = "docs/guides/from-sqlite-to-postgresql.md";
    const here = (line: string) =>
      line
        .replace("127.0.0.1:5432", host)
        .replace(" inbox.db", " data/inbox.db")
        .replace("--url 3000", `--url ${url}`)
        .replace("npm install pg", `npm install pg@${pinned("pg")}`);
    const lines = linesOf(project, guide, "## Move").map(here);
    const [install, password, migrate, copy = "", inbox = "", ...rest] = lines;
    expect(rest).toEqual(["node --env-file=.env server.mjs"]);
    await run(world, [install, password, migrate].join(" && "));

    const sender = startSender(url);
    await delay(1000);
    const booked = new Map(books.booked);
    await server?.stop();
    const before = await entriesOf(world);
    await run(world, [password, copy].join(" && "));
    const [, to = ""] = inbox.split("export HOOKPORTER_INBOX=");
    database = to;
    world.edit(join(project, ".env"), "#HOOKPORTER_INBOX=data/inbox.db", `HOOKPORTER_INBOX=${to}`);
    world.env.PGPASSWORD = "app";
    await startServer(world);
    await delay(1000);
    await sender.stop();
    expect(sender.refused()).toBeGreaterThan(0);
    const after = await untilKept(world, sender);
    const essence = ({ seq, id, state, attempts }: Entry) => [seq, id, state, attempts];
    const was = before.filter(({ state }) => state === "handled");
    expect(was.length).toBeGreaterThan(100);
    const now = new Map(after.map((entry) => [entry.seq, entry]));
    expect(was.map(({ seq }) => now.get(seq)).map((entry) => entry && essence(entry))).toEqual(
      was.map(essence),
    );
    for (const line of linesOf(project, guide, "## Check that it worked"))
      await run(world, here(line));
    const [first] = await entriesOf(world);
    expect(first).toMatchObject({ seq: 1, duplicates: (before[0]?.duplicates ?? 0) + 1 });
    expect([...booked].filter(([key, times]) => (books.booked.get(key) ?? 0) > times + 1)).toEqual(
      [],
    );
  },
);

step("the inbox on PostgreSQL is dumped and restored into another database", async (world) => {
  const [, , dump = "", restore = ""] = linesOf(project, OPERATIONS, "## Backup and restore");
  await ask("CREATE DATABASE other OWNER app");
  const other = database.replace(/app$/, "other");
  const env = { DATABASE_URL: database, OTHER_DATABASE_URL: other };
  for (const line of [dump, restore]) {
    const ran = await world.shell(project, line, { env });
    expect(ran, ran.text).toMatchObject({ code: 0 });
  }
  const ids = (await entriesOf(world)).map(({ id }) => id);
  const restored = await entriesOf(world, `--inbox ${other}`);
  expect(restored.map(({ id }) => id)).toEqual(ids);
});

/** Publishes the next version of the package, which has one more migration; returns it. */
async function publishNext(world: World): Promise<string> {
  const packed = join(world.place, "packed");
  const [tarball = ""] = readdirSync(packed);
  const place = join(world.place, "next");
  const folder = join(place, "package");
  mkdirSync(place);
  await run(world, `tar -xzf ${join(packed, tarball)}`, 0, place);
  const { version } = JSON.parse(world.read(folder, "package.json"));
  const next = version.replace(/\d+$/, (last: string) => String(Number(last) + 1));
  world.edit(join(folder, "package.json"), `"version": "${version}"`, `"version": "${next}"`);
  let migrations = 0;
  for (const name of readdirSync(join(folder, "dist"))) {
    if (!/\.c?js$/.test(name)) continue;
    const file = join(folder, "dist", name);
    const text = world.read(file);
    const quoted = /(["'`])(\d+\.\d+\.\d+(?:-[\w.]+)?)\1/g;
    if ([...text.matchAll(quoted)].some(([, , found]) => found === version))
      world.edit(
        file,
        new RegExp(`(?<=["'\`])${version.replaceAll(".", "\\.")}(?=["'\`])`, "g"),
        next,
      );
    const last = "breaking: true\n}];\nconst SCHEMA_VERSION";
    if (!text.includes(last)) continue;
    const sql = "COMMENT ON TABLE @.migration IS 'one more';\n";
    const added = `breaking: true\n}, { sql: ${JSON.stringify(sql)}, breaking: false }];\nconst SCHEMA_VERSION`;
    world.edit(file, last, added);
    migrations++;
  }
  expect(migrations).toBe(1);
  await run(world, "npm pack --ignore-scripts", 0, folder);
  await world.registry.publish(join(folder, `hookporter-${next}.tgz`));
  return next;
}

const schemaOf = () =>
  ask<{ version: number }>("SELECT max(version) AS version FROM hookporter.migration", database);

step("a newer version with a migration is installed and started under load", async (world) => {
  const [{ version: before } = { version: 0 }] = await schemaOf();
  const next = await publishNext(world);
  const sender = startSender(url);
  await delay(1000);
  await run(world, "npm install hookporter@latest");
  await delay(1000);
  await restartServer(world);
  await delay(2000);
  await sender.stop();
  await untilKept(world, sender);
  expect(sender.refused()).toBeGreaterThan(0);
  expect((await run(world, "npx hookporter --version")).text).toContain(next);
  expect(await schemaOf()).toEqual([{ version: before + 1 }]);
  const found = await run(world, "npx hookporter doctor --json");
  const processes = recordsOf<{ check: string; message: string }>(found).find(
    ({ check }) => check === "processes",
  );
  expect(processes?.message).toContain(next);
});

for (const many of [2, 5])
  step(
    `${many} processes on PostgreSQL are killed under load, one after the other`,
    async (world) => {
      await server?.stop();
      const ports: number[] = [];
      while (ports.length < many) ports.push(await freePort());
      const start = (port: number) =>
        world.start(project, "node dist/server.js", LISTENING, {
          BOOKS_URL: books.url,
          PORT: String(port),
        });
      const fleet = await Promise.all(ports.map(start));
      const sender = startSender(...ports.map((port) => url.replace(/:\d+/, `:${port}`)));
      for (let turn = 0; turn < many + 2; turn++) {
        await delay(700);
        const killed = turn % many;
        await fleet[killed]?.stop("SIGKILL");
        fleet[killed] = await start(ports[killed] ?? 0);
      }
      await sender.stop();
      expect(sender.refused()).toBeGreaterThan(0);
      expect(sender.acknowledged.length).toBeGreaterThan(50);
      await untilKept(world, sender);
      await Promise.all(fleet.map((one) => one.stop()));
      await startServer(world);
    },
  );
