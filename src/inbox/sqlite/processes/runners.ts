import { dirname } from "node:path";
import { describeError } from "../../../base/errors.ts";
import type { Logger } from "../../../base/logger.ts";
import { networkFileSystem, syncedFolder } from "../../../base/system/files.ts";
import type { Runner } from "../../runner.ts";
import { findDead, isHeld, lockedRunners, runnerLock } from "./runner-lock.ts";

export interface RunnerRecords {
  others(own: string | undefined): readonly Runner[];
  record(runner: Runner, now: number): Promise<void>;
  /** Deletes records and ends the leases of their processes; returns how many leases ended. */
  forget(ids: readonly string[], now: number): Promise<number>;
}

/**
 * The processes that run an inbox's entries. The leases of dead ones end at once, rather than when
 * they expire.
 */
export class Runners {
  readonly #inbox: string;
  readonly #records: RunnerRecords;
  readonly #log: Logger | undefined;
  #own: { readonly id: string; readonly lock: ReturnType<typeof runnerLock> } | undefined;
  #cannotLock = false;

  constructor(inbox: string, records: RunnerRecords, log: Logger | undefined) {
    this.#inbox = inbox;
    this.#records = records;
    this.#log = log;
  }

  async register(runner: Runner): Promise<void> {
    if (this.#own === undefined && !this.#lock(runner.id)) return;
    await this.#records.record(runner, Date.now());
  }

  /** The other registered processes that live, or may live. */
  others(): readonly Runner[] {
    const others = this.#records.others(this.#own?.id);
    return this.#cannotLock ? others : others.filter(({ id }) => isHeld(this.#inbox, id));
  }

  async endLeasesOfDead(): Promise<void> {
    if (this.#cannotLock) return;
    this.#own?.lock.keep();
    const recorded = this.#records.others(this.#own?.id);
    const dead = recorded.flatMap(({ id }) => {
      const found = findDead(this.#inbox, id);
      return found === undefined ? [] : [{ id, cleanUp: found.cleanUp }];
    });
    if (dead.length === 0) return;
    try {
      const ids = dead.map(({ id }) => id);
      const entries = await this.#records.forget(ids, Date.now());
      if (entries > 0)
        this.#log?.info({ entries }, "a process was killed; the entries it was running run again");
    } finally {
      for (const { cleanUp } of dead) cleanUp();
    }
  }

  /** Removes the lock files of dead processes that were never recorded. */
  removeStrayLocks(): void {
    if (this.#cannotLock) return;
    const recorded = new Set(this.#records.others(undefined).map(({ id }) => id));
    for (const id of lockedRunners(this.#inbox)) {
      if (id !== this.#own?.id && !recorded.has(id)) findDead(this.#inbox, id)?.cleanUp();
    }
  }

  /** Unregisters this process. None of its entries may be running. */
  async leave(): Promise<void> {
    const own = this.#own;
    this.#own = undefined;
    if (own === undefined) return;
    try {
      await this.#records.forget([own.id], Date.now());
    } catch {
      // Another process will find this one dead.
    } finally {
      own.lock.release();
    }
  }

  #lock(id: string): boolean {
    if (this.#cannotLock) return false;
    const network = networkFileSystem(this.#inbox);
    try {
      if (network === undefined) {
        this.#warnOfCopies();
        this.#own = { id, lock: runnerLock(this.#inbox, id) };
        return true;
      }
      const message =
        "keep it on a local disk: locks are unreliable there, and a killed process keeps its leases until they expire";
      this.#log?.warn(
        { inbox: this.#inbox, fileSystem: network },
        `the inbox is on a network file system; ${message}`,
      );
    } catch (thrown) {
      const message =
        "no lock could be taken beside the inbox: if this process is killed, its leases last until they expire";
      this.#log?.warn({ inbox: this.#inbox, error: describeError(thrown) }, message);
    }
    this.#cannotLock = true;
    return false;
  }

  #warnOfCopies(): void {
    const folder = syncedFolder(dirname(this.#inbox));
    if (folder === undefined) return;
    const message =
      "the inbox is in a folder that is synchronised with other machines, which may damage it";
    this.#log?.warn({ inbox: this.#inbox, folder }, `${message}: keep it in another one`);
  }
}
