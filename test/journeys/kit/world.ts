import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { vi } from "vitest";
import { closedPort } from "../../relay/tunnel/machine.ts";
import { type Registry, startRegistry } from "./registry.ts";
import { type Ran, Terminal } from "./terminal.ts";

const execute = promisify(execFile);
const root = join(import.meta.dirname, "..", "..", "..");
const PATIENCE = 120_000;

/** A program that goes on, such as a server. */
export interface Running {
  /** All that it has printed so far. */
  printed(): string;
  /** Waits until it has printed something that fits. */
  until(text: RegExp, patience?: number): Promise<string>;
  /** Sends a signal to it alone; without one, SIGTERM to it and what it started. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
  readonly child: ChildProcess;
}

/**
 * The machine of a new user: an empty home, a registry where the package is published, a folder for
 * their projects, and nothing of this checkout.
 */
export class World {
  readonly place: string;
  readonly home: string;
  /** Where the story's projects are. */
  readonly folder: string;
  readonly env: Record<string, string>;
  readonly registry: Registry;
  readonly #running: Running[] = [];
  readonly #terminals = new Map<string, Terminal>();
  readonly #note: (text: string) => void;

  private constructor(registry: Registry, place: string, note: (text: string) => void) {
    this.registry = registry;
    this.place = place;
    this.#note = note;
    this.home = join(place, "home");
    this.folder = join(place, "projects");
    for (const folder of [this.home, this.folder]) mkdirSync(folder);
    this.env = newUser(this.home, registry.url);
    shareDownloads(this.home);
  }

  /** Packs and publishes the package, and makes the home. */
  static async open(note: (text: string) => void = () => {}): Promise<World> {
    const place = mkdtempSync(join(tmpdir(), "hookporter-journey-"));
    const registry = await startRegistry();
    const world = new World(registry, place, note);
    await registry.publish(await packCheckout(join(place, "packed")));
    const port = await closedPort();
    world.env.HOOKPORTER_LISTEN_PORT = String(port);
    world.env.HOOKPORTER_INSPECT_PORT = "0";
    return world;
  }

  /** Runs a line in a shell, off a terminal; what it printed is in the order of printing. */
  async shell(
    cwd: string,
    line: string,
    options: { readonly env?: Record<string, string>; readonly patience?: number } = {},
  ): Promise<Ran> {
    const child = this.#spawn(cwd, ["bash", "-c", line], options.env);
    const printed = printedBy(child);
    const timer = setTimeout(() => end(child, "SIGKILL"), options.patience ?? PATIENCE * 3);
    const [code, signal] = await once(child, "close");
    clearTimeout(timer);
    const text = printed();
    this.#note(`$ ${line}\n${text.trimEnd()}\n[${code ?? signal}]`);
    return { line, code: Number(code ?? 128), text };
  }

  /** Starts a line that goes on until the journey ends, and waits until it has printed a text. */
  async start(
    cwd: string,
    line: string,
    isReady: RegExp,
    env: Record<string, string> = {},
  ): Promise<Running> {
    const child = this.#spawn(cwd, ["bash", "-c", `exec ${line}`], env);
    const printed = printedBy(child);
    const ended = once(child, "close");
    const running: Running = {
      child,
      printed,
      until: (text, patience = PATIENCE) =>
        vi.waitFor(
          () => {
            if (!text.test(printed()))
              throw new Error(`expected ${line} to print ${text}, got:\n${printed()}`);
            return printed();
          },
          { timeout: patience, interval: 50 },
        ),
      stop: async (signal) => {
        if (child.exitCode === null && child.signalCode === null) {
          if (signal === undefined) end(child, "SIGTERM");
          else child.kill(signal);
        }
        const timer = setTimeout(() => end(child, "SIGKILL"), 30_000);
        const [code] = await ended;
        clearTimeout(timer);
        this.#note(`$ ${line} &\n${printed().trimEnd()}\n[${code}]`);
        return code;
      },
    };
    this.#running.push(running);
    await running.until(isReady);
    return running;
  }

