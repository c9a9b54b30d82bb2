import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { listTemplates } from "../../src/scaffold/templates.ts";
import { NO_SERVER, type PostgresServer, startPostgres } from "../inbox/postgres/server.ts";

/** Installs each project from the packed package, as its user does: only in the long run, since npm downloads much. */
const isLong = process.env.HOOKPORTER_LONG !== undefined;

const root = join(import.meta.dirname, "..", "..");
const templates = await listTemplates(root);
const variants = templates.flatMap(({ name, inboxes }) => inboxes.map((inbox) => [name, inbox] as const));
const execute = promisify(execFile);

/** The environment of a new user, but with the settings and the cache of this user's npm, and the way to a registry. */
const INHERITED = /^(?:PATH|SystemRoot|NODE_EXTRA_CA_CERTS|YARN_\w+)$/;
const inherited = Object.entries(process.env).filter(([name]) => INHERITED.test(name));
let place: string;
let tarball: string;
let env: Record<string, string | undefined>;
let postgres: PostgresServer | undefined;

async function run(cwd: string, program: string, ...argv: readonly string[]): Promise<string> {
  try {
    return (await execute(program, argv, { cwd, env, maxBuffer: 64 * 1024 * 1024 })).stdout;
  } catch (thrown) {
    const { stdout, stderr } = Object(thrown);
    throw new Error(`${program} ${argv.join(" ")} failed: ${stdout}${stderr}`, { cause: thrown });
  }
}

beforeAll(async () => {
  if (!isLong) return;
  place = mkdtempSync(join(tmpdir(), "hookporter-from-package-"));
  mkdirSync(join(place, "home"));
  env = {
    ...Object.fromEntries(inherited),
    HOME: join(place, "home"),
    npm_config_cache: process.env.npm_config_cache ?? join(homedir(), ".npm"),
    npm_config_userconfig: join(homedir(), ".npmrc"),
    NEXT_TELEMETRY_DISABLED: "1",
  };
  await run(root, "npm", "pack", "--ignore-scripts", "--pack-destination", place);
  tarball = join(place, readdirSync(place).find((name) => name.endsWith(".tgz")) ?? "");
  mkdirSync(join(place, "tool"));
  writeFileSync(join(place, "tool", "package.json"), '{ "private": true }');
  await run(join(place, "tool"), "npm", "install", tarball, "--no-audit", "--no-fund", "--prefer-offline");
  if (NO_SERVER === undefined) postgres = await startPostgres();
}, 300_000);

afterAll(async () => {
  if (!isLong) return;
  await postgres?.stop();
  rmSync(place, { recursive: true, force: true });
}, 300_000);

describe.skipIf(!isLong).each(variants)("a project of %s with its events in %s", (template, inbox) => {
  test.skipIf(inbox === "postgres" && NO_SERVER !== undefined)(
    "installs, type-checks, passes its tests, builds, starts, and verifies, keeps and handles a signed delivery",
    async () => {
      const name = `${template}-${inbox}`;
      const project = join(place, name);
      await run(place, bin("tool"), "init", name, "--template", template, "--inbox", inbox);
      usePackage(project);
      await run(project, "npm", "install", "--no-audit", "--no-fund", "--prefer-offline");
      await run(project, "npm", "test");
      await run(project, "npm", "run", "build");

      const port = await freePort();
      const url = `http://127.0.0.1:${port}/webhooks`;
      const store =
        postgres === undefined || inbox === "file" ? "data/inbox.db" : schemaOf(postgres, template);
      const { log } = await start(
        project,
        { PORT: String(port), METRICS_PORT: "0", HOOKPORTER_INBOX: store },
        url,
      );
      const sent = await run(
        project,
        bin(name),
        "trigger",
        "payment.received",
        "--duplicate",
        "2",
        "--url",
        url,
        "--json",
      );
      const answers = lines(sent).map(({ body }) => JSON.parse(String(body)));
      expect(answers).toMatchObject([{ duplicate: false }, { duplicate: true }]);
      expect((await fetch(url, { method: "POST", body: "{}" })).status).toBe(401);
      await vi.waitFor(() => expect(log()).toContain('"message":"payment received"'), 10_000);

      env.HOOKPORTER_INBOX = store;
      const listed = await run(project, bin(name), "events", "list", "--json");
      delete env.HOOKPORTER_INBOX;
      expect(lines(listed)).toMatchObject([{ kind: "payment.received", state: "handled", duplicates: 1 }]);
    },
    600_000,
  );
});

/** Each package manager: its package, and the program in it, which Node runs unless it is one by itself. */
const MANAGERS = [
  ["pnpm", "pnpm", "node_modules/pnpm/bin/pnpm.mjs"],
  ["Yarn", "@yarnpkg/cli-dist", "node_modules/@yarnpkg/cli-dist/bin/yarn.js"],
  ["Bun", "@oven/bun-linux-x64", "node_modules/@oven/bun-linux-x64/bin/bun"],
] as const;

describe.skipIf(!isLong || process.platform !== "linux").each(MANAGERS)("with %s", (name, from, program) => {
  test("a project installs without a warning of ours, passes its tests and builds", async () => {
    const tool = join(place, `tool-${name}`);
    mkdirSync(tool);
    writeFileSync(join(tool, "package.json"), '{ "private": true }');
    await run(
      tool,
      "npm",
      "install",
      from,
      "--no-audit",
      "--no-fund",
      "--prefer-offline",
      "--ignore-scripts",
    );
    const project = join(place, `with-${name.toLowerCase()}`);
    await run(place, bin("tool"), "init", project, "--yes");
    usePackage(project);
    writeFileSync(join(project, "yarn.lock"), ""); // the project is not part of another one
    const argv = program.endsWith("bun") ? [] : [join(tool, program)];
    const start = argv.length === 0 ? join(tool, program) : process.execPath;
    const installed = await run(project, start, ...argv, "install");
    expect(installed).not.toMatch(/ERR_|YN0004/);
    await run(project, start, ...argv, "run", "test");
    await run(project, start, ...argv, "run", "build");
  }, 300_000);
});

/** The command line as a project has it. */
function bin(folder: string): string {
  return join(place, folder, "node_modules", ".bin", "hookporter");
}

/** Makes a project depend on the packed package, which is not published yet. */
function usePackage(project: string): void {
  const path = join(project, "package.json");
  const manifest = JSON.parse(readFileSync(path, "utf8"));
  manifest.dependencies.hookporter = `file:${tarball}`;
  writeFileSync(path, JSON.stringify(manifest, null, 2));
}

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

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** Runs `npm start` until the test ends; resolves once the server answers. */
async function start(project: string, settings: Readonly<Record<string, string>>, url: string) {
  const server: ChildProcess = spawn("npm", ["start"], {
    cwd: project,
    env: { ...env, ...settings },
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
