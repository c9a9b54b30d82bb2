import { closeSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { selectInbox } from "../../src/inbox/open.ts";
import { seededRandom } from "../../src/relay/random.ts";
import { Child, freePort } from "./child.ts";
import { drawKillMoment, reach } from "./kill-moment.ts";
import { type Life, ListenProcess, PAST_A_LEASE } from "./listen-process.ts";
import { readInbox, readLines } from "./records.ts";
import { type Tally, tally, tallyLine } from "./tally.ts";

/** Options of a run of the harness. */
export interface CrashOptions {
  readonly kills: number;
  /** Seed of the kill times; their effect still differs from run to run. */
  readonly seed: number;
  /** The share of the lives, 0 to 1, that forward to an app instead of running handlers. */
  readonly forwarding: number;
  /** Whether a second `listen`, killed only at the end, uses the same inbox throughout. */
  readonly companion: boolean;
}

const SECRET = "a-secret-made-up-for-the-crash-test";

/** Milliseconds without progress after which a drain ends, leaving stuck entries. */
const STALLED = 8000;

/**
 * Repeatedly kills `listen` while deliveries arrive, restarts it on the same inbox, lets the last
 * one drain it, and checks each delivery. Keeps the folder with the records if there is a fault.
 */
export async function crash(options: CrashOptions): Promise<Tally> {
  const folder = mkdtempSync(join(tmpdir(), "hookporter-crash-"));
  const log = openSync(join(folder, "log.txt"), "a");
  const run = new CrashRun(folder, log, options);
  try {
    await run.prepare();
    await run.killAgainAndAgain();
    await run.drain();
  } finally {
    await run.end();
    closeSync(log);
  }
  const result = tally(await run.records());
  process.stdout.write(`crash, seed ${options.seed}: ${tallyLine(result)}\n`);
  if (result.faults.length === 0) rmSync(folder, { recursive: true, force: true });
  else
    process.stdout.write(
      `${result.faults.slice(0, 20).join("\n")}\nall records are in ${folder}\n`,
    );
  return result;
}

class CrashRun {
  readonly #options: CrashOptions;
  readonly #folder: string;
  readonly #log: number;
  readonly #random: () => number;
  readonly #lives: Life[] = [];
  readonly #listening = new Set<ListenProcess>();
  readonly #files: Readonly<Record<"sent" | "answered" | "effect" | "inbox", string>>;
  #children: Child[] = [];
  #ports: number[] = [];
  #appPort = 0;
  /** Only increases: a clock that is set back would be another test. */
  #clockAhead = 0;

  constructor(folder: string, log: number, options: CrashOptions) {
    this.#options = options;
    this.#folder = folder;
    this.#log = log;
    this.#random = seededRandom(options.seed);
    const file = (name: string) => join(folder, name);
    this.#files = {
      sent: file("sent.ndjson"),
      answered: file("answered.ndjson"),
      effect: file("effects.ndjson"),
      inbox: file("inbox.db"),
    };
  }

  /** Starts the processes that outlive the kills: the app, the sender, the companion. */
  async prepare(): Promise<void> {
    const app = this.#child("app.js", { CRASH_EFFECTS: this.#files.effect });
    this.#appPort = Number(await app.says());
    this.#ports = [await freePort(), ...(this.#options.companion ? [await freePort()] : [])];
    const { sent: sentFile, answered: answersFile } = this.#files;
    const { seed } = this.#options;
    const setup = {
      ports: this.#ports,
      connections: 4,
      sentFile,
      answersFile,
      prefix: `crash-${seed}`,
    };
    this.#child("sender.js", { CRASH_SENDER: JSON.stringify(setup), HOOKPORTER_SECRET: SECRET });
    if (this.#options.companion) await this.#listen(1).ready;
  }

  /** The kills, including the companion's at the end. */
  async killAgainAndAgain(): Promise<void> {
    const { kills, companion } = this.#options;
    for (let left = companion ? kills - 1 : kills; left > 0; left--) {
      // With its clock ahead, a process takes over the entries of killed ones at once, but must not
      // take a live one's.
      if (!companion && this.#random() < 0.5) this.#clockAhead += PAST_A_LEASE;
      const listen = this.#listen(0);
      await reach(drawKillMoment(this.#random), listen, this.#files);
      await this.#kill(listen);
    }
    for (const listen of this.#listening) await this.#kill(listen);
  }

  /** One more life, in which all entries end. */
  async drain(): Promise<void> {
    this.#clockAhead += PAST_A_LEASE;
    const listens = this.#ports.map((_, index) => this.#listen(index));
    for (const { ready } of listens) await ready;
    const sender = this.#children.at(-1);
    const code = await sender?.end();
    if (code !== 0) throw new Error(`the sender ended with ${code}`);
    await this.#drained();
    for (const listen of listens) await listen.stop();
  }

  async end(): Promise<void> {
    for (const listen of this.#listening) await listen.kill();
    for (const child of this.#children) child.kill();
  }

  async records() {
    return {
      lives: this.#lives,
      sent: readLines<never>(this.#files.sent),
      answered: readLines<never>(this.#files.answered),
      effects: readLines<never>(this.#files.effect),
      ...(await readInbox(this.#files.inbox)),
    };
  }

  #child(script: string, env: Readonly<Record<string, string>>): Child {
    const child = new Child(script, env, this.#log);
    this.#children.push(child);
    return child;
  }

  #listen(portIndex: number): ListenProcess {
    const life: Life = { number: this.#lives.length + 1, clockAhead: this.#clockAhead };
    this.#lives.push(life);
    const forwards = this.#random() < this.#options.forwarding;
    const { inbox, effect: effects } = this.#files;
    const listen = new ListenProcess({
      life,
      inbox,
      effects,
      port: this.#ports[portIndex] ?? 0,
      appPort: forwards ? this.#appPort : undefined,
      secret: SECRET,
      cwd: this.#folder,
      log: this.#log,
    });
    this.#listening.add(listen);
    return listen;
  }

  async #kill(listen: ListenProcess): Promise<void> {
    await listen.kill();
    this.#listening.delete(listen);
  }

  /** Resolves when no entry waits, or there has been no progress for a while. */
  async #drained(): Promise<void> {
    const inbox = selectInbox(this.#files.inbox);
    await inbox.open();
    try {
      let least = Number.POSITIVE_INFINITY;
      for (let end = Date.now() + STALLED; Date.now() < end; await sleep(50)) {
        const { waiting, failing, running } = await inbox.counts();
        const open = waiting + failing + running;
        if (open === 0) return;
        if (open < least) end = Date.now() + STALLED;
        least = Math.min(least, open);
      }
    } finally {
      await inbox.close();
    }
  }
}
