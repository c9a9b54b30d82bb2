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
export type { RetryOptions } from "../dispatch/retry.ts";
export type { TargetOptions } from "../dispatch/targets/target.ts";
export {
  ConfigurationError,
  type ConfigurationErrorCode,
  ERROR_CODES,
  type ErrorCode,
  HookporterError,
  type ReceiverErrorCode,
} from "../errors.ts";
export type { DataProblem } from "../event/data-problems.ts";
export type { Delivery, DeliveryHeaders } from "../event/delivery.ts";
export type { Difference } from "../event/difference.ts";
export { type Envelope, envelopeSchema } from "../event/envelope.ts";
export type { WebhookEvent } from "../event/event.ts";
export { exactNumber } from "../event/exact-number.ts";
export type { DedupKey } from "../event/identity.ts";
export { EVENT_KINDS, type EventKind, eventKinds, isEventKind } from "../event/kinds.ts";
export { type PropertyCreated, propertyCreatedSchema } from "../event/property.ts";
export { REJECTION_REASONS, type Rejection, type RejectionReason } from "../event/rejection.ts";
export type { OpenObject } from "../event/schemas.ts";
export { type HandOnOptions, handOn } from "../hand-on/hand-on.ts";
export type { HandOnFailure, HandOnMessage, Send, SendContext, SendResult } from "../hand-on/send.ts";
export type { Answer } from "../http/answer.ts";
export type { BodyLimits, BodyResult } from "../http/read-body.ts";
export type { AttemptRecord, HandlerFailure } from "../inbox/attempt-record.ts";
export type { StateCounts } from "../inbox/counts.ts";
export type { EntryState } from "../inbox/entry-state.ts";
export type { PostgresOptions } from "../inbox/postgres/options.ts";
export type { PostgresTransaction } from "../inbox/postgres/transaction.ts";
export type { Role } from "../inbox/runner.ts";
export type { InboxHandle } from "../inbox/shared/handle.ts";
export { postgresInbox } from "../inbox/shared/shared-postgres.ts";
export type { HandlerTransaction, TransactionTypes } from "../inbox/transaction-types.ts";
export { watchDrift } from "../learn/drift.ts";
export type { Alert } from "../observe/alert.ts";
export type { AlertOptions } from "../observe/watch-alerts.ts";
export { watchAlerts } from "../observe/watch-alerts.ts";
export type { Channel } from "../receiver/channel.ts";
export { createReceiver } from "../receiver/create-receiver.ts";
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
  HandlerDefinition,
  HandlersByKind,
  KindPattern,
} from "../receiver/handlers/handler-types.ts";
export type { HandlerRegistry } from "../receiver/handlers/router.ts";
export type {
  EntrySelection,
  InboxEntry,
  InboxView,
  PruneOptions,
  ShownEntry,
} from "../receiver/inbox-view.ts";
export type { Incoming, Inline } from "../receiver/incoming.ts";
export type { AttemptObservation, DeliveryObservation, Observation } from "../receiver/observation.ts";
export type { DrainOptions } from "../receiver/options/drain-options.ts";
export type { ReceiverOptions, SourceLimits } from "../receiver/options/receiver-options.ts";
export type { Tracing } from "../receiver/options/tracing.ts";
export type { Accepted, Outcome } from "../receiver/outcome.ts";
export type { Ran, Receiver, ReplacingHandlers } from "../receiver/receiver.ts";
export type { RefusalReason } from "../receiver/refusals.ts";
export { toAnswer } from "../receiver/response.ts";
export type { Cause, CauseCode } from "../signature/diagnose/causes.ts";
export { type DiagnoseOptions, type Diagnosis, diagnoseSignature } from "../signature/diagnose/diagnose.ts";
export type { NamedSecret } from "../signature/diagnose/keyings.ts";
export { type HeaderBag, readHeader } from "../signature/header.ts";
export type { SecretOption, SecretValue } from "../signature/secret-bytes.ts";
export { readSecrets, type Secret } from "../signature/secrets.ts";
export { sign } from "../signature/sign.ts";
export { SIGNATURE_HEADER, SIGNATURE_REASONS, type SignatureReason } from "../signature/signature-format.ts";
export { type VerifiedDelivery, type VerifiedEvent, type VerifyOptions, verify } from "../web/verify.ts";
export { verifySync } from "../web/verify-sync.ts";
