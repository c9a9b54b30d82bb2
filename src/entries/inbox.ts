/**
 * `hookporter/inbox`. Unstable: any version may change it. The interface of an inbox and the types behind it, for a store of
 * your own and for programs that read `receiver.inbox`. Re-exports only.
 */
export { HookporterError, type InboxErrorCode } from "../errors.ts";
export type { DedupKey } from "../event/identity.ts";
export type { Appended, NewEntry } from "../inbox/append.ts";
export type { ClaimedEntry, ClaimRequest, DueRequest, Lease } from "../inbox/claim.ts";
export type { CountFilter, Counts } from "../inbox/counts.ts";
export type { EntryFilter, TextAlternatives } from "../inbox/entry-filter.ts";
export { entryState, type StateFacts, type StoredIn, type StoredState } from "../inbox/entry-state.ts";
export type {
  BacklogRequest,
  Erasure,
  Inbox,
  InsideEnd,
  InsideResult,
  InsideTerms,
  OpenTerms,
  Progress,
} from "../inbox/inbox.ts";
export type { EntryOutline, OutlineRequest, RunOutline } from "../inbox/outline.ts";
export type {
  NewPacedRetry,
  PacedRetry,
  PaceStep,
  Pause,
  PauseOf,
  PauseScope,
  Pauses,
} from "../inbox/pause.ts";
export type { OwnTransactions, TransactionQuery } from "../inbox/postgres/handler-transactions.ts";
export type { PostgresConnection } from "../inbox/postgres/options.ts";
export type {
  DatabaseResult,
  PooledClient,
  PostgresClient,
  PostgresDatabase,
  PostgresPool,
  PostgresQueries,
} from "../inbox/postgres/session.ts";
export type { PostgresResult, PostgresStatement } from "../inbox/postgres/transaction.ts";
export type { EndedState, PruneRequest, SlimRequest, Step, StepResult } from "../inbox/prune-request.ts";
export type { Runner } from "../inbox/runner.ts";
export {
  addNote,
  type Mismatches,
  type SenderDay,
  type SenderNote,
  type SenderRecord,
} from "../inbox/senders.ts";
export type { EndState, Settlement } from "../inbox/settlement.ts";
export type { TargetCount, TargetWait } from "../inbox/target-wait.ts";
export type { InboxSize, InboxVitals } from "../inbox/vitals.ts";
