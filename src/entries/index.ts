/**
 * The other rooms come in. What a user may import goes out. Nothing is done here.
 *
 * The entry point of `hookporter`. Re-exports only. The adapters are `hookporter/express` and
 * `hookporter/node`.
 */

export { type VerifiedDelivery, type VerifyOptions, verify } from "../adapters/web/verify.ts";
export { verifySync } from "../adapters/web/verify-sync.ts";
export {
  ConfigurationError,
  type ConfigurationErrorCode,
  ERROR_CODES,
  type ErrorCode,
  HookporterError,
  type ReceiverErrorCode,
} from "../base/errors.ts";
export type { HandlerFailure } from "../base/failures/failure.ts";
export type { Logger } from "../base/logger.ts";
export type { RetryOptions } from "../base/options/retry.ts";
export type { DrainReport } from "../dispatch/drain.ts";
export type {
  DeadLetter,
  Handler,
  HandlerContext,
  TransactionContext,
  TransactionHandler,
} from "../dispatch/plan/handler.ts";
export type { TargetOptions } from "../dispatch/plan/target.ts";
export type { DataProblem } from "../event/data-problems.ts";
export type { Delivery, DeliveryHeaders } from "../event/delivery.ts";
export { type Envelope, envelopeSchema } from "../event/envelope.ts";
export type { WebhookEvent } from "../event/event.ts";
export { exactNumber } from "../event/exact-number.ts";
export type { DedupKey } from "../event/identity.ts";
export { EVENT_KINDS, type EventKind, eventKinds, isEventKind } from "../event/kinds.ts";
export { type PropertyCreated, propertyCreatedSchema } from "../event/property.ts";
export type { Rejection, RejectionReason } from "../event/rejection.ts";
export type { OpenObject } from "../event/schemas.ts";
export { type HandOnOptions, handOn } from "../hand-on/hand-on.ts";
export type { HandOnMessage, Send } from "../hand-on/send.ts";
export type { Answer } from "../http/answer.ts";
export type { BodyLimits, BodyResult } from "../http/read-body.ts";
export type { AttemptRecord } from "../inbox/attempt-record.ts";
export type { StateCounts } from "../inbox/counts.ts";
export type { EntryState } from "../inbox/entry-state.ts";
export type { PostgresOptions } from "../inbox/postgres/postgres-options.ts";
export type { PostgresTransaction } from "../inbox/postgres/transaction.ts";
export type { InboxHandle } from "../inbox/shared/handle.ts";
export { postgresInbox } from "../inbox/shared/shared-postgres.ts";
export type { HandlerTransaction, TransactionTypes } from "../inbox/transaction-types.ts";
export { createReceiver } from "../receiver/create-receiver.ts";
export type { Drift } from "../receiver/drift.ts";
export { defineHandlers, type HandlersModule } from "../receiver/handlers/define-handlers.ts";
export type { HandlerOptions } from "../receiver/handlers/handler-options.ts";
export type {
  EventOf,
  HandlerDefinition,
  HandlersByKind,
  KindPattern,
} from "../receiver/handlers/handler-types.ts";
export type { HandlerRegistry } from "../receiver/handlers/router.ts";
export type { EntrySelection, InboxEntry, InboxView, ShownEntry } from "../receiver/inbox-view.ts";
export type { Incoming } from "../receiver/incoming.ts";
export type { Observation } from "../receiver/observation.ts";
export type { ReceiverOptions } from "../receiver/options/receiver-options.ts";
export type { Tracing } from "../receiver/options/tracing.ts";
export type { Outcome } from "../receiver/outcome.ts";
export type { Receiver } from "../receiver/receiver.ts";
export type { RefusalReason } from "../receiver/refusals.ts";
export type { HeaderBag } from "../signature/header.ts";
export type { SecretOption } from "../signature/secret-bytes.ts";
export { sign } from "../signature/sign.ts";
export { SIGNATURE_HEADER, type SignatureReason } from "../signature/signature-format.ts";
