import { createHmac } from "node:crypto";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, vi } from "vitest";
import { parseAllDocuments } from "yaml";
import { manifests } from "../docs/kubernetes.ts";
import { unitFaults } from "../docs/systemd.ts";
import { entriesOf, succeed } from "./kit/apps.ts";
import { Image } from "./kit/image.ts";
import { journey } from "./kit/journey.ts";
import { commandsIn, linesOf } from "./kit/pages.ts";
import { pinned } from "./kit/pinned.ts";
import type { World } from "./kit/world.ts";

const { step, note } = journey("integrator");

const projectOf = (world: World) => join(world.folder, "my-receiver");
const INIT = "npx --yes hookporter init my-receiver";
const READY = /"message":"listening"/;

let url = "";
let next: readonly string[] = [];
let fixes: readonly string[] = [];

/** A line for the receiver of a page, for the one that runs here. */
const here = (line: string) =>
  line.replace(/http:\/\/(127\.0\.0\.1|localhost):3000\/webhooks/, url);

function secretOf(world: World): string {
  const [, secret = ""] =
    /^HOOKPORTER_SECRET=(.+)$/m.exec(world.read(projectOf(world), ".env")) ?? [];
  return secret;
}

step("init asks on a terminal, and the default answers make a project", async (world) => {
  const terminal = await world.terminal("commands", world.folder);
  terminal.type(INIT);
  for (const question of [/Name of the project/, /Template/, /Where to keep the events/]) {
    await terminal.until(question);
    terminal.press("Enter");
  }
  const made = await terminal.ended(INIT);
  expect(made).toMatchObject({ code: 0 });
  const [, told = "", later = ""] =
    /Next:\n([\s\S]+?)\n\nThen, [^\n]+\n([\s\S]+)/.exec(made.text) ?? [];
  next = [...told.split("\n"), ...commandsIn(later)].map((line) => line.trim());
  expect(next.length).toBe(5);
});

step("the lines that init prints next work: install, test, dev, trigger", async (world) => {
  const [cd = "", install = "", test = "", dev = "", trigger = ""] = next;
  const terminal = await world.terminal("commands", world.folder);
  expect(await terminal.run(cd)).toMatchObject({ code: 0 });
  // The newest vite may ask for a package that a mirror does not have yet: `npm ci` refuses that.
  const pin = `npm pkg set overrides.vite=${pinned("vite")}`;
  expect(await terminal.run(pin)).toMatchObject({ code: 0 });
  expect(await terminal.run(install, 300_000)).toMatchObject({ code: 0 });
  expect(await terminal.run(test, 300_000)).toMatchObject({ code: 0 });
  url = await world.portFor(projectOf(world));
  const server = await world.terminal("server", projectOf(world));
  server.type(dev);
  await server.until(READY);
  const sent = await terminal.run(here(trigger));
  expect(sent, sent.text).toMatchObject({ code: 0 });
  await server.until(/payment received/);
});

step("the quickstart's deliveries arrive: one new, one twice, one forged", async (world) => {
  const lines = linesOf(projectOf(world), "docs/quickstart/integrator.md", "## 3. ").map(here);
  expect(lines.length).toBe(3);
  const codes: number[] = [];
  for (const line of lines) codes.push((await world.shell(projectOf(world), line)).code);
  expect(codes).toEqual([0, 0, 1]);
  const entries = await entriesOf(world, projectOf(world));
  expect(entries.map(({ state }) => state)).toEqual(["handled", "handled", "handled"]);
});

/** `openDatabase` before its author has thought of the table. */
const DATABASE = `import { PGlite } from "@electric-sql/pglite";

export type Database = Pick<PGlite, "query" | "close">;

/** Opens the ledger in a folder, or in memory. */
export async function openDatabase(folder?: string): Promise<Database> {
  const db = new PGlite(folder);
  await db.query("SELECT 1");
  return db;
}
`;
const TABLE =
  "CREATE TABLE IF NOT EXISTS payment (event text PRIMARY KEY, id text, amount numeric)";

