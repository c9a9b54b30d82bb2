/**
 * `hookporter/verify`: verifies deliveries on any runtime with WebCrypto, such as Cloudflare
 * Workers, Deno, Bun and edge functions. It imports nothing of Node. Re-exports only.
 */

export { type VerifiedDelivery, type VerifyOptions, verify } from "../adapters/web/verify.ts";
export {
  ConfigurationError,
  type ConfigurationErrorCode,
  type ErrorCode,
  HookporterError,
} from "../base/errors.ts";
export type { Envelope } from "../event/envelope.ts";
export type { WebhookEvent } from "../event/event.ts";
export { EVENT_KINDS, type EventKind, eventKinds, isEventKind } from "../event/kinds.ts";
export type { RejectionReason } from "../event/rejection.ts";
export type { OpenObject } from "../event/schemas.ts";
export type { HeaderBag } from "../signature/header.ts";
export type { SecretOption } from "../signature/secret-bytes.ts";
export { SIGNATURE_HEADER, type SignatureReason } from "../signature/signature-format.ts";
