/** The entry point of `hookporter/sandbox`, a simulated service. Re-exports only. */

export {
  ConfigurationError,
  type ConfigurationErrorCode,
  type ErrorCode,
  HookporterError,
  type SandboxErrorCode,
} from "../base/errors.ts";
export type { Logger } from "../base/logger.ts";
export type { RetryOptions, RetryPolicy } from "../base/options/retry.ts";
export type { EventKind } from "../event/kinds.ts";
export type { Chaos, ChaosOptions } from "../service/sandbox/chaos.ts";
export type {
  OutageObservation,
  RequestObservation,
  SandboxAttempt,
  SandboxAttemptObservation,
  SandboxDelivery,
  SandboxDeliveryState,
  SandboxObservation,
  StreamObservation,
  SubscriptionObservation,
} from "../service/sandbox/observation.ts";
export type { SandboxOptions } from "../service/sandbox/sandbox-options.ts";
export type { CausedEvent } from "../service/sandbox/simulation.ts";
export { type Sandbox, startSandbox } from "../service/sandbox/start.ts";
export type { ShownSubscription } from "../service/sandbox/subscription.ts";
