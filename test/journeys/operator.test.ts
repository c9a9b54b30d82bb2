import { createHmac, randomUUID } from "node:crypto";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { codeOf, readPage } from "../docs/markdown.ts";
import type { PostgresServer } from "../inbox/postgres/server.ts";
import { journey } from "./kit/journey.ts";
import { linesOf } from "./kit/pages.ts";
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

/** The system that handlers write to; it counts what it booked, and answers 500 while it is down. */
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
