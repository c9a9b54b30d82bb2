import { HookporterError } from "../base/errors.ts";
import { numberFrom, reportAsWarning } from "../base/user-calls.ts";
import type { Delivery } from "../event/delivery.ts";
import type { DedupKey } from "../event/identity.ts";
import type { Appended, NewEntry } from "./append.ts";
import type { AttemptRecord } from "./attempt-record.ts";
import type { ClaimedEntry, ClaimRequest, DueRequest } from "./claim.ts";
import type { CountFilter, Counts } from "./counts.ts";
import type { Entry } from "./entry.ts";
import type { EntryFilter } from "./entry-filter.ts";
import { hasEnded } from "./entry-state.ts";
import { eraseExclusively } from "./erasing.ts";
import type {
  BacklogRequest,
  Erasing,
  Inbox,
  InsideEnd,
  InsideResult,
  InsideTerms,
  OpenTerms,
  Retried,
  StartedRetry,
} from "./inbox.ts";
import type { EntryOutline, OutlineRequest } from "./outline.ts";
import type { NewPacedRetry, Pause, PauseOf, Pauses } from "./pause.ts";
import { drop, makeDue, paceRetry, reschedule, retry } from "./postgres/change.ts";
import {
  claimRows,
  droppedBefore,
  nextDue,
  renewLeases,
  sourcesOf,
  toClaimedEntry,
} from "./postgres/claim.ts";
import { type StoreClock, storeClock } from "./postgres/clock.ts";
import { endErasure, erase, eraseAlone } from "./postgres/erase.ts";
import { runInside } from "./postgres/inside.ts";
import { touchAll } from "./postgres/keep.ts";
import { MIGRATIONS, type Migration } from "./postgres/migrations.ts";
import { type OpenedDatabase, openParts } from "./postgres/opened.ts";
import * as pauses from "./postgres/pause.ts";
import {
  type PostgresConnection,
  type PostgresOptions,
  type PostgresTerms,
  readPostgresOptions,
} from "./postgres/postgres-options.ts";
import { pruneStep, slimStep } from "./postgres/prune.ts";
import * as reads from "./postgres/reads.ts";
import { readSenders, recordSender } from "./postgres/senders.ts";
import type { Store } from "./postgres/store.ts";
import type { PruneRequest, PruneStep, SlimRequest, StepResult } from "./prune-request.ts";
import { handledBy, type Runner } from "./runner.ts";
import type { SenderNote, SenderRecord } from "./senders.ts";
import type { Settlement } from "./settlement.ts";
import type { TargetCount } from "./target-wait.ts";
import { DROPPED } from "./target-wait.ts";
import type { InboxSize } from "./vitals.ts";

/**
 * The store of an inbox on PostgreSQL. Its connections bear the runner's name, so that others see
 * that one is there.
 */
export function postgresStore(
  connection: PostgresConnection,
  options: PostgresOptions = {},
  runner?: string,
  migrations: readonly Migration[] = MIGRATIONS,
): Inbox {
  return new PostgresInbox({ ...readPostgresOptions(connection, options), runner }, migrations);
}

class PostgresInbox implements Inbox {
  readonly #terms: PostgresTerms;
  readonly #migrations: readonly Migration[];
  readonly #clock: StoreClock;
  #opened: OpenedDatabase | undefined;
  isPaused = false;

