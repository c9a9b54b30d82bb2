import { HookporterError } from "../../base/errors.ts";
import type { Delivery } from "../../event/delivery.ts";
import type { DedupKey } from "../../event/identity.ts";
import type { Appended, NewEntry } from "../append.ts";
import type { AttemptRecord } from "../attempt-record.ts";
import type { ClaimedEntry, ClaimRequest, DueRequest } from "../claim.ts";
import type { CountFilter, Counts } from "../counts.ts";
import type { Entry } from "../entry.ts";
import type { EntryFilter } from "../entry-filter.ts";
import type {
  BacklogRequest,
  Erasing,
  Erasure,
  Inbox,
  InsideEnd,
  InsideResult,
  InsideTerms,
  OpenTerms,
  Retried,
  StartedRetry,
} from "../inbox.ts";
import { finishOf } from "../inline-runs.ts";
import type { EntryOutline, OutlineRequest } from "../outline.ts";
import type { NewPacedRetry, Pause, Pauses } from "../pause.ts";
import { PACE_STEP, type PauseOf } from "../pause.ts";
import type { PruneRequest, PruneStep, SlimRequest, StepResult } from "../prune-request.ts";
import { handledBy, type Runner } from "../runner.ts";
import type { SenderNote, SenderRecord } from "../senders.ts";
import type { Settlement } from "../settlement.ts";
import type { TargetCount } from "../target-wait.ts";
import type { InboxSize } from "../vitals.ts";
import { nextDue } from "./claim.ts";
import { fewToClear, nextErased, type OrderPlace } from "./erase.ts";
import { inTurn } from "./in-turn.ts";
import type { OperationArguments, OperationName, OperationResult } from "./operations.ts";
import { anyPaused, readPauses } from "./pause.ts";
import * as reads from "./reads.ts";
import { readSenders } from "./senders.ts";
import type { Statements } from "./statements.ts";

/** An inbox in a database of SQLite, on a disk or in memory. */
export abstract class SqlInbox implements Inbox {
  isPaused = false;
  readonly now = undefined;
  /** What other processes do with a file is found by polling. */
  readonly supportsNotify = false;
  readonly insideLimit: number | undefined = undefined;
  abstract readonly damage: HookporterError | undefined;

  abstract open(terms?: OpenTerms): Promise<void>;
  abstract close(): Promise<void>;
  abstract register(runner: Runner, now: number): Promise<() => Promise<void>>;
  abstract runners(): Promise<readonly Runner[]>;
  abstract size(): Promise<InboxSize>;

  /** Runs an operation in a transaction; resolves once it is committed. */
  protected abstract write<Name extends OperationName>(
    name: Name,
    ...args: OperationArguments<Name>
  ): Promise<OperationResult<Name>>;

  protected abstract read<Result>(work: (statements: Statements) => Result): Promise<Result>;

  claim(request: ClaimRequest): Promise<readonly ClaimedEntry[]> {
    return this.write("claim", request);
  }

  settle(settlement: Settlement, now: number): Promise<boolean> {
    const finish = finishOf(settlement);
    return finish === undefined
      ? this.write("settle", settlement, now)
      : this.write("finish", finish, now);
  }

  nextRunAt(request: DueRequest = {}): Promise<number | undefined> {
    return this.read((statements) => {
      this.isPaused = anyPaused(statements);
      return nextDue(statements, request);
    });
  }

  async resume(of: PauseOf, now: number): Promise<boolean> {
    const wasPaused = await this.write("endPause", of);
    // else they wait for their turn
    if (of.scope === "target") await this.reschedule({ targets: [of.name] }, now);
    // In steps, even if there was none: another resume may have ended before its last.
    for (let step = { found: PACE_STEP, last: 0, until: now }; step.found === PACE_STEP; ) {
      step = await this.write("release", of, step.last, step.until);
    }
    return wasPaused;
  }

  prune(request: PruneRequest, step: PruneStep): Promise<StepResult> {
    return this.write("pruneStep", request, step);
  }

  slim(request: SlimRequest, step: PruneStep): Promise<StepResult> {
    return this.write("slimStep", request, step);
  }

  erase<Result>(work: (erasing: Erasing) => Promise<Result>): Promise<Result> {
    return this.eraseAlone(() =>
      work({
        erase: (seqs, now) => inTurn(() => this.write("erase", seqs, now)),
        end: () => this.#endErasure(),
      }),
    );
  }

