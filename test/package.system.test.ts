import { execFile } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import entries from "../tools/entries.json" with { type: "json" };

const root = join(import.meta.dirname, "..");
const execute = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), "hookporter-package-"));
const consumer = join(folder, "consumer");
let tarball = "";

/** The environment of a new user: none of our variables, no home with settings. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) =>
      !/^(?:HOOKPORTER|VITEST|NODE_ENV|TEST$|INIT_CWD|npm_package|npm_lifecycle)/.test(name),
  ),
);

/** Runs a program to its end; rejects with its output if it fails. */
async function run(cwd: string, program: string, ...argv: string[]): Promise<string> {
  const { stdout } = await execute(program, argv, { cwd, env, maxBuffer: 64 * 1024 * 1024 });
  return stdout;
}

const npm = (cwd: string, ...argv: string[]) =>
  run(cwd, "npm", ...argv, "--no-audit", "--no-fund", "--prefer-offline");
const hookporter = (cwd: string, ...argv: string[]) =>
  run(cwd, join(consumer, "node_modules", ".bin", "hookporter"), ...argv);

beforeAll(async () => {
  // dist/ is built before the tests; packing must not rebuild it while other tests run it.
  const packed = await npm(
    root,
    "pack",
    "--ignore-scripts",
    "--json",
    "--pack-destination",
    folder,
  );
  const parsed = JSON.parse(packed);
  const [first] = Array.isArray(parsed) ? parsed : Object.values<{ filename: string }>(parsed);
  tarball = join(folder, first.filename);
  await run(folder, "mkdir", consumer);
  writeFileSync(
    join(consumer, "package.json"),
    '{ "name": "consumer", "private": true, "type": "module" }',
  );
  await npm(consumer, "install", tarball);
}, 180_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the packed package", () => {
  it("runs from an empty folder and prints its version", async () => {
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    expect((await hookporter(consumer, "--version")).trim()).toBe(version);
  });

  it("contains what it needs and nothing else", () => {
    const installed = join(consumer, "node_modules", "hookporter");
    const top = readdirSync(installed).sort();
    const pages = ["CHANGELOG.md", "LICENSE", "README.md", "SECURITY.md"];
    expect(top).toEqual([...pages, "dist", "docs", "package.json", "templates"]);
    expect(existsSync(join(installed, "templates", "_shared", "_gitignore"))).toBe(true);
    for (const name of ["THIRD-PARTY-NOTICES.txt", "sbom.cdx.json"])
      expect(existsSync(join(installed, "dist", name))).toBe(true);
    expect(existsSync(join(installed, "dist", "inspector", "index.html"))).toBe(true);
  });

  it("contains every page that its README and documentation link to", () => {
    const installed = join(consumer, "node_modules", "hookporter");
    const names = readdirSync(join(installed, "docs"), {
      recursive: true,
      encoding: "utf8",
    }).filter((name) => name.endsWith(".md"));
    const pages = ["README.md", ...names.map((name) => join("docs", name))];
    const links = pages.flatMap((page) => {
      const found = readFileSync(join(installed, page), "utf8").matchAll(
        /\]\((?![a-z]+:|#)([^)#]+)/g,
      );
      return [...found].map(([, target = ""]) => join(installed, dirname(page), target));
    });
    expect(links.length).toBeGreaterThan(5);
    expect(links.filter((target) => !existsSync(target))).toEqual([]);
  });

  it("exports every entry point to `import` and to `require`, as one copy of the library", async () => {
    const specifiers = Object.keys(entries).map((name) => `hookporter${name.slice(1)}`);
    const missing = await run(
      consumer,
      "node",
      "-e",
      'import("hookporter/tracing").catch(console.log)',
    );
    expect(missing).toContain("Cannot find package '@opentelemetry/api'");
    // The one optional peer that is imported at the start; in the folder above, since it is no
    // dependency to be counted.
    await npm(folder, "install", "--prefix", ".", "--no-save", "@opentelemetry/api@1");
    const program = `import { createRequire } from "node:module";
      const require = createRequire(process.cwd() + "/program.js");
      for (const name of ${JSON.stringify(specifiers)}) {
        const exported = await import(name);
        console.log(name, Object.keys(exported).length > 0, require(name) === exported);
      }`;
    const printed = await run(
      consumer,
      "node",
      "--no-warnings",
      "--input-type=module",
      "-e",
      program,
    );
    expect(printed.trim().split("\n")).toEqual(specifiers.map((name) => `${name} true true`));
  });

  it("exports the same names as CommonJS, for programs that cannot require an ES module", async () => {
    const dist = join(consumer, "node_modules", "hookporter", "dist");
    const files = Object.keys(entries).map((name) => (name === "." ? "index" : name.slice(2)));
    const program = `for (const file of ${JSON.stringify(files)}) {
        const names = (exported) => Object.keys(exported).sort().join();
        const common = require(\`\${process.argv[1]}/\${file}.cjs\`);
        import(\`\${process.argv[1]}/\${file}.js\`).then((esm) => console.log(file, names(common) === names(esm)));
      }`;
    const printed = await run(
      consumer,
      "node",
      "--no-experimental-require-module",
      "-e",
      program,
      dist,
    );
    expect(printed.trim().split("\n").sort()).toEqual(files.map((file) => `${file} true`).sort());
  });

  it("has no fault that publint finds", async () => {
    const packed = new Uint8Array(readFileSync(tarball)).buffer;
    const { messages } = await publint({ pack: { tarball: packed }, level: "warning" });
    expect(messages).toEqual([]);
  });

  it("resolves every entry point, with the right types, wherever attw looks from", async () => {
    const checked = await checkPackage(createPackageFromTarballData(readFileSync(tarball)));
    if (!checked.types) throw new Error("expected the package to have types");
    expect(checked.problems).toEqual([]);
    expect(Object.keys(checked.entrypoints)).toEqual(expect.arrayContaining(Object.keys(entries)));
  }, 60_000);

  it("says what to install if an inbox on PostgreSQL is opened without pg", async () => {
    const program = `import { createReceiver } from "hookporter";
      const receiver = createReceiver({ secret: "s", inbox: "postgres://user:canary-pw@127.0.0.1/app" });
      await receiver.start().catch(({ code, message }) => console.log(code, message));`;
    const said = await run(consumer, "node", "--input-type=module", "-e", program);
    expect(said).toMatch(
      /^inbox_client_missing expected the package pg .* postgres:\/\/user@127.* run npm i pg\n$/,
    );
    expect(said).not.toContain("canary-pw");
  });

  it("finds pg in the working folder, if it is installed elsewhere itself", async () => {
    const withClient = join(folder, "with-client");
    mkdirSync(join(withClient, "node_modules"), { recursive: true });
    symlinkSync(join(root, "node_modules", "pg"), join(withClient, "node_modules", "pg"), "dir");
    const library = pathToFileURL(join(consumer, "node_modules", "hookporter", "dist", "index.js"));
    const program = `import { createReceiver, postgresInbox } from "${library}";
      const inbox = postgresInbox("postgres://user@127.0.0.1:1/app");
      const receiver = createReceiver({ secret: "a-secret-of-this-test", inbox });
      await receiver.start().catch(({ code }) => console.log(code));`;
    const open = (cwd: string) => run(cwd, "node", "--input-type=module", "-e", program);
    expect(await open(folder)).toBe("inbox_client_missing\n");
    expect(await open(withClient)).toBe("inbox_unreachable\n");
  });

  it("has at most 25 dependencies, none of which starting the command line loads", async () => {
    // The installed packages without this one; the lockfile names builds for other platforms too.
    const lock = JSON.parse(
      readFileSync(join(consumer, "node_modules", ".package-lock.json"), "utf8"),
    );
    expect(Object.keys(lock.packages).length - 1).toBeLessThanOrEqual(25);
    const bundled = readFileSync(
      join(consumer, "node_modules", "hookporter", "dist", "bin.js"),
      "utf8",
    );
    const imported = [...bundled.matchAll(/^import .* from "([^"]+)";$/gm)].map(
      (match) => match[1] ?? "",
    );
    expect(imported.filter((name) => !name.startsWith("node:") && !name.startsWith("./"))).toEqual(
      [],
    );
  });
});

it("prints its version when it is installed, as the whole program does", async () => {
  const folder = join(consumer, "node_modules", "hookporter");
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const printed = await run(consumer, "node", join(folder, "dist", "hookporter.cjs"), "--version");
  expect(printed.trim()).toBe(version);
});
