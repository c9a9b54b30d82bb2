import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";

const BIN = join(import.meta.dirname, "..", "..", "dist", "bin.js");
const CHILDREN = join(import.meta.dirname, "children");

/** Longer than a lease, which in `listen` is the default of 15 seconds. Milliseconds. */
export const PAST_A_LEASE = 16_000;

/** One process of `listen`, from start to end. All times are milliseconds since 1970. */
export interface Life {
  readonly number: number;
  /** How far its clock was set ahead. */
  readonly clockAhead: number;
  /** When it was killed; `undefined` while it lives, or if it ended by itself. */
  killedAt?: number;
  /** Its exit code, if it ended without being killed. */
  exitCode?: number | null;
}

/** Options of a `listen` process. */
export interface ListenSetup {
  readonly life: Life;
  readonly port: number;
  readonly inbox: string;
  /** The port of an app to forward to; without one, it runs handlers. */
  readonly appPort: number | undefined;
  readonly effects: string;
  readonly secret: string;
  /** Working folder. */
  readonly cwd: string;
  /** An open file for its standard error. */
  readonly log: number;
}

/** A `listen` process, started as users start it. */
export class ListenProcess {
  readonly life: Life;
  /** Resolves when it accepts deliveries, or has ended before that. */
  readonly ready: Promise<void>;
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;

  constructor(setup: ListenSetup) {
    if (!existsSync(BIN))
      throw new Error(`expected ${BIN}, got nothing there: run \`npm run build\` first`);
    this.life = setup.life;
    this.#child = start(setup);
    this.#exited = once(this.#child, "exit").then(([code]) => {
      if (this.life.killedAt === undefined) this.life.exitCode = code;
    });
    const { stdout } = this.#child;
    const announced = new Promise<void>((resolve) => {
      // Keep reading: a process that writes to an unread pipe blocks.
      stdout?.on("data", (chunk: Buffer) => chunk.includes('"type":"ready"') && resolve());
    });
    this.ready = Promise.race([announced, this.#exited.then(() => {})]);
  }

  /** Kills it without warning; resolves once it has ended. */
  async kill(): Promise<void> {
    if (this.#running) {
      this.life.killedAt = Date.now();
      this.#child.kill("SIGKILL");
    }
    await this.#exited;
  }

  /** Asks it to stop; resolves with its exit code. */
  async stop(): Promise<number | null> {
    if (this.#running) this.#child.kill("SIGTERM");
    await this.#exited;
    return this.#child.exitCode;
  }

  get #running(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }
}

function start({
  life,
  port,
  inbox,
  appPort,
  effects,
  secret,
  cwd,
  log,
}: ListenSetup): ChildProcess {
  const clock = life.clockAhead === 0 ? [] : ["--import", join(CHILDREN, "clock.js")];
  const work =
    appPort === undefined
      ? ["--handlers", join(CHILDREN, "handlers.js")]
      : ["--forward-to", `http://127.0.0.1:${appPort}/${life.number}`];
  const argv = [
    ...clock,
    BIN,
    "listen",
    "--json",
    "--port",
    String(port),
    "--inbox",
    inbox,
    ...work,
  ];
  const { PATH } = process.env;
  const env = {
    PATH,
    HOOKPORTER_SECRET: secret,
    CRASH_EFFECTS: effects,
    CRASH_LIFE: String(life.number),
    CRASH_CLOCK_AHEAD: String(life.clockAhead),
  };
  return spawn(process.execPath, argv, { cwd, env, stdio: ["ignore", "pipe", log] });
}