/** Gives the handlers a database, as the guide on dependencies does. */
function addDatabase(world: World): void {
  const source = join(projectOf(world), "src");
  const index = join(source, "handlers", "index.ts");
  writeFileSync(join(source, "database.ts"), DATABASE);
  const handlers = world
    .read(index)
    .replace(
      "export default defineHandlers({",
      "export const createHandlers = (db: Database) => defineHandlers({",
    )
    .replace("registerFinances(receiver)", "registerFinances(receiver, db)")
    .replace('from "../schemas.ts"', 'from "./schemas.ts"')
    .replaceAll(
      /from "\.\/(finances|properties|prospecting|tenants)\.ts"/g,
      'from "./handlers/$1.ts"',
    );
  writeFileSync(
    join(source, "create-handlers.ts"),
    `import type { Database } from "./database.ts";\n${handlers}`,
  );
  writeFileSync(
    index,
    `import { createHandlers } from "../create-handlers.ts";
import { openDatabase } from "../database.ts";

export default createHandlers(await openDatabase());
`,
  );
  const finances = join(source, "handlers", "finances.ts");
  world.edit(finances, "(receiver: Registry)", "(receiver: Registry, db: Database)");
  world.edit(finances, /^import/, 'import type { Database } from "../database.ts";\nimport');
  world.edit(
    finances,
    '"payment.received", (event, { log }) => {\n    const { id, amount } = event.data;',
    `"payment.received", async (event, { log }) => {
    const { id, amount } = event.data;
    await db.query(
      "INSERT INTO payment (event, id, amount) VALUES ($1, $2, $3) ON CONFLICT (event) DO NOTHING",
      [event.id, id, amount],
    );`,
  );
  const server = join(source, "server.ts");
  world.edit(
    server,
    'import handlers from "./handlers/index.ts";',
    'import { createHandlers } from "./create-handlers.ts";\nimport { openDatabase } from "./database.ts";',
  );
  world.edit(
    server,
    "  // Docker kills",
    '  const db = await openDatabase(process.env.LEDGER ?? "data/ledger");\n  const handlers = createHandlers(db);\n  // Docker kills',
  );
  world.edit(server, "    metrics.close();", "    metrics.close();\n    await db.close();");
}

/** The payments that the ledger of a stopped server has. */
async function ledgerOf(world: World): Promise<readonly string[]> {
  const script = `import { openDatabase } from "./dist/database.js";
const db = await openDatabase("data/ledger");
const { rows } = await db.query("SELECT id FROM payment ORDER BY id");
console.log(JSON.stringify(rows.map(({ id }) => id)));
await db.close();
`;
  writeFileSync(join(projectOf(world), "ledger.mjs"), script);
  return JSON.parse(await succeed(world, projectOf(world), "node ledger.mjs"));
}

