import { readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { PendingWork } from "../../src/base/pending-work.ts";
import { seededRandom } from "../../src/relay/random.ts";
import { freePort } from "../crash/child.ts";
import { acknowledgedIn, type Outage } from "./books.ts";
import { failReads } from "./fail-reads.ts";
import { answersIn, type Place } from "./place.ts";
import { faultsOfCopy, READERS } from "./readers.ts";
import { ReceiverProcess } from "./receiver-process.ts";
import { bringBack, HARM, rescuedOf } from "./removal.ts";

/** Milliseconds after which the entries of a killed receiver run in the next. */
const LEASE = 2000;

const STARTS = 10;

/** Options of a storm: random events on an inbox under load. */
export interface StormOptions {
  readonly seed: number;
  /** Milliseconds. */
  readonly duration: number;
  readonly kills: number;
  /** How often a receiver is frozen for a while. */
  readonly freezes: number;
  /** How often a receiver is asked to stop, and started again. Default 0. */
  readonly stops?: number;
  /**
   * How often the file is removed or replaced; then the only receiver ends, and what it rescued is
   * brought back. Default 0.
   */
  readonly removals?: number;
  /** How often reads of the file fail for up to 3 seconds. Default 0. */
  readonly readErrors?: number;
  /** One receiver per source, all on one inbox. */
  readonly sources: readonly string[];
}

/** The results of one kind of reader. */
export interface ReaderTally {
  runs: number;
  /** The output of failed runs, such as a lock they did not wait for. */
  readonly complaints: string[];
  copies: number;
}

/** Receivers of one inbox that are killed and frozen while foreign readers run. */
export class Storm {
  readonly outages: Outage[] = [];
  readonly readers = new Map<string, ReaderTally>();
  /** Faults of copies. */
  readonly faults: string[] = [];
  readonly #place: Place;
  readonly #options: StormOptions;
  readonly #random: () => number;
  readonly #receivers: {
    readonly source: string;
    readonly port: number;
    process: ReceiverProcess;
  }[] = [];
  #copies = 0;
  /** What is done to receivers and the file, one after another. */
  #turn: Promise<void> = Promise.resolve();
  /** While the file is away, nobody reads it: some readers would make another. */
  #isAway = false;
  readonly #reads = new PendingWork();

  constructor(place: Place, options: StormOptions) {
    this.#place = place;
    this.#options = options;
    this.#random = seededRandom(options.seed);
  }

  /** Starts the receivers; resolves with their ports. */
  async start(): Promise<readonly number[]> {
    for (const source of this.#options.sources) {
      const port = await freePort();
      const process = this.#receiverOf(source, port);
      await process.ready;
      this.#receivers.push({ source, port, process });
    }
    return this.#receivers.map(({ port }) => port);
  }

  /** Runs the storm; resolves when it is over and every receiver is back. */
  async rage(): Promise<void> {
    const { kills, freezes, stops = 0, removals = 0, readErrors = 0 } = this.#options;
    const until = Date.now() + this.#options.duration;
    await Promise.all([
      this.#readOn(until),
      this.#readOn(until),
      this.#atRandom(kills, until, () => this.#end("kill")),
      this.#atRandom(stops, until, () => this.#end("stop")),
      this.#atRandom(freezes, until, () => this.#freeze()),
      this.#atRandom(removals, until, () => this.#remove()),
      this.#atRandom(readErrors, until, () => this.#failReads()),
    ]);
  }

  /** Whether each receiver is ready. */
  async areReady(): Promise<boolean> {
    const ready = await Promise.all(this.#receivers.map(({ process }) => process.isReady()));
    return ready.every(Boolean);
  }

  /** Closes the receivers; resolves with their exit codes. */
  stop(): Promise<readonly (number | null)[]> {
    return Promise.all(this.#receivers.map(({ process }) => process.stop()));
  }

  #receiverOf(source: string, port: number): ReceiverProcess {
    return new ReceiverProcess(this.#place, { port, options: { source, lease: LEASE } });
  }

  async #readOn(until: number): Promise<void> {
    while (Date.now() < until) {
      if (!this.#isAway) await this.#reads.follow(this.#read());
      await sleep(this.#random() * 60);
    }
  }

  async #read(): Promise<void> {
    const reader = this.#oneOf(READERS);
    const copy = join(this.#place.folder, `copy-${++this.#copies}.db`);
    const known = reader.copies === true ? acknowledgedIn(answersIn(this.#place)) : [];
    const { code, stderr } = await reader.read(this.#place.inbox, copy);
    const tally = this.readers.get(reader.name) ?? { runs: 0, copies: 0, complaints: [] };
    this.readers.set(reader.name, tally);
    tally.runs++;
    if (code !== 0) tally.complaints.push(code === null ? "took too long" : stderr);
    else if (reader.copies === true) {
      tally.copies++;
      const faults = await faultsOfCopy(copy, known);
      this.faults.push(...faults.map((fault) => `${reader.name}: ${fault}`));
    }
    for (const end of ["", "-wal", "-shm", "-journal"]) rmSync(copy + end, { force: true });
  }

  /** Repeats an action `times` times, spread over the remaining time. */
  async #atRandom(times: number, until: number, act: () => Promise<void>): Promise<void> {
    for (let left = times; left > 0; left--) {
      const share = (until - Date.now()) / (left + 1);
      await sleep(Math.max(0, share * (0.5 + this.#random())));
      this.#turn = this.#turn.then(act);
      await this.#turn;
    }
  }

  async #end(how: "kill" | "stop"): Promise<void> {
    const ended = this.#oneOf(this.#receivers);
    const outage = this.#outage();
    await ended.process[how]();
    // what other programs do with the file while no receiver has it open
    await sleep(this.#random() * 300);
    ended.process = await this.#startAgain(ended);
    outage.to = Date.now();
  }

  async #remove(): Promise<void> {
    const [harmed] = this.#receivers;
    if (harmed === undefined) return;
    const { inbox } = this.#place;
    const outage = this.#outage();
    this.#isAway = true;
    await this.#reads.settled();
    const before = rescuedOf(this.#place);
    this.#oneOf(Object.values(HARM))(inbox);
    await expect.poll(() => rescuedOf(this.#place), { timeout: 30_000 }).not.toBe(before);
    await harmed.process[this.#oneOf(["kill", "stop"] as const)]();
    await bringBack(inbox, rescuedOf(this.#place) ?? "");
    for (const name of readdirSync(dirname(inbox)))
      if (/rescued|\.old$|away|\.copy$/.test(name))
        rmSync(join(dirname(inbox), name), { recursive: true });
    rmSync(`${dirname(inbox)}-away`, { recursive: true, force: true });
    harmed.process = await this.#startAgain(harmed);
    this.#isAway = false;
    outage.to = Date.now();
  }

  /** Trust comes back after the next check of the file. */
  async #failReads(): Promise<void> {
    const { process } = this.#oneOf(this.#receivers);
    const outage = this.#outage();
    await failReads(process.pid, this.#place.inbox, this.#random() * 3000);
    await expect.poll(() => process.isReady(), { timeout: 100_000, interval: 200 }).toBe(true);
    outage.to = Date.now();
  }

  /**
   * Retries like a process manager, since a start is refused while a frozen receiver has the file
   * locked.
   */
  async #startAgain({ source, port }: { source: string; port: number }): Promise<ReceiverProcess> {
    for (let left = STARTS; ; left--) {
      const process = this.#receiverOf(source, port);
      const isUp = await process.ready.then(
        () => true,
        () => false,
      );
      if (isUp) return process;
      if (left === 0) throw new Error(`a receiver did not start in ${STARTS} tries: see its log`);
    }
  }

  async #freeze(): Promise<void> {
    const { process } = this.#oneOf(this.#receivers);
    const outage = this.#outage();
    process.freeze();
    await sleep(this.#random() * 4000);
    process.thaw();
    outage.to = Date.now();
  }

  /** Starts an outage, which lasts until its end is set. */
  #outage(): Outage {
    const outage = { from: Date.now(), to: Number.POSITIVE_INFINITY };
    this.outages.push(outage);
    return outage;
  }

  #oneOf<Item>(items: readonly Item[]): Item {
    const item = items[Math.floor(this.#random() * items.length)];
    if (item === undefined) throw new RangeError("nothing to choose from");
    return item;
  }
}
