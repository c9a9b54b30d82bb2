import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify, stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Scaffolded, scaffold } from "../../src/scaffold/scaffold.ts";
import { listTemplates } from "../../src/scaffold/templates.ts";

const root = join(import.meta.dirname, "..", "..");
const templates = await listTemplates(root);
const variants = templates.flatMap((template) =>
  template.inboxes.map((inbox) => [template.name, inbox] as const),
);
const modules = join(root, "node_modules");
const execute = promisify(execFile);

/** Runs a script of this repository's packages; rejects with its output if it fails. */
async function run(cwd: string, ...argv: readonly string[]): Promise<string> {
  try {
    return (await execute(process.execPath, argv, { cwd, maxBuffer: 16 * 1024 * 1024 })).stdout;
  } catch (thrown) {
    throw new Error(`${String(thrown)}\n${String(Object(thrown).stdout)}`, { cause: thrown });
  }
}

/** A folder of projects, one for each template and inbox, which find their packages in the folder above them. */
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
  const names = manifests.flatMap((one) => Object.keys({ ...one.dependencies, ...one.devDependencies }));
  return new Set(names.filter((name) => name !== "hookporter"));
}

/** Links a package of this repository; one that is too large to have here gets types that fit everything. */
async function provide(name: string): Promise<void> {
  const target = join(place, "node_modules", name);
  await mkdir(dirname(target), { recursive: true });
  if (existsSync(join(modules, name))) return symlink(join(modules, name), target, "junction");
  await mkdir(target);
  await writeFile(join(target, "package.json"), JSON.stringify({ name, types: "index.d.ts" }));
  await writeFile(join(target, "index.d.ts"), "export type NextConfig = object;\n");
}

function project(template: string, inbox: string): Scaffolded {
  const found = made.get(`${template} ${inbox}`);
  if (found === undefined) throw new Error("not scaffolded");
  return found;
}

/** Compiling takes a second each, and the inbox changes one line. */
const compiled = variants.filter(
  ([name, inbox]) =>
    name === "express" || templates.some((one) => one.name === name && one.inboxes[0] === inbox),
);

test.each(compiled)("the template %s with its events in %s type-checks", async (template, inbox) => {
  const { directory } = project(template, inbox);
  await run(directory, join(modules, "typescript", "bin", "tsc"), "--noEmit");
});

describe.each(variants)("the template %s with its events in %s", (template, inbox) => {
  test("is a project whose files leave no part or layer to be seen", async () => {
    const { directory, files } = project(template, inbox);
    expect(files).toEqual(expect.arrayContaining([".env", ".env.example", ".gitignore", "README.md"]));
    expect(files.filter((path) => /(?:^|\/)_|template\.json|node_modules/.test(path))).toEqual([]);
    for (const path of files) {
      expect(await readFile(join(directory, path), "utf8"), path).not.toMatch(/(?:#|\/\/|<!--) part: /);
    }
  });

  test("imports only what its package.json names", async () => {
    const { directory, files } = project(template, inbox);
    const { dependencies, devDependencies } = await manifestOf(project(template, inbox));
    const named = Object.keys({ ...dependencies, ...devDependencies });
    const imported = new Set<string>();
    for (const path of files.filter((one) => one.endsWith(".ts"))) {
      const text = await readFile(join(directory, path), "utf8");
      for (const [, name = ""] of text.matchAll(/from "([^".][^"]*)"/g)) imported.add(name);
    }
    expect(imported).toContain("hookporter");
    const packages = [...imported].filter((name) => !name.startsWith("node:"));
    const unknown = packages.filter(
      (name) => !named.some((one) => name === one || name.startsWith(`${one}/`)),
    );
    expect(unknown).toEqual([]);
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

/** All of them run in the long version of the package's tests, in projects that are installed from the package. */
test("commands read the inbox of the server in a project with a file, except for `listen`, which has its own", async () => {
  const projects = [...made].filter(([name]) => name.endsWith(" file"));
  expect(projects.length).toBeGreaterThan(3);
  for (const [name, { directory }] of projects) {
    const settings = JSON.parse(await readFile(join(directory, "hookporter.config.json"), "utf8"));
    expect(settings, name).toEqual({ inbox: "data/inbox.db", listen: { inbox: ".hookporter/inbox.db" } });
    const env = await readFile(join(directory, ".env.example"), "utf8");
    expect(env, name).toContain(`HOOKPORTER_INBOX=./${settings.inbox}`);
  }
});

test("commands read the inbox of the server in a project on PostgreSQL, except for `listen`", async () => {
  const projects = [...made].filter(([name]) => name.endsWith(" postgres"));
  expect(projects.length).toBeGreaterThan(4);
  const show = "console.log(JSON.stringify((await import(process.argv[1])).default))";
  for (const [name, { directory }] of projects) {
    const file = join(directory, "hookporter.config.ts");
    const config = join(place, "config.mjs"); // Node 20 runs no TypeScript; this file has no types
    await writeFile(
      config,
      (await readFile(file, "utf8")).replaceAll('".env"', JSON.stringify(join(directory, ".env"))),
    );
    const shown = await run(directory, "--input-type=module", "-e", show, "--", config);
    const [, url] = /^DATABASE_URL=(.*)$/m.exec(await readFile(join(directory, ".env"), "utf8")) ?? [];
    expect(JSON.parse(shown), name).toEqual({ inbox: url, listen: { inbox: ".hookporter/inbox.db" } });
  }
});

test("the tests that each template has of its own pass", async () => {
  const vitest = join(modules, "vitest", "vitest.mjs");
  const own = await Promise.all(
    templates.map(async ({ name, inboxes: [inbox] }) => {
      const files = await readdir(join(root, "templates", name, "test"));
      return files.map((file) => join(`${name}-${inbox}`, "test", file));
    }),
  );
  const argv = [vitest, "run", "--root", place, "--no-isolate", ...own.flat()];
  const stdout = await run(place, ...argv);
  const [, passed] = /Tests +(\d+) passed/.exec(stripVTControlCharacters(stdout)) ?? [];
  expect(Number(passed)).toBeGreaterThanOrEqual(3 * templates.length);
}, 60_000);