step("a handler that needs a table fails, and events show says why", async (world) => {
  const project = projectOf(world);
  await succeed(
    world,
    project,
    `npm install @electric-sql/pglite@${pinned("@electric-sql/pglite")}`,
  );
  const server = await world.terminal("server", project);
  const dev = next[3] ?? "";
  server.press("C-c");
  await server.ended(dev);
  addDatabase(world);
  server.type(dev);
  await server.until(/"message":"listening"[\s\S]+"message":"listening"/);
  const line = `npx hookporter trigger payment.received --url ${url} --wait`;
  const sent = await world.shell(project, line);
  expect(sent, sent.text).toMatchObject({ code: 7 });
  const listed = await succeed(world, project, "npx hookporter events list");
  expect(listed).toMatch(/#4 .+ failing +payment\.received/);
  await vi.waitFor(async () => {
    const grouped = await succeed(world, project, "npx hookporter events list --group");
    fixes = commandsIn(grouped).filter((command) => command.includes("events retry"));
    expect(fixes.length).toBe(1); // none while it runs again
  });
  const shown = await succeed(world, project, "npx hookporter events show 4");
  expect(shown).toContain('relation "payment" does not exist');
});

step("once the handler is mended, the event runs again by the printed line", async (world) => {
  const project = projectOf(world);
  world.edit(join(project, "src", "database.ts"), "SELECT 1", TABLE);
  const server = await world.terminal("server", project);
  await server.until(/(?:"message":"listening"[\s\S]+){3}/);
  for (const line of fixes) await succeed(world, project, line);
  await vi.waitFor(
    async () =>
      expect((await entriesOf(world, project)).at(-1)).toMatchObject({ state: "handled" }),
    { timeout: 60_000, interval: 500 },
  );
  expect(await succeed(world, project, "npm test")).not.toContain("failed");
  server.press("C-c");
  await server.ended(next[3] ?? "");
});

step("the secret is rotated as operations says, in a built server", async (world) => {
  const project = projectOf(world);
  const env = join(project, ".env");
  const old = secretOf(world);
  await succeed(world, project, "npm run build");
  const [made = ""] = commandLines(world, "Make a new secret");
  const current = (await succeed(world, project, made)).trim();
  world.edit(env, /^HOOKPORTER_SECRET=.*$/m, `HOOKPORTER_SECRET=${current}`);
  world.edit(env, /^#HOOKPORTER_SECRET_PREVIOUS=$/m, `HOOKPORTER_SECRET_PREVIOUS=${old}`);
  const both = await world.start(project, "node dist/server.js", READY);
  const sends = linesOf(project, "docs/operations.md", "## Rotating the secret").map((line) =>
    line.trim().replace("https://app.example/webhooks", url),
  );
  expect(sends.length).toBe(2);
  for (const line of sends) await succeed(world, project, line);
  const doctor = await world.shell(project, "npx hookporter doctor");
  expect(doctor.text).toMatch(/2 secrets, from .*fingerprint \w{8}, \w{8}/);
  expect(await both.stop("SIGTERM")).toBe(0);

  world.edit(env, /^HOOKPORTER_SECRET_PREVIOUS=.*\n/m, "");
  const after = await world.start(project, "node dist/server.js", READY);
  const [signedNew = "", signedOld = ""] = sends;
  await succeed(world, project, signedNew);
  const late = await world.shell(project, signedOld, { env: { HOOKPORTER_SECRET_PREVIOUS: old } });
  expect(late).toMatchObject({ code: 1, text: expect.stringContaining("401") });
  expect(await after.stop("SIGTERM")).toBe(0);
});

/** The commands in the text of a line of the operations page. */
function commandLines(world: World, text: string): readonly string[] {
  const page = world.read(projectOf(world), "node_modules/hookporter/docs/operations.md");
  const line = page.split("\n").find((each) => each.includes(text)) ?? "";
  return [...line.matchAll(/`([^`]+)`/g)].map(([, command = ""]) => command);
}

/** A delivery as the service sends it, made without the package. */
function deliveryOf(secret: string, id: string) {
  const event = {
    event: "payment.received",
    timestamp: new Date().toISOString(),
    data: { id, amount: "1.00" },
    webhook: { id: "wh_1", url: "https://app.example/webhooks" },
  };
  const body = JSON.stringify(event);
  const digest = createHmac("sha256", secret).update(body).digest("hex");
  return { body, signature: `sha256=${digest}` };
}

async function send(secret: string, id: string): Promise<number> {
  const { body, signature } = deliveryOf(secret, id);
  const headers = { "content-type": "application/json", "x-service-signature": signature };
  const answer = await fetch(url, { method: "POST", headers, body });
  await answer.arrayBuffer();
  return answer.status;
}

/** Sends half a delivery; what it returns sends the rest and resolves to the answer. */
async function beginDelivery(secret: string, id: string): Promise<() => Promise<string>> {
  const { body, signature } = deliveryOf(secret, id);
  const { hostname, port, pathname } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  const head = [
    `POST ${pathname} HTTP/1.1`,
    `host: ${hostname}:${port}`,
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(body)}`,
    `x-service-signature: ${signature}`,
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n${body.slice(0, 20)}`);
  let answer = "";
  socket.on("data", (chunk) => {
    answer += chunk;
    socket.end();
  });
  socket.on("error", () => {}); // reset: it has no answer
  const closed = new Promise((resolve) => socket.once("close", resolve));
  return async () => {
    socket.write(body.slice(20));
    await closed;
    return answer.split("\r\n", 1)[0] ?? "";
  };
}

step("SIGTERM under load ends with 0, and each acknowledged event runs", async (world) => {
  const project = projectOf(world);
  const finances = join(project, "src", "handlers", "finances.ts");
  world.edit(
    finances,
    "    await db.query(",
    "    await new Promise((resolve) => setTimeout(resolve, 150));\n    await db.query(",
  );
  await succeed(world, project, "npm run build");
  const secret = secretOf(world);
  const server = await world.start(project, "node dist/server.js", READY);
  const acknowledged = new Set<string>();
  const answers = new Map<number | string, number>();
  const count = (answer: number | string) => answers.set(answer, (answers.get(answer) ?? 0) + 1);
  let isOn = true;
  const senders = Array.from({ length: 8 }, async (_, sender) => {
    for (let number = 0; isOn; number += 1) {
      const id = `p-${sender}-${number}`;
      try {
        const status = await send(secret, id);
        if (status === 200) acknowledged.add(id);
        count(status);
      } catch {
        count("no answer");
        await pause(50);
      }
    }
  });
  await pause(1500);
  const rest = await beginDelivery(secret, "p-slow");
  await pause(200);
  const stopped = server.stop("SIGTERM");
  await server.until(/"message":"closing"/);
  await pause(200);
  // What had begun before the signal is answered, and its event is kept.
  expect(await rest()).toBe("HTTP/1.1 200 OK");
  acknowledged.add("p-slow");
  expect(await stopped).toBe(0);
  isOn = false;
  await Promise.all(senders);
  note(`answers under load: ${JSON.stringify([...answers])}`);
  expect(acknowledged.size).toBeGreaterThan(20);
  expect([...answers.keys()].filter((answer) => ![200, 503, "no answer"].includes(answer))).toEqual(
    [],
  );

  const again = await world.start(project, "node dist/server.js", READY);
  const open = "npx hookporter events list --state waiting,running,failing";
  await vi.waitFor(
    async () => expect(await succeed(world, project, open)).not.toContain("payment.received"),
    { timeout: 120_000, interval: 1000 },
  );
  // None failed for want of the database, which is closed after the handlers have ended.
  const failed = "npx hookporter events list --state failing,dead";
  expect(await succeed(world, project, failed)).not.toContain("payment.received");
  const listed = await succeed(world, project, "npx hookporter events list --limit 100000");
  expect(listed.match(/, \d+ attempts| {2}[2-9] attempts/g)).toHaveLength(1);
  expect(await again.stop("SIGTERM")).toBe(0);
  const booked = new Set(await ledgerOf(world));
  expect([...acknowledged].filter((id) => !booked.has(id))).toEqual([]);
});

step(
  "the Dockerfile's steps make an image that receives, read only and as its user",
  async (world) => {
    const project = projectOf(world);
    const file = join(world.place, "image.env");
    const own = "HOST=127.0.0.1\nLEDGER=/data/ledger\n";
    writeFileSync(file, `${world.read(project, ".env")}${own}`);
    const image = await Image.build(world, project);
    try {
      const files = ["dist", "hookporter.config.json", "node_modules", "package.json"];
      expect((await image.shell("ls -A /app")).trim().split("\n")).toEqual(files);
      expect(await image.shell("cat node_modules/.package-lock.json")).not.toMatch(
        /"node_modules\/(?:typescript|vitest|@photostructure\/.*|@ngrok\/.*)"/,
      );
      const tried = await image.shell("id -u; touch /app/file; touch /tmp/file && echo written");
      expect(tried).toMatch(/^1000\ntouch: .*Read-only file system\nwritten\n$/);
      const running = await image.start(file, READY);
      const ended = once(running, "close");
      const ready = await fetch(new URL("/readyz", url));
      expect([ready.status, await ready.json()]).toEqual([200, { status: "ok" }]);
      expect(await image.checkHealth(file)).toBe(0);
      expect(await send(secretOf(world), "p-image")).toBe(200);
      expect(await send("another secret than that of the image", "p-image")).toBe(401);
      running.kill("SIGTERM");
      expect(await ended).toEqual([0, null]);
      expect(await image.shell("stat -c %U /data/inbox.db")).toBe("node\n");
      expect(await image.checkHealth(file)).toBe(1);
    } finally {
      image.remove();
    }
  },
);

step("the files for systemd and Kubernetes are valid", async (world) => {
  const deploy = join(projectOf(world), "node_modules", "hookporter", "docs", "deploy");
  const documents = parseAllDocuments(world.read(deploy, "kubernetes.yaml"));
  expect(() => manifests.parse(documents.map((each) => each.toJS()))).not.toThrow();
  expect(unitFaults(join(deploy, "receiver.service"))).toEqual([]);
});
