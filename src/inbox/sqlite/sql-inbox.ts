import type { ClaimedEntry, ClaimRequest, DueRequest } from "../claim.ts";
import type { Erasure, Inbox, OpenTerms } from "../inbox.ts";
import { PACE_STEP, type PauseOf } from "../pause.ts";
import type { PruneRequest, SlimRequest, Step, StepResult } from "../prune-request.ts";
import { finishOf } from "../runs-within.ts";
import type { Settlement } from "../settlement.ts";
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

  abstract open(terms?: OpenTerms): Promise<void>;
  abstract close(): Promise<void>;

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

  prune(request: PruneRequest, step: Step): Promise<StepResult> {
    return this.write("pruneStep", request, step);
  }

  slim(request: SlimRequest, step: Step): Promise<StepResult> {
    return this.write("slimStep", request, step);
  }

  abstract eraseAlone<Result>(work: () => Promise<Result>): Promise<Result>;

  async endErasure(): Promise<Erasure | undefined> {
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

  readonly erase: NonNullable<Inbox["erase"]> = (seqs, now) =>
    inTurn(() => this.write("erase", seqs, now));
  readonly append: Inbox["append"] = (entry) => this.write("append", entry);
  readonly touch: Inbox["touch"] = (key, at) => this.write("touch", key, at);
  // No other fields of leases, since this may go to a thread.
  readonly renew: Inbox["renew"] = (leases, until) =>
    this.write(
      "renew",
      leases.map(({ seq, lease }) => ({ seq, lease })),
      until,
    );
  readonly hasten: NonNullable<Inbox["hasten"]> = (filter, now) =>
    this.write("hasten", filter, now);
  readonly retry: Inbox["retry"] = (filter, now) => this.write("retry", filter, now);
  readonly reschedule: Inbox["reschedule"] = (filter, runAt) =>
    this.write("reschedule", filter, runAt);
  readonly drop: Inbox["drop"] = (filter, now) => this.write("drop", filter, now);
  readonly recordSender: NonNullable<Inbox["recordSender"]> = (note) =>
    this.write("recordSender", note);

  readonly pause: NonNullable<Inbox["pause"]> = (pause) => {
    this.isPaused = true;
    return this.write("pause", pause);
  };
  readonly newRetry: NonNullable<Inbox["newRetry"]> = (retry) => {
    this.isPaused = true;
    return this.write("newRetry", retry);
  };
  readonly paceRetry: NonNullable<Inbox["paceRetry"]> = (step) => this.write("paceRetry", step);
  readonly endRetry: NonNullable<Inbox["endRetry"]> = (id) => this.write("endRetry", id);

  readonly pauses: NonNullable<Inbox["pauses"]> = () => this.read(readPauses);
  readonly senders: NonNullable<Inbox["senders"]> = () => this.read(readSenders);
  readonly backlog: NonNullable<Inbox["backlog"]> = (of) =>
    this.read((db) => reads.countBacklog(db, of));
  readonly waiting: Inbox["waiting"] = (of) =>
    this.read((db) => reads.countWaiting(db, of?.sources));
  readonly list: Inbox["list"] = (filter) => this.read((db) => reads.listEntries(db, filter));
  readonly outlines: NonNullable<Inbox["outlines"]> = (of) =>
    this.read((db) => reads.outlineEntries(db, of));
  readonly delivery: Inbox["delivery"] = (seq) => this.read((db) => reads.deliveryOfEntry(db, seq));
  readonly attempts: Inbox["attempts"] = (seq) => this.read((db) => reads.attemptsOfEntry(db, seq));
  readonly counts: Inbox["counts"] = (filter) => this.read((db) => reads.countByState(db, filter));
}
