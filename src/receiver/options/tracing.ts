import type { AttemptTracing } from "../../dispatch/plan/attempt-tracing.ts";
import type { Delivery } from "../../event/delivery.ts";
import type { Outcome } from "../outcome.ts";

/** Follows one delivery from inside, from when it was read completely to its outcome. */
export interface DeliveryTrace {
  /** The delivery to keep: with headers that lead from its entry back to this trace. */
  readonly delivery: Delivery;
  /**
   * Calls what accepts the delivery, in the context in which its own calls belong to this delivery.
   */
  run<Result>(accept: () => Result): Result;
  /** Called with the outcome. */
  end(outcome: Outcome): void;
}

/** Follows deliveries and attempts from inside. Made by `createTracing` of `hookporter/tracing`. */
export interface Tracing extends AttemptTracing {
  /** Called with each delivery that was read completely, authentic or not. */
  delivery(delivery: Delivery, source: string): DeliveryTrace;
}
