import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { listTemplates } from "../../../src/cli/scaffold/templates.ts";
import { NO_SERVER, type PostgresServer, startPostgres } from "../../inbox/postgres/server.ts";
import { closedPort } from "../../relay/tunnel/machine.ts";
import { commandIn, type Packed, packPackage } from "./packed.ts";

/**
 * Installs each project from the packed package, as its user does: only in the long run, since npm
 * downloads much.
 */
const isLong = process.env.HOOKPORTER_LONG !== undefined;

const root = join(import.meta.dirname, "..", "..", "..");
const templates = await listTemplates(root);
const variants = templates.flatMap(({ name, inboxes }) =>
  inboxes.map((inbox) => [name, inbox] as const),
);

let packed: Packed;
let postgres: PostgresServer | undefined;

beforeAll(async () => {
  if (!isLong) return;
  packed = await packPackage();
  if (NO_SERVER === undefined) postgres = await startPostgres();
}, 300_000);

afterAll(async () => {
  if (!isLong) return;
  await postgres?.stop();
  packed.remove();
}, 300_000);

describe.skipIf(!isLong).each(variants)(
  "a project of %s with its events in %s",
  (template, inbox) => {
    test.skipIf(inbox === "postgres" && NO_SERVER !== undefined)(
      "installs, type-checks, passes its tests, builds, starts, and verifies, keeps and handles a signed delivery",
      async () => {
        const { env, run } = packed;
        const flags = ["--template", template, "--inbox", inbox];
        const project = await packed.init(`${template}-${inbox}`, ...flags);
        await run(project, "npm", "install", "--no-audit", "--no-fund", "--prefer-offline");
        await run(project, "npm", "test");
        await run(project, "npm", "run", "build");

        const port = await closedPort();
        const url = `http://127.0.0.1:${port}/webhooks`;
        const store =
          postgres === undefined || inbox === "file"
            ? "data/inbox.db"
            : schemaOf(postgres, template);
        const settings = { PORT: String(port), METRICS_PORT: "0", HOOKPORTER_INBOX: store };
        const { log } = await start(project, settings, url);
        const twice = ["trigger", "payment.received", "--duplicate", "2"];
        const sent = await run(project, commandIn(project), ...twice, "--url", url, "--json");
        const answers = lines(sent.stdout).map(({ body }) => JSON.parse(String(body)));
        expect(answers).toMatchObject([{ duplicate: false }, { duplicate: true }]);
        expect((await fetch(url, { method: "POST", body: "{}" })).status).toBe(401);
        await vi.waitFor(() => expect(log()).toContain('"message":"payment received"'), 10_000);

        env.HOOKPORTER_INBOX = store;
        const listed = await run(project, commandIn(project), "events", "list", "--json");
        delete env.HOOKPORTER_INBOX;
        expect(lines(listed.stdout)).toMatchObject([
          { kind: "payment.received", state: "handled", duplicates: 1 },
        ]);
      },
      600_000,
    );
  },
);

function schemaOf({ url }: PostgresServer, schema: string): string {
  const own = new URL(url);
  own.searchParams.set("schema", schema);
  return own.href;
}

function lines(ndjson: string): readonly Record<string, unknown>[] {
  return ndjson
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

/** Runs `npm start` until the test ends; resolves once the server answers. */
async function start(project: string, settings: Readonly<Record<string, string>>, url: string) {
  const server: ChildProcess = spawn("npm", ["start"], {
    cwd: project,
    env: { ...packed.env, ...settings },
    detached: true, // so that the server that npm starts can be ended with it
    stdio: "pipe",
  });
  const chunks: string[] = [];
  server.stdout?.on("data", (chunk) => chunks.push(String(chunk)));
  server.stderr?.on("data", (chunk) => chunks.push(String(chunk)));
  const ended = once(server, "exit");
  onTestFinished(async () => {
    if (server.pid !== undefined && server.exitCode === null) process.kill(-server.pid, "SIGTERM");
    await ended;
  });
  await vi.waitFor(
    async () => {
      if (server.exitCode !== null) throw new Error(`the server ended: ${chunks.join("")}`);
      await fetch(url);
    },
    { timeout: 60_000, interval: 200 },
  );
  return { log: () => chunks.join("") };
}
