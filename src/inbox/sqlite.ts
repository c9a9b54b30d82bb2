import { HookporterError } from "../base/errors.ts";
import { unref } from "../base/stand-ins.ts";
import { realPath } from "../base/system/paths.ts";
import type { ClaimedEntry, ClaimRequest, DueRequest } from "./claim.ts";
import type { Inbox, OpenTerms } from "./inbox.ts";
import type { PruneRequest, PruneStep, SlimRequest, StepResult } from "./prune-request.ts";
import type { Runner } from "./runner.ts";
import type { Settlement } from "./settlement.ts";
import { checkAtStart } from "./sqlite/care/check-at-start.ts";
import { explainsFailure } from "./sqlite/care/damaged-deliveries.ts";
import { Connection } from "./sqlite/connection.ts";
import { blameDisk, inboxError, isDamage, isUnreadable } from "./sqlite/errors.ts";
import { reportMigrated } from "./sqlite/file/copy-before.ts";
import { sizeOfFile } from "./sqlite/file/file-vitals.ts";
import { openFile, readOnly } from "./sqlite/file/inbox-file.ts";
import { logSizeWatch } from "./sqlite/file/log-size.ts";
import { reportNew } from "./sqlite/file/rescued-files.ts";
import { whenUnlocked } from "./sqlite/file/when-unlocked.ts";
import { inTurn } from "./sqlite/in-turn.ts";
import { MIGRATIONS } from "./sqlite/migrations.ts";
import { type OperationArguments, type OperationName, VITAL } from "./sqlite/operations.ts";
import { erasureLock } from "./sqlite/processes/erasure-lock.ts";
import { otherRunners } from "./sqlite/processes/runner-records.ts";
import { type RunnerRecords, Runners } from "./sqlite/processes/runners.ts";
import { SqlInbox } from "./sqlite/sql-inbox.ts";
import type { Statements } from "./sqlite/statements.ts";
import { defaultThreading, type Threading } from "./sqlite/thread/threaded-writer.ts";
import { Trust } from "./sqlite/trust.ts";
import type { InboxSize } from "./vitals.ts";

/**
 * The embedded inbox: one SQLite file, flushed to disk with every commit, before the delivery is
 * answered. All writes of one turn of the event loop share a commit; under load a second thread
 * commits them.
 */
export function sqliteInbox(
  path: string,
  threading: Threading = defaultThreading(),
  migrations: readonly string[] = MIGRATIONS,
): Inbox {
  return new SqliteInbox(path, threading, migrations);
}

interface OpenedFile {
  readonly access: "own" | "change" | "read";
  readonly connection: Connection;
  readonly runners: Runners;
  readonly trust: Trust;
  readonly upkeep: NodeJS.Timeout | undefined;
}

/** Milliseconds between checks of the file, its log's size and the other processes. */
const UPKEEP = 1000;

/** Steps in which free pages are given back after entries were erased: 40 GB. */
const MOST_STEPS = 50_000;

class SqliteInbox extends SqlInbox {
  readonly #path: string;
  readonly #threading: Threading;
  readonly #migrations: readonly string[];
  #opened: OpenedFile | undefined;

  constructor(path: string, threading: Threading, migrations: readonly string[]) {
    super();
    this.#path = path;
    this.#threading = threading;
    this.#migrations = migrations;
  }

  open(terms: OpenTerms = {}): Promise<void> {
    return whenUnlocked(this.#path, terms, () => this.#openNow(terms));
  }

  async #openNow(terms: OpenTerms): Promise<void> {
    const { access = "own", log, onCommit } = terms;
    await this.#guard(() => {
      const { path, database, isNew, migrated } = openFile(this.#path, access, this.#migrations);
      if (isNew) reportNew(path, log);
      if (migrated !== undefined) reportMigrated(path, migrated, log);
      const reports = { log, onCommit, rescues: access === "own" };
      const connection = new Connection(path, database, this.#threading, reports);
      const runners = new Runners(path, this.#runnerRecords, log);
      const checkLogSize = logSizeWatch(path, terms);
      const look = async () => {
        try {
          if (connection.checkFiles() !== undefined) return;
          checkLogSize(() => connection.checkpointLog());
          await runners.endLeasesOfDead();
        } catch {
          // Claims meet the same failure and report it. The next check comes soon.
        }
      };
      const upkeep = access === "own" ? unref(setInterval(() => void look(), UPKEEP)) : undefined;
      const trust = new Trust(path, log);
      this.#opened = { access, connection, runners, trust, upkeep };
    });
    if (access !== "own") return;
    // Checks what another process, or another version, left behind.
    try {
      const { connection, trust } = this.#open;
      if (!checkAtStart(connection.statements)) trust.doubt("a delivery cannot be read");
      await this.write("releaseAll");
    } catch (thrown) {
      await this.close();
      throw inboxError(this.#path, thrown);
    }
  }

  readonly #runnerRecords: RunnerRecords = {
    others: (own) => otherRunners(this.#open.connection.statements, own),
    record: (runner, now) => this.write("recordRunner", runner, now),
    forget: (ids, now) => this.write("forgetRunners", ids, now),
  };

  async register(runner: Runner, now: number): Promise<() => Promise<void>> {
    const { runners } = this.#open;
    await runners.register(runner);
    await this.#guard(() => runners.removeStrayLocks());
    await runners.endLeasesOfDead();
    await this.makeDue(runner, now);
    return async () => {};
  }

  async runners(): Promise<readonly Runner[]> {
    return this.#guard(() => this.#open.runners.others());
  }

  get damage(): HookporterError | undefined {
    const { connection, trust } = this.#opened ?? {};
    return trust?.damage === undefined
      ? connection?.refusal
      : new HookporterError(trust.blamesDisk ? "disk_error" : "inbox_corrupt", trust.damage);
  }

  override async claim(request: ClaimRequest): Promise<readonly ClaimedEntry[]> {
    const { trust, connection } = this.#open;
    const { damaged } = trust;
    const entries = await this.#whileUsable(async () => {
      try {
        return await this.write("claim", this.#withoutSuspects(request), [...damaged]);
      } catch (thrown) {
        if (!isUnreadable(thrown) || !explainsFailure(connection.statements, request, damaged))
          throw thrown;
        trust.doubt("a delivery cannot be read");
        return await this.write("claim", this.#withoutSuspects(request), [...damaged]);
      }
    });
    for (const { seq, unreadable } of entries) {
      if (unreadable !== undefined) trust.doubt(`entry ${seq} cannot be read: ${unreadable}`);
    }
    return entries;
  }

  override async settle(settlement: Settlement, now: number): Promise<boolean> {
    try {
      return await super.settle(settlement, now);
    } catch (thrown) {
      return this.#whileUsable(async () => {
        // A damaged page among the attempt records must not make the entry run again for ever.
        if (!isUnreadable(thrown) || settlement.records.length === 0) throw thrown;
        return await this.write("settle", { ...settlement, records: [] }, now);
      });
    }
  }