  /** Runs an erasure unless another one runs, here or in another process. */
  protected abstract eraseAlone<Result>(work: () => Promise<Result>): Promise<Result>;

  async #endErasure(): Promise<Erasure | undefined> {
    const erased = (after: number) => this.read((db) => nextErased(db, after));
    let seqs = [...(await erased(0))];
    if (seqs.length === 0) return undefined;
    while (seqs.length > 0) {
      const last = seqs.at(-1) ?? 0;
      while (seqs.length > 0) {
        const few = seqs.splice(0, await this.read((db) => fewToClear(db, seqs)));
        await inTurn(() => this.write("clearErased", few));
      }
      seqs = [...(await erased(last))];
    }
    for (let place: OrderPlace | undefined = ["", "", 0]; place !== undefined; ) {
      const from: OrderPlace = place;
      place = await inTurn(() => this.write("rewriteOrder", from));
    }
    await this.scrub();
    return this.write("endErasure");
  }

  /** Removes what is left of deleted rows in free pages and in the log. */
  protected async scrub(): Promise<void> {}

  append(entry: NewEntry): Promise<Appended | undefined> {
    return this.write("append", entry);
  }

  touch(key: DedupKey, at: number): Promise<Appended | undefined> {
    return this.write("touch", key, at);
  }

  // No other fields of leases, since this may go to a thread.
  renew(
    leases: readonly { seq: number; lease: string }[],
    until: number,
  ): Promise<readonly number[]> {
    return this.write(
      "renew",
      leases.map(({ seq, lease }) => ({ seq, lease })),
      until,
    );
  }

  /** Makes entries due that wait for a process with the handlers that this one has. */
  protected async makeDue(runner: Runner, now: number): Promise<void> {
    for (const handled of handledBy(runner)) await this.write("makeDue", handled, now);
  }

  inside(_work: (tx: unknown) => Promise<InsideEnd>, _terms: InsideTerms): Promise<InsideResult> {
    const refused = new HookporterError(
      "inbox_unsupported",
      "expected an inbox on PostgreSQL for a handler's transaction, got SQLite: set inbox to a postgres:// URL",
    );
    return Promise.reject(refused);
  }

  async retry(filter: EntryFilter, now: number): Promise<Retried> {
    // Waiting ones first: those that are retried wait too.
    const due = await this.reschedule(filter, now);
    return { due, ended: await this.write("retry", filter, now) };
  }

  reschedule(filter: EntryFilter, runAt: number): Promise<number> {
    return this.write("reschedule", filter, runAt);
  }

  drop(filter: EntryFilter, now: number): Promise<number> {
    return this.write("drop", filter, now);
  }

  recordSender(note: SenderNote): Promise<SenderRecord> {
    return this.write("recordSender", note);
  }

  pause(pause: Pause): Promise<void> {
    this.isPaused = true;
    return this.write("pause", pause);
  }

  async newRetry(retry: NewPacedRetry): Promise<StartedRetry> {
    this.isPaused = true;
    const { interval } = retry;
    const id = await this.write("newRetry", retry);
    return { id, pace: (seqs, from) => this.write("paceRetry", { id, interval, seqs, from }) };
  }

  endRetry(id: number): Promise<void> {
    return this.write("endRetry", id);
  }

  pauses(): Promise<Pauses> {
    return this.read(readPauses);
  }

  senders(): Promise<readonly SenderRecord[]> {
    return this.read(readSenders);
  }

  backlog(of: BacklogRequest): Promise<number> {
    return this.read((db) => reads.countBacklog(db, of));
  }

  waiting(of?: Pick<EntryFilter, "sources">): Promise<readonly TargetCount[]> {
    return this.read((db) => reads.countWaiting(db, of?.sources));
  }

  list(filter: EntryFilter): Promise<readonly Entry[]> {
    return this.read((db) => reads.listEntries(db, filter));
  }

  outlines(of: OutlineRequest): Promise<readonly EntryOutline[]> {
    return this.read((db) => reads.outlineEntries(db, of));
  }

  delivery(seq: number): Promise<Delivery | undefined> {
    return this.read((db) => reads.deliveryOfEntry(db, seq));
  }

  attempts(seq: number): Promise<readonly AttemptRecord[]> {
    return this.read((db) => reads.attemptsOfEntry(db, seq));
  }

  counts(filter?: CountFilter): Promise<Counts> {
    return this.read((db) => reads.countByState(db, filter));
  }
}
