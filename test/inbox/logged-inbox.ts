import type {
  Appended,
  BacklogRequest,
  ClaimedEntry,
  ClaimRequest,
  CountFilter,
  Counts,
  DedupKey,
  EntryFilter,
  Erasure,
  Inbox,
  Lease,
  NewEntry,
  NewPacedRetry,
  OpenTerms,
  PaceStep,
  Pause,
  PauseOf,
  Pauses,
  PruneRequest,
  Runner,
  SenderNote,
  SenderRecord,
  Settlement,
  SlimRequest,
  Step,
  StepResult,
  TargetCount,
} from "../../src/entries/inbox.ts";
import type { AttemptRecord, Delivery, Entry } from "../../src/entries/index.ts";
import type { HookporterError } from "../../src/errors.ts";

/**
 * An inbox as a user of the package writes one: it has the types of all parameters and results from the package's
 * exports. It passes every call on, and notes its name.
 */
export class LoggedInbox implements Inbox {
  readonly calls: (keyof Inbox)[] = [];
  readonly #inner: Inbox;

  constructor(inner: Inbox) {
    this.#inner = inner;
  }

  get damage(): HookporterError | undefined {
    return this.#inner.damage;
  }

  get isPaused(): boolean {
    return this.#inner.isPaused === true;
  }

  open(terms?: OpenTerms): Promise<void> {
    return this.#note("open").open(terms);
  }

  async register(runner: Runner): Promise<void> {
    await this.#note("register").register?.(runner);
  }

  async hasten(filter: Pick<EntryFilter, "sources" | "kinds">, now: number): Promise<number> {
    return (await this.#note("hasten").hasten?.(filter, now)) ?? 0;
  }

  async backlog(request: BacklogRequest): Promise<number> {
    return (await this.#note("backlog").backlog?.(request)) ?? 0;
  }

  async runners(): Promise<readonly Runner[]> {
    return (await this.#note("runners").runners?.()) ?? [];
  }

  async senders(): Promise<readonly SenderRecord[]> {
    return (await this.#note("senders").senders?.()) ?? [];
  }

  recordSender(note: SenderNote): Promise<SenderRecord> {
    const inner = this.#note("recordSender");
    return inner.recordSender?.(note) ?? Promise.reject(new Error("the inner inbox keeps no senders"));
  }

  append(entry: NewEntry): Promise<Appended | undefined> {
    return this.#note("append").append(entry);
  }

  touch(key: DedupKey, at: number): Promise<Appended | undefined> {
    return this.#note("touch").touch(key, at);
  }

  claim(request: ClaimRequest): Promise<readonly ClaimedEntry[]> {
    return this.#note("claim").claim(request);
  }

  renew(
    leases: readonly { seq: number; lease: Lease["token"] }[],
    until: number,
  ): Promise<readonly number[]> {
    return this.#note("renew").renew(leases, until);
  }

  settle(settlement: Settlement, now: number): Promise<boolean> {
    return this.#note("settle").settle(settlement, now);
  }

  nextRunAt(request?: Pick<ClaimRequest, "except" | "deadBlocks" | "sources">): Promise<number | undefined> {
    return this.#note("nextRunAt").nextRunAt(request);
  }

  retry(filter: EntryFilter, now: number): Promise<number> {
    return this.#note("retry").retry(filter, now);
  }

  reschedule(filter: EntryFilter, runAt: number): Promise<number> {
    return this.#note("reschedule").reschedule(filter, runAt);
  }

  drop(filter: EntryFilter, now: number): Promise<number> {
    return this.#note("drop").drop(filter, now);
  }

  async pauses(): Promise<Pauses> {
    return (await this.#note("pauses").pauses?.()) ?? { paused: [], retries: [] };
  }

  async pause(pause: Pause): Promise<void> {
    await this.#note("pause").pause?.(pause);
  }

  async resume(of: PauseOf, now: number): Promise<boolean> {
    return (await this.#note("resume").resume?.(of, now)) ?? false;
  }

  async newRetry(retry: NewPacedRetry): Promise<number> {
    return (await this.#note("newRetry").newRetry?.(retry)) ?? 0;
  }

  async paceRetry(step: PaceStep): Promise<number> {
    return (await this.#note("paceRetry").paceRetry?.(step)) ?? 0;
  }

  async endRetry(id: number): Promise<void> {
    await this.#note("endRetry").endRetry?.(id);
  }

  eraseAlone<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#note("eraseAlone").eraseAlone?.(work) ?? work();
  }

  async erase(seqs: readonly number[], now: number): Promise<readonly number[]> {
    return (await this.#note("erase").erase?.(seqs, now)) ?? [];
  }

  async endErasure(): Promise<Erasure | undefined> {
    return this.#note("endErasure").endErasure?.();
  }

  waiting(request?: Pick<EntryFilter, "sources">): Promise<readonly TargetCount[]> {
    return this.#note("waiting").waiting(request);
  }

  list(filter: EntryFilter): Promise<readonly Entry[]> {
    return this.#note("list").list(filter);
  }

  prune(request: PruneRequest, step: Step): Promise<StepResult> {
    return this.#note("prune").prune(request, step);
  }

  slim(request: SlimRequest, step: Step): Promise<StepResult> {
    return this.#note("slim").slim(request, step);
  }

  delivery(seq: number): Promise<Delivery | undefined> {
    return this.#note("delivery").delivery(seq);
  }

  attempts(seq: number): Promise<readonly AttemptRecord[]> {
    return this.#note("attempts").attempts(seq);
  }

  counts(filter?: CountFilter): Promise<Counts> {
    return this.#note("counts").counts(filter);
  }

  close(): Promise<void> {
    return this.#note("close").close();
  }

  #note(name: keyof Inbox): Inbox {
    this.calls.push(name);
    return this.#inner;
  }
}
