import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify, stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { createContext } from "../../../src/cli/context.ts";
import type { Io } from "../../../src/cli/io.ts";
import { createProgram } from "../../../src/cli/program.ts";
import { type Scaffolded, scaffold } from "../../../src/cli/scaffold/scaffold.ts";
import { listTemplates } from "../../../src/cli/scaffold/templates.ts";
import { commandName, leaves } from "../../../src/cli/settings/command-tree.ts";
import { readProject } from "../../../src/entries/config.ts";
import { fetchReceiver } from "../../../src/entries/fetch.ts";
import { createReceiver } from "../../../src/entries/index.ts";
import { sampleEvent, signedRequest } from "../../../src/entries/testing.ts";
import { shownPostgresUrl } from "../../../src/inbox/postgres/postgres-url.ts";
import { runCli } from "../fake-io.ts";

const root = join(import.meta.dirname, "..", "..", "..");
const templates = await listTemplates(root);
const variants = templates.flatMap((template) =>
  template.inboxes.map((inbox) => [template.name, inbox] as const),
);
const modules = join(root, "node_modules");
const commands = leaves(createProgram(createContext({ env: {}, isTTY: {} } as Io)));
const execute = promisify(execFile);

/** Runs a script of this repository's packages; rejects with its output if it fails. */
async function run(cwd: string, ...argv: readonly string[]): Promise<string> {
  try {
    return (await execute(process.execPath, argv, { cwd, maxBuffer: 16 * 1024 * 1024 })).stdout;
  } catch (thrown) {
    throw new Error(`${String(thrown)}\n${String(Object(thrown).stdout)}`, { cause: thrown });
  }
}

/**
 * A folder of projects, one for each template and inbox, which find their packages in the folder
 * above them.
 */
let place: string;
const made = new Map<string, Scaffolded>();

beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), "hookporter-templates-"));
  for (const [template, inbox] of variants) {
    const directory = join(place, `${template}-${inbox}`);
    made.set(`${template} ${inbox}`, await scaffold({ directory, template, inbox }));
  }
  await mkdir(join(place, "node_modules"));
  await symlink(root, join(place, "node_modules", "hookporter"), "junction");
  for (const name of await wantedPackages()) await provide(name);
});

afterAll(() => rm(place, { recursive: true, force: true }));

async function manifestOf({ directory }: Scaffolded) {
  return JSON.parse(await readFile(join(directory, "package.json"), "utf8"));
}

async function wantedPackages(): Promise<ReadonlySet<string>> {
  const manifests = await Promise.all([...made.values()].map(manifestOf));
  const names = manifests.flatMap((manifest) =>
    Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }),
  );
  return new Set(names.filter((name) => name !== "hookporter"));
}

/**
 * Links a package of this repository; one that is too large to have here gets types that fit
 * everything.
 */
async function provide(name: string): Promise<void> {
  const target = join(place, "node_modules", name);
  await mkdir(dirname(target), { recursive: true });
  if (existsSync(join(modules, name))) return symlink(join(modules, name), target, "junction");
  await mkdir(target);
  await writeFile(join(target, "package.json"), JSON.stringify({ name, types: "index.d.ts" }));
  await writeFile(
    join(target, "index.d.ts"),
    "export type NextConfig = object;\nexport const GetSecretValueCommand: any, SecretsManagerClient: any;\n",
  );
  await writeFile(join(target, "server.js"), "export {};\n");
  await writeFile(
    join(target, "server.d.ts"),
    "export declare function connection(): Promise<void>;\n",
  );
}

function project(template: string, inbox: string): Scaffolded {
  const found = made.get(`${template} ${inbox}`);
  if (found === undefined) throw new Error("not scaffolded");
  return found;
}

/** Compiling takes a second each, and the inbox changes one line. */
const compiled = variants.filter(
  ([name, inbox]) =>
    name === "express" ||
    templates.some((template) => template.name === name && template.inboxes[0] === inbox),
);

test.each(compiled)(
  "the template %s with its events in %s type-checks",
  async (template, inbox) => {
    const { directory } = project(template, inbox);
    await run(directory, join(modules, "typescript", "bin", "tsc"), "--noEmit");
  },
);

