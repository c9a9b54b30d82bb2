/** The entry point of `hookporter/sandbox`, a simulated service. Re-exports only. */

export {
  ConfigurationError,
  type ConfigurationErrorCode,
  type ErrorCode,
  HookporterError,
  type SandboxErrorCode,
} from "../base/errors.ts";
export type { Logger } from "../base/logger.ts";
export type { EventKind } from "../event/kinds.ts";
export type { RetryOptions, RetryPolicy } from "../options/retry.ts";
export type { Chaos, ChaosOptions } from "../sandbox/chaos.ts";
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
} from "../sandbox/observation.ts";
export type { SandboxOptions } from "../sandbox/sandbox-options.ts";
export type { CausedEvent } from "../sandbox/simulation.ts";
export { type Sandbox, startSandbox } from "../sandbox/start.ts";
export type { ShownSubscription } from "../sandbox/subscription.ts";
