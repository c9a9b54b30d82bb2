import { HookporterError } from "../errors.ts";
import type { Delivery } from "../event/delivery.ts";
import type { DedupKey } from "../event/identity.ts";
import { GroupCommit } from "./group-commit.ts";
import {
  type Appended,
  type AttemptRecord,
  type ClaimedEntry,
  type ClaimRequest,
  ENTRY_STATES,
  type Entry,
  type EntryFilter,
  type EntryState,
  type Inbox,
  type KeepTerms,
  type Kept,
  type NewEntry,
  type PruneRequest,
  type Settlement,
  type SlimRequest,
  type Step,
  type StepResult,
} from "./inbox.ts";
import { nextDue } from "./sqlite/claim.ts";
import { openDatabase } from "./sqlite/client.ts";
import { inboxError } from "./sqlite/errors.ts";
import { filterSql } from "./sqlite/filter.ts";
import { migrate } from "./sqlite/migrations.ts";
import {
  deliveryOf,
  type Operation,
  type OperationArguments,
  type OperationName,
  type OperationResult,
  runOperation,
} from "./sqlite/operations.ts";
import { Presence } from "./sqlite/presence.ts";
import { toAttempt, toDelivery, toEntry } from "./sqlite/rows.ts";
import { Statements } from "./sqlite/statements.ts";
import { defaultThreading, ThreadedWriter, type Threading } from "./sqlite/threaded-writer.ts";
import { transactionsOn } from "./sqlite/transactions.ts";

/**
 * The embedded inbox: one SQLite file, written ahead of every answer, flushed to disk with every commit. Commits are
 * shared between all writes of one turn of the event loop; while much arrives, a thread of its own commits them.
 */
export function sqliteInbox(path: string, threading: Threading = defaultThreading()): Inbox {
  return new SqliteInbox(path, threading);
}

/** What an open inbox has. */
interface Opened {
  readonly statements: Statements;
  readonly presence: Presence;
  readonly writer: ThreadedWriter;
}

class SqliteInbox implements Inbox {
  readonly #path: string;
  readonly #threading: Threading;
  readonly #commit: GroupCommit<Operation>;
  #opened: Opened | undefined;

  constructor(path: string, threading: Threading) {
    this.#path = path;
    this.#threading = threading;
    this.#commit = new GroupCommit(
      transactionsOn(() => this.#open),
      {
        take: (operations) => this.#opened?.writer.take(operations),
        ranHere: (ms) => this.#opened?.writer.ranHere(ms),
      },
    );
  }

  async open(): Promise<void> {
    await this.#guard(() => {
      const database = openDatabase(this.#path, (opened) => migrate(opened, this.#path, Date.now()));
      const presence = new Presence(this.#path);
      const writer = new ThreadedWriter(this.#path, presence, this.#threading);
      this.#opened = { statements: new Statements(database), presence, writer };
    });
    await this.#write("releaseAll");
  }

  append(entry: NewEntry): Promise<Appended | undefined> {
    return this.#write("append", entry);
  }

  keep(delivery: Delivery, terms: KeepTerms): Promise<Kept> {
    return this.#write("keep", delivery, terms);
  }

  touch(key: DedupKey, at: number): Promise<Appended | undefined> {
    return this.#write("touch", key, at);
  }

  claim(request: ClaimRequest): Promise<readonly ClaimedEntry[]> {
    return this.#write("claim", request);
  }

  renew(leases: readonly { seq: number; lease: string }[], until: number): Promise<readonly number[]> {
    const own = leases.map(({ seq, lease }) => ({ seq, lease })); // and not all else they may have
    return this.#write("renew", own, until);
  }

  settle(settlement: Settlement, now: number): Promise<boolean> {
    return this.#write("settle", settlement, now);
  }

  nextRunAt({ except = [] }: Pick<ClaimRequest, "except"> = {}): Promise<number | undefined> {
    return this.#guard(() => nextDue(this.#open.statements, except));
  }

  redrive(filter: EntryFilter, now: number): Promise<number> {
    return this.#write("redrive", filter, now);
  }

  list(filter: EntryFilter): Promise<readonly Entry[]> {
    const { where, values } = filterSql(filter);
    return this.#guard(() => {
      const limit = filter.limit ?? -1;
      const rows = this.#open.statements.all(
        `SELECT * FROM entry WHERE ${where} ORDER BY seq DESC LIMIT ?`,
        ...values,
        limit,
      );
      return rows.reverse().map(toEntry);
    });
  }

  prune(request: PruneRequest, step: Step): Promise<StepResult> {
    return this.#thenGiveBack(this.#write("pruneStep", request, step));
  }

  slim(request: SlimRequest, step: Step): Promise<StepResult> {
    return this.#thenGiveBack(this.#write("slimStep", request, step));
  }

  async #thenGiveBack(step: Promise<StepResult>): Promise<StepResult> {
    const result = await step;
    if (result.changed > 0) await this.#write("giveBackPages");
    return result;
  }

  delivery(seq: number): Promise<Delivery | undefined> {
    return this.#guard(() => {
      const sql =
        "SELECT method, target, headers, body, received_at FROM delivery JOIN entry USING (seq) WHERE seq = ?";
      const row = this.#open.statements.get(sql, seq);
      return row === undefined ? undefined : toDelivery(row);
    });
  }

  attempts(seq: number): Promise<readonly AttemptRecord[]> {
    return this.#guard(() =>
      this.#open.statements.all("SELECT * FROM attempt WHERE seq = ? ORDER BY rowid", seq).map(toAttempt),
    );
  }

  counts(): Promise<Readonly<Record<EntryState, number>>> {
    return this.#guard(() => {
      const counts = Object.fromEntries(ENTRY_STATES.map((state) => [state, 0])) as Record<
        EntryState,
        number
      >;
      for (const row of this.#open.statements.all("SELECT state, count(*) AS n FROM entry GROUP BY state")) {
        counts[row.state as EntryState] = row.n as number;
      }
      return counts;
    });
  }

  async close(): Promise<void> {
    await this.#commit.idle();
    const opened = this.#opened;
    this.#opened = undefined;
    if (opened === undefined) return;
    await opened.writer.close();
    const { statements } = opened;
    try {
      // Brings everything into the one file, so that a copy of it is whole.
      statements.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    } catch {
      // On a full disk, say. What is committed stays in the log beside the file, and the next open finds it there.
    }
    await this.#guard(() => statements.close());
  }

  get #open(): Opened {
    if (this.#opened !== undefined) return this.#opened;
    throw new HookporterError("closed", `the inbox ${this.#path} is not open: call start() first`);
  }

  async #write<Name extends OperationName>(
    name: Name,
    ...given: OperationArguments<Name>
  ): Promise<OperationResult<Name>> {
    const order: Operation = { name, given };
    const bytes = deliveryOf(order)?.body.byteLength ?? 0;
    try {
      const work = () => runOperation(this.#open.statements, order) as OperationResult<Name>;
      return await this.#commit.run(work, { order, bytes, canWait: name === "settle" });
    } catch (thrown) {
      throw inboxError(this.#path, thrown);
    }
  }

  async #guard<Result>(work: () => Result): Promise<Result> {
    try {
      return work();
    } catch (thrown) {
      throw inboxError(this.#path, thrown);
    }
  }
}