  constructor(terms: PostgresTerms, migrations: readonly Migration[]) {
    this.#terms = terms;
    this.#migrations = migrations;
    this.#clock = storeClock(
      numberFrom(terms.clock, Date.now, reportAsWarning("clock of postgresInbox")),
    );
  }

  async open(terms: OpenTerms = {}): Promise<void> {
    this.#opened = await openParts(terms, this.#terms, this.#clock, this.#migrations);
  }

  async register(own: Runner, now: number): Promise<() => Promise<void>> {
    await this.#writable.runners.register(own);
    const at = Math.min(now, this.now);
    for (const handled of handledBy(own))
      await this.#changing((store) => makeDue(store, handled, at));
    return async () => {};
  }

  async runners(): Promise<readonly Runner[]> {
    return this.#open.runners.others();
  }

  get now(): number {
    return this.#clock.now();
  }

  /** Nothing is known of a server's disk. */
  get damage(): undefined {
    return undefined;
  }

  get supportsNotify(): boolean {
    return this.#opened?.wake.supportsNotify === true;
  }

  async append(entry: NewEntry): Promise<Appended | undefined> {
    const { keeping, keptLately, wake, lowWater } = this.#writable;
    const { receivedAt, body } = entry.delivery;
    const runAt = entry.runAt ?? receivedAt;
    // Not later than by the database's clock, if this machine's clock is ahead.
    const dueAt = Math.min(runAt, this.now + runAt - receivedAt);
    const appended = await keeping.add({ ...entry, runAt: dueAt }, body.byteLength);
    lowWater.lower(dueAt);
    if (appended?.duplicate === false) keptLately.add(entry.key, Date.now());
    if (appended?.leased === true) wake.notifyBusy();
    else if (appended?.duplicate === false && appended.state === "waiting") wake.notify();
    return appended;
  }

  async touch(key: DedupKey, at: number): Promise<Appended | undefined> {
    const [touched] = await touchAll(this.#writable.store, [{ key, at }]);
    return touched;
  }

  async claim(request: ClaimRequest): Promise<readonly ClaimedEntry[]> {
    const { now, leaseTime } = request;
    const claimed: ClaimedEntry[] = [];
    const { store, lowWater } = this.#writable;
    const rows = await lowWater.claim(request, (from) => claimRows(store, request, from));
    if (this.isPaused) await pauses.defer(store, await sourcesOf(store, request.sources), now);
    if (rows.length > 0) this.#open.wake.notifyBusy();
    for (const row of rows) {
      const entry = toClaimedEntry(row, now + leaseTime);
      if (row.reason !== DROPPED) claimed.push(entry);
      else await this.settle(droppedBefore(entry), now); // while it ran in a process that has died
    }
    return claimed;
  }

  async renew(
    leases: readonly { seq: number; lease: string }[],
    until: number,
  ): Promise<readonly number[]> {
    const { store, wake } = this.#writable;
    if (leases.length > 0) wake.notifyBusy();
    return renewLeases(store, leases, until);
  }

  async settle(settlement: Settlement, now: number): Promise<boolean> {
    const { settling, wake, lowWater } = this.#writable;
    const settled = await settling.add({ settlement, now });
    if (settlement.unordered !== true)
      lowWater.lower(); // what waited behind it is due
    else if (!hasEnded(settlement.state)) lowWater.lower(settlement.runAt);
    // it was given back
    if (settled && !hasEnded(settlement.state) && settlement.runAt <= now) wake.notify();
    return settled;
  }

  async inside(
    work: (tx: unknown) => Promise<InsideEnd>,
    terms: InsideTerms,
  ): Promise<InsideResult> {
    const { inside, lowWater } = this.#writable;
    return runInside(work, terms, inside).finally(() => lowWater.lower());
  }

  get insideLimit(): number {
    return this.#terms.maxTransactions;
  }

  async nextRunAt(request: DueRequest = {}): Promise<number | undefined> {
    const { store, lowWater } = this.#open;
    const { at, anyPaused } = await nextDue(store, request, lowWater.from(request));
    this.isPaused = anyPaused;
    return at;
  }

  retry(filter: EntryFilter, now: number): Promise<Retried> {
    const at = Math.min(now, this.now);
    return this.#changing(async (store) => {
      // Waiting ones first: those that are retried wait too.
      const due = await reschedule(store, filter, at);
      return { due, ended: await retry(store, filter, at) };
    });
  }

  reschedule(filter: EntryFilter, runAt: number): Promise<number> {
    return this.#changing((store) => reschedule(store, filter, runAt));
  }

  drop(filter: EntryFilter, now: number): Promise<number> {
    return this.#changing((store) => drop(store, filter, now));
  }

  async erase<Result>(work: (erasing: Erasing) => Promise<Result>): Promise<Result> {
    const { connection, name } = this.#terms;
    const run = () =>
      work({
        erase: (seqs, now) => this.#changing((store) => erase(store, seqs, now)),
        end: async () => endErasure(this.#writable.store),
      });
    // It has one connection, which a transaction would keep from all others.
    if (typeof connection === "object" && "transaction" in connection)
      return eraseExclusively(connection, name, run);
    return eraseAlone(this.#writable.store, run);
  }

  /**
   * Changes entries, so that they or those that they held back are due, or what is paused: all
   * processes look again.
   */
  async #changing<Result>(work: (store: Store) => Promise<Result>): Promise<Result> {
    const { store, wake, lowWater } = this.#writable;
    return work(store).finally(() => {
      lowWater.lower(); // even if it failed: steps of it may be committed
      wake.notify();
    });
  }

  async pause(pause: Pause): Promise<void> {
    this.isPaused = true;
    await this.#changing((store) => pauses.pause((sql, values) => store.query(sql, values), pause));
  }

  async resume(of: PauseOf, now: number): Promise<boolean> {
    const at = Math.min(now, this.now);
    // else they wait for their turn
    if (of.scope === "target") await this.reschedule({ targets: [of.name] }, at);
    return this.#changing((store) => pauses.resume(store, of, at));
  }

  async newRetry(retry: NewPacedRetry): Promise<StartedRetry> {
    this.isPaused = true;
    const { interval } = retry;
    const id = await this.#changing((store) => pauses.newRetry(store, retry));
    return {
      id,
      pace: (seqs, from) =>
        this.#changing((store) => paceRetry(store, { id, interval, seqs, from })),
    };
  }

  endRetry(id: number): Promise<void> {
    return this.#changing((store) => pauses.endRetry(store, id));
  }

  async prune(of: PruneRequest, step: PruneStep): Promise<StepResult> {
    return pruneStep(this.#writable.store, of, step);
  }

  async slim(of: SlimRequest, step: PruneStep): Promise<StepResult> {
    return slimStep(this.#writable.store, of, step);
  }

  async backlog(of: BacklogRequest): Promise<number> {
    return reads.countBacklog(this.#open.store, of);
  }

  async waiting(of?: Pick<EntryFilter, "sources">): Promise<readonly TargetCount[]> {
    return reads.countByTarget(this.#open.store, of?.sources);
  }

  async size(): Promise<InboxSize> {
    return { bytes: await reads.bytesOfSchema(this.#open.store) };
  }

  async list(filter: EntryFilter): Promise<readonly Entry[]> {
    return reads.listEntries(this.#open.store, filter);
  }

  async outlines(of: OutlineRequest): Promise<readonly EntryOutline[]> {
    return reads.outlineEntries(this.#open.store, of);
  }

  async delivery(seq: number): Promise<Delivery | undefined> {
    return reads.deliveryOfEntry(this.#open.store, seq);
  }

  async attempts(seq: number): Promise<readonly AttemptRecord[]> {
    return reads.attemptsOfEntry(this.#open.store, seq);
  }

  async counts(filter?: CountFilter): Promise<Counts> {
    return reads.countByState(this.#open.store, filter);
  }

  async senders(): Promise<readonly SenderRecord[]> {
    return readSenders(this.#open.store);
  }

  async pauses(): Promise<Pauses> {
    return pauses.readPauses(this.#open.store);
  }

  async recordSender(note: SenderNote): Promise<SenderRecord> {
    return recordSender(this.#writable.store, note);
  }

  async close(): Promise<void> {
    const opened = this.#opened;
    if (opened === undefined) return;
    await Promise.all([opened.keeping.idle(), opened.settling.idle()]);
    opened.lowWater.stop();
    await opened.runners.leave();
    await opened.wake.stop();
    if (this.#opened === undefined) return;
    this.#opened = undefined;
    await opened.store.close();
  }

  get #open(): OpenedDatabase {
    if (this.#opened !== undefined) return this.#opened;
    throw new HookporterError(
      "closed",
      `expected the inbox ${this.#terms.name} to be open, got it closed: call start() of its receiver first`,
    );
  }

  get #writable(): OpenedDatabase {
    const opened = this.#open;
    if (!opened.isReadOnly) return opened;
    const message = `expected the inbox ${this.#terms.name} to be open for changes, got it open for reading only: open it with the access "change"`;
    throw new HookporterError("inbox_unavailable", message);
  }
}
