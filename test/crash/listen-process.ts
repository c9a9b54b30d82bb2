import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";

const BIN = join(import.meta.dirname, "..", "..", "dist", "bin.js");
const CHILDREN = join(import.meta.dirname, "children");

/** Longer than a claimed entry's lease, which `listen` leaves at its default of 15 seconds. Milliseconds. */
export const PAST_A_LEASE = 16_000;

/** One process of `listen`, from its start to its end. All times are milliseconds since 1970. */
export interface Life {
  readonly number: number;
  /** How far its clock was set ahead. */
  readonly clockAhead: number;
  /** When it was killed; `undefined` while it lives, or when it ended by itself. */
  killedAt?: number;
  /** Its exit code, when it ended without having been killed. */
  exitCode?: number | null;
}

/** What a `listen` is started with. */
export interface ListenSetup {
  readonly life: Life;
  readonly port: number;
  readonly inbox: string;
  /** Runs handlers where there is no app's port to forward to. */
  readonly appPort: number | undefined;
  readonly effects: string;
  readonly secret: string;
  /** Working folder. */
  readonly cwd: string;
  /** An open file for what it says. */
  readonly log: number;
}

/** A `listen` as its users start it. */
export class ListenProcess {
  readonly life: Life;
  /** Resolves when it takes deliveries, or has ended before it did. */
  readonly ready: Promise<void>;
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;

  constructor(setup: ListenSetup) {
    if (!existsSync(BIN)) throw new Error(`expected ${BIN}, got nothing there: run \`npm run build\` first`);
    this.life = setup.life;
    this.#child = start(setup);
    this.#exited = once(this.#child, "exit").then(([code]) => {
      if (this.life.killedAt === undefined) this.life.exitCode = code;
    });
    const { stdout } = this.#child;
    const announced = new Promise<void>((resolve) => {
      // Read to the end: who writes to a pipe that nobody reads stands still.
      stdout?.on("data", (chunk: Buffer) => chunk.includes('"type":"ready"') && resolve());
    });
    this.ready = Promise.race([announced, this.#exited.then(() => {})]);
  }

  /** Ends it as a power cut would end it, for itself; resolves once it is gone. */
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

function start({ life, port, inbox, appPort, effects, secret, cwd, log }: ListenSetup): ChildProcess {
  const clock = life.clockAhead === 0 ? [] : ["--import", join(CHILDREN, "clock.js")];
  const work =
    appPort === undefined
      ? ["--handlers", join(CHILDREN, "handlers.js")]
      : ["--forward-to", `http://127.0.0.1:${appPort}/${life.number}`];
  const argv = [...clock, BIN, "listen", "--json", "--port", String(port), "--inbox", inbox, ...work];
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
