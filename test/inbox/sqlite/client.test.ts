import { execFile } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { loadSqlite, sqliteInUse } from "../../../src/inbox/sqlite/client.ts";

const PACKAGE = join("node_modules", "@photostructure", "sqlite");
const root = join(import.meta.dirname, "..", "..", "..");
const place = mkdtempSync(join(tmpdir(), "hookporter-client-"));
const library = join(place, "hookporter", "dist");

/** As on Node 20, which has no SQLite. */
const OLD_NODE = ["--import", "data:text/javascript,process.getBuiltinModule = () => undefined"];
const HAS_SQLITE = process.getBuiltinModule?.("node:sqlite" as "node:fs") !== undefined;

/** Opens `data/inbox.db`, with the library where no package is installed beside it. */
async function open(name: string, prepare: (cwd: string) => void = () => {}, flags = OLD_NODE) {
  const cwd = join(place, name);
  mkdirSync(cwd);
  prepare(cwd);
  const program = `import { createReceiver } from ${JSON.stringify(join(library, "index.js"))};
    const log = { debug() {}, info() {}, warn() {}, error() {} };
    const receiver = createReceiver({ secret: "a secret", inbox: "data/inbox.db", log });
    await receiver.start().then(() => console.log("started"), (error) => console.log(error.code, error.message));
    await receiver.close();`;
  const argv = [...flags, "--input-type=module", "-e", program];
  const { stdout } = await promisify(execFile)(process.execPath, argv, { cwd });
  const files = readdirSync(cwd, { recursive: true }).filter(
    (file) => !String(file).startsWith("node_modules"),
  );
  return { printed: stdout.trim(), files };
}

/** A package that does not load. */
function broken(cwd: string): void {
  const folder = join(cwd, PACKAGE);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "index.js"), 'throw new Error("no build for this platform");');
}

beforeAll(() => {
  cpSync(join(root, "dist"), library, {
    recursive: true,
    filter: (path) => !path.endsWith("types"),
  });
  writeFileSync(join(library, "..", "package.json"), '{ "type": "module" }');
});
afterAll(() => rmSync(place, { recursive: true, force: true }));

it("without SQLite, an inbox file does not open, its error says what to run, and no file is made", async () => {
  const { printed, files } = await open("none");
  expect(printed).toBe(
    "inbox_client_missing expected @photostructure/sqlite (the SQLite of Node 20); " +
      "run npm i @photostructure/sqlite, or use Node 22.13 or newer",
  );
  expect(files).toEqual([]);
});

it("a package that does not load is reported with its error", async () => {
  const { printed, files } = await open("broken", broken);
  expect(printed).toMatch(
    /^inbox_unavailable expected @photostructure\/sqlite to load, got "no build for this platform": /,
  );
  expect(files).toEqual([]);
});

it("an older Node takes the package of the working folder", async () => {
  const { printed, files } = await open("own", (cwd) => {
    mkdirSync(dirname(join(cwd, PACKAGE)), { recursive: true });
    symlinkSync(join(root, PACKAGE), join(cwd, PACKAGE), "dir");
  });
  expect(printed).toBe("started");
  expect(files).toContain(join("data", "inbox.db"));
});

it.runIf(HAS_SQLITE)(
  "a newer Node uses its own SQLite, and does not load the package",
  async () => {
    expect((await open("newer", broken, [])).printed).toBe("started");
  },
);

it("the SQLite in use is named with its version", () => {
  const { from, version } = sqliteInUse();
  expect(from).toBe(HAS_SQLITE ? "node:sqlite" : "@photostructure/sqlite");
  expect(version).toMatch(/^3\.\d+\.\d+$/);
});

it("a warning of the process is still one after SQLite was loaded", () => {
  const { emitWarning } = process;
  loadSqlite();
  expect(process.emitWarning).toBe(emitWarning);
});