describe.each(variants)("the template %s with its events in %s", (template, inbox) => {
  test("is a project whose files leave no part or layer to be seen", async () => {
    const { directory, files } = project(template, inbox);
    expect(files).toEqual(
      expect.arrayContaining([".env", ".env.example", ".gitignore", "README.md"]),
    );
    expect(files.filter((path) => /(?:^|\/)_|template\.json|node_modules/.test(path))).toEqual([]);
    for (const path of files) {
      expect(await readFile(join(directory, path), "utf8"), path).not.toMatch(
        /(?:#|\/\/|<!--) part: /,
      );
    }
  });

  test("imports only what its package.json names", async () => {
    const { directory, files } = project(template, inbox);
    const { dependencies, devDependencies } = await manifestOf(project(template, inbox));
    const named = Object.keys({ ...dependencies, ...devDependencies });
    const imported = new Set<string>();
    for (const path of files.filter((file) => file.endsWith(".ts"))) {
      const text = await readFile(join(directory, path), "utf8");
      for (const [, name = ""] of text.matchAll(/from "([^".][^"]*)"/g)) imported.add(name);
    }
    expect(imported).toContain("hookporter");
    const packages = [...imported].filter((name) => !name.startsWith("node:"));
    const unknown = packages.filter(
      (name) => !named.some((text) => name === text || name.startsWith(`${text}/`)),
    );
    expect(unknown).toEqual([]);
  });

  test("has an AGENTS.md that names files, scripts, commands and flags that exist", async () => {
    const { directory } = project(template, inbox);
    const page = await readFile(join(directory, "AGENTS.md"), "utf8");
    const paths = [...page.matchAll(/`((?:src|test)\/[\w./-]*|\.env)`/g)].map(
      ([, path = ""]) => path,
    );
    expect(paths.length).toBeGreaterThan(3);
    expect(paths.filter((path) => !existsSync(join(directory, path)))).toEqual([]);
    const ran = [...page.matchAll(/npm (?:run )?(\w+)/g)].map(([, name = ""]) => name);
    expect(ran).toEqual(["dev", "test"]);
    expect(await manifestOf(project(template, inbox))).toMatchObject({
      scripts: { dev: expect.any(String), test: expect.any(String) },
    });
    const calls = [...page.matchAll(/npx hookporter ([a-z]+(?: [a-z]+)?)([^\n`#]*)/g)];
    expect(calls.length).toBeGreaterThan(5);
    for (const [call, words = "", rest = ""] of calls) {
      const names = [words, words.split(" ")[0]];
      const command = commands.find((command) => names.includes(commandName(command)));
      expect(command, call).toBeDefined();
      const flags = command?.options.map(({ long }) => long);
      for (const [flag] of rest.matchAll(/--[a-z-]+/g)) expect(flags, call).toContain(flag);
    }
  });

  test("keeps its events where it says", async () => {
    const { directory, files } = project(template, inbox);
    const env = await readFile(join(directory, ".env"), "utf8");
    const { dependencies } = await manifestOf(project(template, inbox));
    const onPostgres = inbox === "postgres";
    expect(/^DATABASE_URL=postgres:\/\//m.test(env)).toBe(onPostgres);
    expect("pg" in dependencies).toBe(onPostgres);
    expect(files.includes("compose.yaml")).toBe(onPostgres);
  });
});

/** A line of `.env` that moves the inbox, for the server and for the commands. */
const MOVES = [
  "",
  "HOOKPORTER_INBOX=other/inbox.db\n",
  "DATABASE_URL=postgres://app:hidden@127.0.0.1:9/app\n",
];
const moved = variants.flatMap(([template, inbox]) =>
  MOVES.map((line) => ({ template, inbox, line })),
);

test.each(moved)(
  "the server and the commands of $template with its events in $inbox have one inbox, with `$line` in .env",
  async ({ template, inbox, line }) => {
    const { directory } = project(template, inbox);
    const file = join(directory, ".env");
    const before = await readFile(file, "utf8");
    await writeFile(file, before + line);
    const variables = { ...process.env };
    onTestFinished(() => {
      process.env = variables;
      return writeFile(file, before);
    });
    const used = readProject(directory).inbox;
    const cli = { cwd: directory, env: {} };
    const onPostgres = used.startsWith("postgres://");
    // A project with a file has no part in the app's own DATABASE_URL.
    expect(onPostgres).toBe(inbox === "postgres" && !line.startsWith("HOOKPORTER_INBOX"));
    const listed = (await runCli(["doctor", "--explain", "events list", "--json"], cli)).records;
    expect(listed).toContainEqual(
      expect.objectContaining({ name: "inbox", value: shownInbox(used, directory) }),
    );
    if (onPostgres) {
      const { records } = await runCli(["doctor", "--json"], cli);
      expect(records).toContainEqual(
        expect.objectContaining({ check: "database", status: "fail" }),
      );
    } else {
      const path = join(directory, used);
      await mkdir(dirname(path), { recursive: true });
      await keepDeadLetter(path);
      const { records } = await runCli(["doctor", "--json"], cli);
      const said = { check: "entries", status: "warn", message: "1 dead letter" };
      expect(records).toContainEqual(expect.objectContaining(said));
      await rm(dirname(path), { recursive: true });
    }
    const own = (await runCli(["doctor", "--explain", "listen", "--json"], cli)).records;
    const listens = join(directory, ".hookporter", "inbox.db");
    expect(own).toContainEqual(expect.objectContaining({ name: "inbox", value: listens }));
  },
);

/** An inbox as the commands show it. */
function shownInbox(used: string, directory: string): string {
  return used.startsWith("postgres://") ? shownPostgresUrl(used) : join(directory, used);
}

/** Keeps an event whose data does not fit. */
async function keepDeadLetter(inbox: string): Promise<void> {
  const secret = "a secret of good length";
  const receiver = createReceiver({ secret, inbox, handlers: { "*": () => {} } });
  await receiver.start();
  const event = sampleEvent("property.created", { data: { id: 7 } });
  const { method, headers, body } = signedRequest(event, { secret });
  const receive = fetchReceiver(receiver);
  expect((await receive(new Request("http://localhost/", { method, headers, body }))).status).toBe(
    200,
  );
  await receiver.close();
}

test.each(["express", "fastify", "hono"])(
  "the server of the template %s keeps idle connections for longer than a balancer does",
  async (template) => {
    const { directory } = project(template, "file");
    await run(directory, join(modules, "typescript", "bin", "tsc"), "-p", "tsconfig.build.json");
    const { server, starts, printed } = startServer(directory, ["node", "dist/server.js"]);
    await starts(1);
    const [address = ""] = /http:\/\/127\.0\.0\.1:\d+/.exec(printed()) ?? [];
    const answer = await fetch(`${address}/healthz`);
    expect(answer.status).toBe(200);
    const [, seconds] = /timeout=(\d+)/.exec(answer.headers.get("keep-alive") ?? "") ?? [];
    expect(Number(seconds)).toBeGreaterThanOrEqual(65);
    const exited = once(server, "exit");
    server.kill("SIGTERM");
    expect(await exited).toEqual([0, null]);
  },
  60_000,
);

const SERVER = { PORT: "0", METRICS_PORT: "0", HOOKPORTER_INBOX: "memory:" };
const RIGHT = "const { id, amount } = event.data;";
const WRONG = 'const { id, amount } = JSON.parse("no JSON") as typeof event.data;';
const finances = (directory: string) => join(directory, "src", "handlers", "finances.ts");

/** Starts a server of a project, which ends with the test. */
function startServer(cwd: string, [program = "", ...argv]: readonly string[]) {
  const server = spawn(program.replace(/^node$/, process.execPath), argv, {
    cwd,
    env: { ...process.env, ...SERVER },
    stdio: "pipe",
  });
  onTestFinished(() => void server.kill("SIGKILL"));
  let printed = "";
  for (const stream of [server.stdout, server.stderr]) {
    stream.on("data", (chunk) => {
      printed += chunk;
    });
  }
  const starts = (count: number) =>
    vi.waitFor(() => expect(printed.split('"listening"')).toHaveLength(count + 1), {
      timeout: 30_000,
      interval: 50,
    });
  return { server, starts, printed: () => printed };
}

/** The source line that the server names as the place where a payment failed. */
async function failedLine(directory: string, printed: () => string): Promise<string | undefined> {
  const url = /http:[^"]+\/webhooks/.exec(printed().slice(printed().lastIndexOf('"listening"')));
  const env = await readFile(join(directory, ".env"), "utf8");
  const [, secret = ""] = /^HOOKPORTER_SECRET=(.+)$/m.exec(env) ?? [];
  const { method, headers, body } = signedRequest(sampleEvent("payment.received"), { secret });
  const sent = await fetch(url?.[0] ?? "", { method, headers, body });
  expect(sent.status).toBe(200);
  const places = () => [...printed().matchAll(/"at":"([^"]+)"/g)];
  await vi.waitFor(() => expect(places()).not.toHaveLength(0), { timeout: 30_000, interval: 50 });
  const [, at = ""] = places().at(-1) ?? [];
  const [, file = "", line = ""] = /^(.+?):(\d+)/.exec(at) ?? [];
  expect(file).toBe(join("src", "handlers", "finances.ts"));
  return (await readFile(join(directory, file), "utf8")).split("\n")[Number(line) - 1]?.trim();
}

test("`npm run dev` compiles a file again each time that an editor replaces it, and names its line if it fails", async () => {
  const { directory } = project("fastify", "file");
  await symlink(join(place, "node_modules"), join(directory, "node_modules"), "junction");
  const { server, starts, printed } = startServer(directory, ["node", "scripts/dev.js"]);
  const ended = once(server, "exit");
  await starts(1);
  const file = finances(directory);
  const right = await readFile(file, "utf8");
  const saved = join(directory, "saved.ts");
  for (const [count, text] of [
    [2, `${right}void 2;\n`],
    [3, right.replace(RIGHT, WRONG)],
  ] as const) {
    await writeFile(saved, text);
    await rename(saved, file);
    await starts(count);
  }
  expect(await failedLine(directory, printed)).toContain(WRONG);
  await writeFile(file, right);
  server.kill("SIGTERM");
  await ended;
  await rm(join(directory, "node_modules")); // the link
}, 120_000);

test("`npm start` and the image name the line of a handler's source that failed", async () => {
  const { directory } = project("express", "file");
  const file = finances(directory);
  const right = await readFile(file, "utf8");
  await writeFile(file, right.replace(RIGHT, WRONG));
  onTestFinished(() => writeFile(file, right));
  await run(directory, join(modules, "typescript", "bin", "tsc"), "-p", "tsconfig.build.json");
  const { scripts } = await manifestOf(project("express", "file"));
  const image = await readFile(join(directory, "Dockerfile"), "utf8");
  const lines: readonly string[][] = [
    String(scripts.start).split(" "),
    JSON.parse(/^CMD (.+)$/m.exec(image)?.[1] ?? ""),
  ];
  for (const words of lines) {
    const { starts, printed } = startServer(directory, words);
    await starts(1);
    expect(await failedLine(directory, printed)).toContain(WRONG);
  }
}, 120_000);

test("no route of Next.js sets what it refuses with `cacheComponents`, and none answers from a build", async () => {
  const folder = join(root, "templates", "nextjs", "src", "app");
  const routes = await readdir(folder, { recursive: true });
  const texts = routes
    .filter((path) => path.endsWith("route.ts"))
    .map((path) => join(folder, path));
  expect(texts.length).toBeGreaterThan(2);
  for (const path of texts) {
    const text = await readFile(path, "utf8");
    expect(text, path).not.toMatch(/export const (?:dynamic|revalidate|fetchCache|runtime)\b/);
    if (text.includes("function GET(")) expect(text, path).toContain("await connection();");
  }
});

test("Next.js starts so that it keeps idle connections as long, in its image too", async () => {
  const of = (name: string) => readFile(join(root, "templates", "nextjs", name), "utf8");
  const { scripts } = JSON.parse(await of("package.json"));
  const image = JSON.parse(/^CMD (.+)$/m.exec(await of("Dockerfile"))?.[1] ?? "") as string[];
  for (const words of [String(scripts.start).split(" "), image]) {
    expect(words).toContain("start");
    expect(Number(words[words.indexOf("--keepAliveTimeout") + 1])).toBeGreaterThanOrEqual(65_000);
  }
});

test("the tests that each template has of its own pass, without a line of a log", async () => {
  const vitest = join(modules, "vitest", "vitest.mjs");
  const { scripts } = await manifestOf(project("express", "file"));
  const [, flags = ""] = /vitest run (.*)/.exec(scripts.test) ?? [];
  const shared = ["handlers", "metrics"].map((name) =>
    join("express-file", "test", `${name}.test.ts`),
  );
  const own = await Promise.all(
    templates.map(async ({ name, inboxes: [inbox] }) => {
      const files = await readdir(join(root, "templates", name, "test"));
      return files.map((file) => join(`${name}-${inbox}`, "test", file));
    }),
  );
  const all = [...flags.split(" "), ...own.flat(), ...shared];
  const argv = [vitest, "run", "--root", place, "--no-isolate", ...all];
  const { stdout, stderr } = await execute(process.execPath, argv, { cwd: place });
  expect(stderr).toBe("");
  expect(stdout).not.toContain('"level"');
  const [, passed] = /Tests +(\d+) passed/.exec(stripVTControlCharacters(stdout)) ?? [];
  expect(Number(passed)).toBeGreaterThanOrEqual(3 * templates.length);
}, 180_000);
