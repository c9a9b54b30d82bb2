/**
 * `hookporter/testing`: sample events, signed requests, a receiver in memory and the cause of a
 * wrong signature, for tests of applications that use hookporter. It opens no sockets and no files.
 * Do not use it in production. Re-exports only.
 */
export type { TestingErrorCode } from "../base/errors.ts";
export type { SampleOptions } from "../event/sample.ts";
export type { TestTransactions } from "../inbox/memory.ts";
export type { Cause, CauseCode } from "../signature/diagnose/causes.ts";
export type { Diagnosis } from "../signature/diagnose/diagnose.ts";
export { type DiagnoseOptions, diagnoseSignature } from "../testing/diagnose-signature.ts";
export { sampleEvent, TEST_SECRET } from "../testing/sample-event.ts";
export {
  type SignedRequest,
  type SigningOptions,
  signedRequest,
} from "../testing/signed-request.ts";
export {
  createTestReceiver,
  type Deliverable,
  type Delivered,
  type DeliverOptions,
  type TestReceiver,
  type TestReceiverOptions,
} from "../testing/test-receiver.ts";
