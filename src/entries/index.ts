/** The entry point of `hookporter`. Re-exports only. The adapters are `hookporter/express` and `hookporter/node`. */

export type { Logger } from "../base/logger.ts";
export type { DrainReport } from "../dispatch/drain.ts";
export type {
  DeadLetter,
  Handler,
  HandlerContext,
  TransactionContext,
  TransactionHandler,
} from "../dispatch/handler.ts";
export type { RetryOptions, RetryPolicy } from "../dispatch/retry.ts";
export type { AttemptTrace, AttemptTracing } from "../dispatch/runs/attempt-tracing.ts";
export type { TargetOptions } from "../dispatch/targets/target.ts";
export {
  ConfigurationError,
  type ConfigurationErrorCode,
  ERROR_CODES,
  type ErrorCode,
  type InboxErrorCode,
  type LibraryErrorCode,
  type ReceiverErrorCode,
} from "../errors.ts";
export type { AgeLimits } from "../event/age.ts";
export type { DataProblem } from "../event/data-problems.ts";
export type { Delivery, DeliveryHeaders } from "../event/delivery.ts";
export type { Difference } from "../event/difference.ts";
export { type Envelope, envelopeSchema } from "../event/envelope.ts";
export type { WebhookEvent } from "../event/event.ts";
export type { DedupKey } from "../event/identity.ts";
export { EVENT_KINDS, type EventGroup, type EventKind, eventKinds, isEventKind } from "../event/kinds.ts";
export { type PropertyCreated, propertyCreatedSchema } from "../event/property.ts";
export { REJECTION_REASONS, type Rejection, type RejectionReason } from "../event/rejection.ts";
export type { DataOf, DataSchemas, OpenObject } from "../event/schemas.ts";
export { type HandOnOptions, handOn } from "../hand-on/hand-on.ts";
export type { HandOnFailure, HandOnMessage, Send, SendContext, SendResult } from "../hand-on/send.ts";
export type { Answer } from "../http/answer.ts";
export type { BodyFailure, BodyLimits, BodyResult } from "../http/read-body.ts";
export type { Appended, NewEntry } from "../inbox/append.ts";
export type { AttemptRecord, HandlerFailure } from "../inbox/attempt-record.ts";
export type { ClaimedEntry, ClaimRequest, DueRequest } from "../inbox/claim.ts";
export type { CountFilter, Counts } from "../inbox/counts.ts";
export type { Entry, EntryState } from "../inbox/entry.ts";
export type { EntryFilter, TextAlternatives } from "../inbox/entry-filter.ts";
export type { BacklogRequest, Inbox } from "../inbox/inbox.ts";
export type { InsideEnd, InsideResult, InsideTerms, Progress } from "../inbox/inside.ts";
export type { KeepTerms, Kept, KeptEvent, KeptRejected } from "../inbox/kept.ts";
export type { Lease } from "../inbox/lease.ts";
export type { InboxOption } from "../inbox/open.ts";
export type { OpenTerms } from "../inbox/open-terms.ts";
export type { EntryOutline, OutlineRequest, RunOutline } from "../inbox/outline.ts";
export type { OwnTransactions, TransactionQuery } from "../inbox/postgres/handler-transactions.ts";
export type { PostgresConnection, PostgresOptions } from "../inbox/postgres/options.ts";
export type {
  DatabaseResult,
  PooledClient,
  PostgresClient,
  PostgresDatabase,
  PostgresPool,
  PostgresQueries,
} from "../inbox/postgres/session.ts";
export type {
  PostgresResult,
  PostgresStatement,
  PostgresTransaction,
} from "../inbox/postgres/transaction.ts";
export { postgresInbox } from "../inbox/postgres.ts";
export type { EndedState, PruneRequest, SlimRequest, Step, StepResult } from "../inbox/prune-request.ts";
export type { Role, Runner } from "../inbox/runner.ts";
export type { Settlement } from "../inbox/settlement.ts";
export type { TargetCount, TargetWait } from "../inbox/target-wait.ts";
export type { HandlerTransaction, TransactionTypes } from "../inbox/transaction-types.ts";
export type { InboxSize, InboxVitals } from "../inbox/vitals.ts";
export { watchDrift } from "../learn/drift.ts";
export { HookporterError } from "../library-error.ts";
export type {
  Alert,
  AlertCondition,
  DeadLettersAlert,
  DeadLettersLimit,
  InboxNearlyFullAlert,
  OldestDueAlert,
} from "../observe/alert.ts";
export type { AlertOptions } from "../observe/alert-options.ts";
export { type WatchedReceiver, watchAlerts } from "../observe/watch-alerts.ts";
export type { Channel } from "../receiver/channel.ts";
export { createReceiver } from "../receiver/create-receiver.ts";
export type { DigestStart } from "../receiver/digest-starts.ts";
export type { Drift, DriftWatch } from "../receiver/drift.ts";
export {
  defineHandlers,
  type HandlersDefinition,
  type HandlersModule,
  type HandlersOption,
} from "../receiver/handlers/define-handlers.ts";
export type { HandlerOptions } from "../receiver/handlers/handler-options.ts";
export type {
  EventOf,
  EventsByPattern,
  EventsOf,
  HandlerDefinition,
  HandlersByKind,
  KindPattern,
  KindsOf,
  KnownKind,
  Member,
  NoSchemas,
  OnlyKnownKinds,
  SchemasOption,
} from "../receiver/handlers/handler-types.ts";
export type { HandlerRegistry } from "../receiver/handlers/router.ts";
export type { Incoming, Inline } from "../receiver/incoming.ts";
export type { AttemptObservation, DeliveryObservation, Observation } from "../receiver/observation.ts";
export type { DrainOptions } from "../receiver/options/drain-options.ts";
export type { ReceiverOptions, SourceLimits } from "../receiver/options/receiver-options.ts";
export type { DeliveryTrace, Tracing } from "../receiver/options/tracing.ts";
export type {
  Accepted,
  Misconfigured,
  Outcome,
  Proof,
  Refused,
  Rejected,
  Unauthorized,
  Unavailable,
} from "../receiver/outcome.ts";
export type { Ran, Receiver, ReplacingHandlers } from "../receiver/receiver.ts";
export type { RefusalReason } from "../receiver/refusals.ts";
export { toAnswer } from "../receiver/response.ts";
export { CAUSES, type Cause, type CauseCode } from "../signature/diagnose/causes.ts";
export { type DiagnoseOptions, type Diagnosis, diagnoseSignature } from "../signature/diagnose/diagnose.ts";
export type { NamedSecret } from "../signature/diagnose/keyings.ts";
export { type HeaderBag, readHeader } from "../signature/header.ts";
export type { SecretOption, SecretValue } from "../signature/secret-bytes.ts";
export { readSecrets, type Secret } from "../signature/secrets.ts";
export { sign } from "../signature/sign.ts";
export { SIGNATURE_HEADER, SIGNATURE_REASONS, type SignatureReason } from "../signature/signature-format.ts";
export { type VerifiedDelivery, type VerifiedEvent, type VerifyOptions, verify } from "../web/verify.ts";
export { verifySync } from "../web/verify-sync.ts";
