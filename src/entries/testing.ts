/**
 * `hookporter/testing`: sample events, signed requests and a receiver in memory, for tests of applications that use
 * hookporter. It opens no sockets and no files. Do not use it in production. Re-exports only.
 */
export type { TestingErrorCode } from "../errors.ts";
export type { SampleOptions } from "../event/sample.ts";
export type { TestTransactions } from "../inbox/memory.ts";
export { sampleEvent, TEST_SECRET } from "../testing/sample-event.ts";
export { type SignedRequest, type SigningOptions, signedRequest } from "../testing/signed-request.ts";
export {
  createTestReceiver,
  type Deliverable,
  type Delivered,
  type DeliverOptions,
  type TestReceiver,
  type TestReceiverOptions,
} from "../testing/test-receiver.ts";