  /** Opens a terminal in a folder, or the one that has this name. */
  async terminal(name: string, cwd: string, columns?: number): Promise<Terminal> {
    const known = this.#terminals.get(name);
    if (known !== undefined) return known;
    const place = join(this.place, `terminal-${this.#terminals.size}`);
    mkdirSync(place);
    this.#check([cwd], this.env);
    const terminal = await new Terminal(place, cwd, this.env, columns).open();
    this.#terminals.set(name, terminal);
    return terminal;
  }

  /** What each terminal shows. */
  screens(): readonly (readonly [string, string])[] {
    return [...this.#terminals].map(([name, terminal]) => [name, terminal.screen()] as const);
  }

  /** Gives a project a free port, in its `.env`; returns the URL of its receiver. */
  async portFor(project: string, path = "/webhooks"): Promise<string> {
    const port = await closedPort();
    appendFileSync(join(project, ".env"), `PORT=${port}\nMETRICS_PORT=0\n`);
    return `http://127.0.0.1:${port}${path}`;
  }

  read(...path: readonly string[]): string {
    return readFileSync(join(...path), "utf8");
  }

  /** Edits a file as a person does: replaces a text that must be there. */
  edit(file: string, from: string | RegExp, to: string): void {
    const text = readFileSync(file, "utf8");
    const edited = text.replace(from, () => to);
    if (edited === text) throw new Error(`expected ${file} to have ${from}, got:\n${text}`);
    writeFileSync(file, edited);
  }

  async close(isKept: boolean): Promise<void> {
    for (const terminal of this.#terminals.values()) terminal.close();
    await Promise.all(this.#running.map((running) => running.stop()));
    this.registry.close();
    // npm may still write its log.
    if (!isKept)
      rmSync(this.place, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
  }

  #spawn(cwd: string, argv: readonly string[], own: Record<string, string> = {}): ChildProcess {
    const env = { ...this.env, ...own };
    this.#check([cwd, ...argv], env);
    const [program = "", ...rest] = argv;
    return spawn(program, rest, { cwd, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  }

  /** A journey that reaches into the checkout is not that of a user. */
  #check(argv: readonly string[], env: Readonly<Record<string, string>>): void {
    const found = [...argv, ...Object.values(env)].find((text) => text.includes(root));
    if (found !== undefined) throw new Error(`expected no path of the checkout, got ${found}`);
  }
}

function newUser(home: string, registry: string): Record<string, string> {
  const { PATH = "", NODE_EXTRA_CA_CERTS } = process.env;
  const path = PATH.split(delimiter).filter((folder) => !folder.includes("node_modules"));
  return {
    PATH: path.join(delimiter),
    HOME: home,
    LANG: "C.UTF-8",
    npm_config_registry: registry,
    npm_config_update_notifier: "false",
    NEXT_TELEMETRY_DISABLED: "1",
    ...(NODE_EXTRA_CA_CERTS === undefined ? {} : { NODE_EXTRA_CA_CERTS }),
  };
}

/** The home is empty but for npm's downloads, which are those of this machine. */
function shareDownloads(home: string): void {
  const downloads = join(process.env.npm_config_cache ?? join(homedir(), ".npm"), "_cacache");
  mkdirSync(downloads, { recursive: true });
  mkdirSync(join(home, ".npm"));
  symlinkSync(downloads, join(home, ".npm", "_cacache"));
}

/** Packs this checkout as a release does; returns the tarball. */
export async function packCheckout(folder: string, checkout = root): Promise<string> {
  mkdirSync(folder, { recursive: true });
  if (!existsSync(join(checkout, "dist"))) throw new Error("expected a build: npm run build");
  await execute("npm", ["pack", "--ignore-scripts", "--pack-destination", folder], {
    cwd: checkout,
  });
  return join(folder, readdirSync(folder).find((name) => name.endsWith(".tgz")) ?? "");
}

/** What a child prints from now on, in the order of printing. */
export function printedBy(child: ChildProcess): () => string {
  const chunks: string[] = [];
  child.stdout?.on("data", (chunk) => chunks.push(String(chunk)));
  child.stderr?.on("data", (chunk) => chunks.push(String(chunk)));
  return () => chunks.join("");
}

function end(child: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, signal);
  } catch {
    // It has ended with all that it started.
  }
}
