import { HookporterError } from "../../base/errors.ts";
import { describeFailure } from "../../base/failures/failure.ts";
import type { AttemptRecord } from "../../inbox/attempt-record.ts";
import type { ClaimedEntry } from "../../inbox/claim.ts";
import type { Inbox, Progress } from "../../inbox/inbox.ts";
import type { WaitingReason } from "../../inbox/reasons.ts";
import type { Settlement } from "../../inbox/settlement.ts";
import type { OwnSignal } from "./handler-context.ts";
import { type HandlerRun, type RunLimits, runHandler } from "./run-handler.ts";
import type { TransactionPlaces } from "./transaction-places.ts";

export interface Transacting {
  readonly inbox: Pick<Inbox, "inside">;
  readonly places: TransactionPlaces;
  /** Frees the entry's room while it waits for a place. */
  readonly yieldPlace: <Result>(waiting: Promise<Result>) => Promise<Result>;
  readonly isLeased: (seq: number) => boolean;
  readonly clock: () => number;
}

/** That a handler found no place: its entry goes on later. */
export interface NoPlace {
  readonly type: "no_place";
  readonly dueAt: number;
  readonly reason: WaitingReason | null;
}

/** Another process may run the entry now: the transaction was refused. */
export interface LeaseLost {
  readonly type: "lease_lost";
}

type Run = (own: OwnSignal, note: (text: string) => void, tx: unknown) => unknown;

export class EntryTransactions {
  readonly #entry: ClaimedEntry;
  readonly #parts: Transacting;
  readonly #canWait: boolean;
  /** How many of the run's records are stored. */
  #stored = 0;
  /**
   * Whether a transaction stored the end of the entry, or was refused since its lease was lost.
   * Then nothing is left to store.
   */
  end: "stored" | "refused" | undefined;

  /** @param canWait - whether the entry waits for a place however many do */
  constructor(entry: ClaimedEntry, parts: Transacting, canWait: boolean) {
    this.#entry = entry;
    this.#parts = parts;
    this.#canWait = canWait;
  }

  /** The records among those of the run that are not stored yet. */
  unstored(records: readonly AttemptRecord[]): readonly AttemptRecord[] {
    return this.#stored === 0 ? records : records.slice(this.#stored);
  }

  /**
   * Runs a handler in a transaction that also stores what `resultOf` returns for its record, if it
   * succeeds. Returns the run, with an error if the transaction could not be committed.
   *
   * @throws HookporterError `inbox_unavailable` if it is not known whether the transaction was
   * committed
   */
  async run(
    handler: Run,
    limits: RunLimits,
    resultOf: (record: AttemptRecord) => Settlement | Progress,
  ): Promise<HandlerRun | NoPlace | LeaseLost> {
    const refused = await this.#takePlace(limits.signal);
    if (refused !== undefined) return refused;
    const start = performance.now();
    try {
      return await this.#run(handler, limits, resultOf);
    } finally {
      this.#parts.places.leave(performance.now() - start);
    }
  }

  async #run(
    handler: Run,
    limits: RunLimits,
    resultOf: (record: AttemptRecord) => Settlement | Progress,
  ): Promise<HandlerRun | LeaseLost> {
    const { inbox, clock, isLeased } = this.#parts;
    const { timeout, signal } = limits;
    const { seq } = this.#entry;
    const startedAt = clock();
    let ran: HandlerRun | undefined;
    let result: Settlement | Progress | undefined;
    const work = async (tx: unknown) => {
      ran = await runHandler((own, note) => handler(own, note, tx), limits);
      if (ran.record.outcome === "ok") {
        result = resultOf(ran.record);
        return result;
      }
      return ran.record.outcome === "timeout" || signal.aborted ? "abandon" : "roll_back";
    };
    const terms = { timeout, now: clock, isLeased: () => isLeased(seq) && !signal.aborted };
    let end: Awaited<ReturnType<NonNullable<Inbox["inside"]>>> | undefined;
    try {
      end = await inbox.inside(work, terms);
    } catch (thrown) {
      return failedRun(ran, { startedAt, limits, thrown });
    }
    if (end === "unknown" || end === undefined || ran === undefined) {
      throw new HookporterError(
        "inbox_unavailable",
        "expected the database to confirm a commit, got no answer while the lease held: what was committed stays, and the " +
          "entry runs again if nothing was",
      );
    }
    if (end === "refused") {
      this.end = "refused";
      return { type: "lease_lost" };
    }
    if (end === "committed" && result !== undefined) {
      this.#stored += result.records.length;
      if (result.state !== "running") this.end = "stored";
    }
    return ran;
  }

  async #takePlace(signal: AbortSignal): Promise<NoPlace | undefined> {
    const { places, clock, yieldPlace: stepAside } = this.#parts;
    if (places.take()) return undefined;
    if (!this.#canWait && places.isCrowded())
      return { type: "no_place", dueAt: places.dueAt(clock()), reason: "tx_busy" };
    const entered = await stepAside(places.wait(signal));
    return entered ? undefined : { type: "no_place", dueAt: clock(), reason: null };
  }
}

/** A run whose transaction could not be begun or committed: nothing of it has an effect. */
function failedRun(
  ran: HandlerRun | undefined,
  { startedAt, limits, thrown }: { startedAt: number; limits: RunLimits; thrown: unknown },
): HandlerRun {
  const { handler, attempt, clock } = limits;
  const duration = Math.max(0, clock() - startedAt);
  const begun: AttemptRecord = ran?.record ?? {
    attempt,
    handler,
    startedAt,
    duration,
    outcome: "error",
    error: null,
    failure: null,
    note: null,
  };
  if (begun.outcome !== "ok" && ran !== undefined) return ran;
  const record: AttemptRecord = { ...begun, outcome: "error", ...describeFailure(thrown) };
  return { type: "ran", record, failure: {} };
}
