import { execFile } from "node:child_process";
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

/**
 * Installs the packed package with npm, with this Node, with and without optional packages. CI runs
 * it on every Node.
 */
const root = join(import.meta.dirname, "..");
const place = mkdtempSync(join(tmpdir(), "hookporter-installs-"));
const HAS_SQLITE = process.getBuiltinModule?.("node:sqlite" as "node:fs") !== undefined;
const MISSING =
  "expected @photostructure/sqlite (the SQLite of Node 20); run npm i @photostructure/sqlite, or use Node 22.13 or newer";
const QUIET = ["--no-audit", "--no-fund", "--prefer-offline"];
const env = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) =>
      !/^(?:HOOKPORTER|VITEST|NODE_ENV|TEST$|INIT_CWD|npm_package|npm_lifecycle)/.test(name),
  ),
);
let tarball = "";

async function run(cwd: string, program: string, ...argv: readonly string[]) {
  const done = await promisify(execFile)(program, argv, {
    cwd,
    env,
    maxBuffer: 64 * 1024 * 1024,
  }).catch((thrown: unknown) => ({ stdout: "", stderr: "", ...Object(thrown) }));
  return { code: Number(done.code ?? 0), stdout: String(done.stdout), stderr: String(done.stderr) };
}

async function npm(cwd: string, ...argv: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await run(cwd, "npm", ...argv, ...QUIET);
  if (code !== 0) throw new Error(`npm ${argv.join(" ")} failed: ${stdout}${stderr}`);
  return stderr;
}

function newFolder(name: string): string {
  const folder = join(place, name);
  mkdirSync(folder);
  return folder;
}

/** Megabytes on the disk, in blocks of 4 KiB, as `du` counts. */
function megabytes(path: string): number {
  const files = readdirSync(path, { recursive: true, encoding: "utf8" }).map((name) =>
    lstatSync(join(path, name)),
  );
  return files.reduce((sum, { size }) => sum + Math.ceil(size / 4096) * 4096, 0) / 2 ** 20;
}

const packagesOf = (folder: string) =>
  Object.keys(
    JSON.parse(readFileSync(join(folder, "node_modules", ".package-lock.json"), "utf8")).packages,
  );

/** Runs `listen` until its time is over; 6 means that it listened and nothing came. */
const listenIn = (cwd: string, folder: string) =>
  run(
    cwd,
    join(folder, "node_modules", ".bin", "hookporter"),
    "listen" as const,
    "--port" as const,
    "0" as const,
    "--inspect-port",
    "0",
    "--count",
    "1",
    "--timeout",
    "1s",
  );

beforeAll(async () => {
  const { stdout } = await run(
    root,
    "npm",
    "pack",
    "--ignore-scripts",
    "--json",
    "--pack-destination",
    place,
  );
  const [first] = Object.values<{ filename: string }>(JSON.parse(stdout));
  tarball = join(place, first?.filename ?? "");
}, 120_000);
afterAll(() => rmSync(place, { recursive: true, force: true }));

describe("an install without optional packages", () => {
  let folder = "";
  beforeAll(async () => {
    folder = newFolder("light");
    writeFileSync(join(folder, "package.json"), '{ "private": true }');
    await npm(folder, "install", "--omit=dev", "--omit=optional", tarball);
  }, 120_000);

  it("takes at most 20 megabytes, and has no native code", () => {
    expect(megabytes(join(folder, "node_modules"))).toBeLessThan(20);
    expect(packagesOf(folder).length).toBeLessThanOrEqual(20);
    const files = readdirSync(join(folder, "node_modules"), { recursive: true, encoding: "utf8" });
    expect(files.filter((name) => name.endsWith(".node"))).toEqual([]);
  });

  it.runIf(HAS_SQLITE)("runs listen with an inbox file", async () => {
    const cwd = newFolder("light-run");
    expect((await listenIn(cwd, folder)).code).toBe(6);
    expect(readdirSync(join(cwd, ".hookporter"))).toContain("inbox.db");
  });

  it.skipIf(HAS_SQLITE)("says in one line what to install, before any file is made", async () => {
    const cwd = newFolder("light-run");
    const { code, stderr } = await listenIn(cwd, folder);
    expect([code, stderr]).toEqual([3, `error: ${MISSING}\n`]);
    expect(readdirSync(cwd)).toEqual([]);
  });

  it("says which client a tunnel through ngrok needs", async () => {
    const cwd = newFolder("light-ngrok");
    const command = join(folder, "node_modules", ".bin", "hookporter");
    const { code, stderr } = await run(
      cwd,
      command,
      "listen",
      "--port",
      "0",
      "--tunnel",
      "ngrok",
      "--inbox",
      "memory:",
    );
    expect(stderr).toBe(
      "error: expected @ngrok/ngrok (the client of --tunnel ngrok); run npm i @ngrok/ngrok@1.7.0, or use another --tunnel\n",
    );
    expect(code).toBe(3);
    expect(readdirSync(cwd)).toEqual([]);
  });
});

describe("an install with optional packages", () => {
  it("takes at most 60 megabytes, and runs listen on every Node without the install scripts that npm 12 does not run", async () => {
    const folder = newFolder("whole");
    writeFileSync(join(folder, "package.json"), '{ "private": true }');
    await npm(folder, "install", "--omit=dev", "--ignore-scripts", tarball);
    expect(packagesOf(folder)).toContain("node_modules/@photostructure/sqlite");
    expect(megabytes(join(folder, "node_modules"))).toBeLessThan(60);
    expect((await listenIn(newFolder("whole-run"), folder)).code).toBe(6);
  }, 120_000);
});