  override nextRunAt(request: DueRequest = {}): Promise<number | undefined> {
    return this.#whileUsable(async () => super.nextRunAt(this.#withoutSuspects(request)));
  }

  override prune(request: PruneRequest, step: PruneStep): Promise<StepResult> {
    return this.#thenGiveBack(() => super.prune(request, step));
  }

  override slim(request: SlimRequest, step: PruneStep): Promise<StepResult> {
    return this.#thenGiveBack(() => super.slim(request, step));
  }

  async #thenGiveBack(step: () => Promise<StepResult>): Promise<StepResult> {
    // a receiver queues its own writes
    const result = this.#open.access === "own" ? await step() : await inTurn(step);
    if (result.changed > 0) await this.write("giveBackPages");
    return result;
  }

  size(): Promise<InboxSize> {
    return sizeOfFile(this.#path);
  }

  protected async eraseAlone<Result>(work: () => Promise<Result>): Promise<Result> {
    const release = this.#open && erasureLock(realPath(this.#path));
    try {
      return await work();
    } finally {
      release();
    }
  }

  protected override async scrub(): Promise<void> {
    const free = () => this.read((statements) => Number(statements.pragma("freelist_count")));
    // A receiver may free more meanwhile.
    for (let steps = 0; steps < MOST_STEPS && (await free()) > 0; steps++)
      await inTurn(() => this.write("giveBackPages"));
    await this.#open.connection.checkpointWhileInUse();
  }

  async close(): Promise<void> {
    const opened = this.#opened;
    if (opened === undefined) return;
    clearInterval(opened.upkeep);
    await opened.connection.idle();
    await opened.runners.leave();
    await opened.connection.idle();
    if (this.#opened !== opened) return; // closed by another call meanwhile
    this.#opened = undefined;
    opened.trust.close();
    if (opened.access !== "read") opened.connection.tryCheckpoint();
    try {
      await opened.connection.close();
    } catch (thrown) {
      throw inboxError(this.#path, thrown);
    }
  }

  /** Leaves out entries that it may be possible to read again soon. */
  #withoutSuspects<Request extends Pick<DueRequest, "except">>(request: Request): Request {
    const { suspects } = this.#open.trust;
    return suspects.length === 0
      ? request
      : { ...request, except: [...(request.except ?? []), ...suspects] };
  }

  get #open(): OpenedFile {
    if (this.#opened !== undefined) return this.#opened;
    throw new HookporterError(
      "closed",
      `expected the inbox ${this.#path} to be open, got it closed: call start() of its receiver first`,
    );
  }

  /** As for vital writes, for work that can deal with some damage itself. */
  #whileUsable<Result>(work: () => Promise<Result>): Promise<Result> {
    return work().catch((thrown) => {
      this.#distrust("lose", thrown);
      throw thrown;
    });
  }

  /** A file that was cut needs no check. */
  #distrust(how: "lose" | "doubt", error: unknown): void {
    const { connection, trust } = this.#opened ?? {};
    if (isUnreadable(error) && connection?.truncationError === undefined)
      trust?.[how](error.message);
  }

  protected async write<Name extends OperationName>(name: Name, ...args: OperationArguments<Name>) {
    try {
      const { access, connection } = this.#open;
      if (access === "read") throw readOnly(this.#path);
      if (name === "append" && this.damage !== undefined) throw this.damage;
      return await twice(() => connection.write(name, args));
    } catch (thrown) {
      const error = this.#explain(thrown);
      this.#distrust(VITAL.has(name) ? "lose" : "doubt", error);
      throw error;
    }
  }

  protected read<Result>(work: (statements: Statements) => Result): Promise<Result> {
    return this.#guard(() => twice(() => this.#open.connection.read(work)));
  }

  async #guard<Result>(work: () => Result | Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (thrown) {
      throw this.#explain(thrown);
    }
  }

  /**
   * An error as one of ours: what looks like damage is the disk's fault once that has reported
   * errors.
   */
  #explain(thrown: unknown): HookporterError {
    const error = inboxError(this.#path, thrown);
    const { trust } = this.#opened ?? {};
    if (error.code === "disk_error") trust?.suspectDisk();
    return trust?.blamesDisk === true ? blameDisk(this.#path, error) : error;
  }
}

/**
 * Tries once more what found damage: a disk may fail to read once, and SQLite reports that in the
 * same way.
 */
async function twice<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (thrown) {
    if (!isDamage(thrown)) throw thrown;
    return await work();
  }
}
