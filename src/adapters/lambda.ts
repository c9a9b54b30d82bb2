import { checkMethods, checkOptions, MAX_TIMER } from "../base/options/check-options.ts";
import type { DrainReport } from "../dispatch/drain.ts";
import { checkBudget, type DrainOptions } from "../receiver/options/drain-options.ts";
import type { Receiver } from "../receiver/receiver.ts";
import { checkAdapter } from "./check-adapter.ts";
import { type LambdaAnswer, toLambdaAnswer } from "./lambda/answer.ts";
import { bodyOf, headersOf, type LambdaRequest, readRequest, targetOf } from "./lambda/request.ts";

export type { LambdaAnswer } from "./lambda/answer.ts";
export type { LambdaRequest } from "./lambda/request.ts";

/** Options of {@link lambdaReceiver}. */
export interface LambdaReceiverOptions {
  /**
   * The endpoint's path, compared exactly, with the stage if the event has it. One closing slash
   * more or less is the same endpoint, and any query is accepted. Default: any path, since a route
   * or a rule invokes the function for one only.
   */
  readonly path?: string | undefined;
  /**
   * Drains the receiver within `budget` before an acknowledged delivery is answered, so the sender
   * waits for its handlers. Skipped if the function has less time left. Default: no drain; use
   * {@link lambdaDrain} on a schedule.
   */
  readonly drain?: DrainOptions | undefined;
}

/** Options of {@link lambdaDrain}. */
export interface LambdaDrainOptions {
  /** As in `receiver.drain`. Default: what the function has left, less a second. */
  readonly budget?: number | undefined;
}

/** The part of Lambda's context that is used. */
export interface LambdaContext {
  getRemainingTimeInMillis(): number;
}

/** Answers one request. */
export type LambdaHandler = (
  event: LambdaRequest,
  context?: LambdaContext,
) => Promise<LambdaAnswer>;

/** Drains a receiver, whatever invoked it. */
export type LambdaDrainHandler = (event?: unknown, context?: LambdaContext) => Promise<DrainReport>;

/** Milliseconds of the function's time that are kept to answer. */
const TO_ANSWER = 1000;

/**
 * Wraps a receiver as an AWS Lambda handler for API Gateway (REST and HTTP APIs), function URLs and
 * Application Load Balancers. It rejects an event of another kind with a `ConfigurationError`.
 *
 * @throws ConfigurationError `option_invalid`, also for a path without a slash at its start, or
 * with a query
 *
 * @example
 * ```ts
 * import { createReceiver } from "hookporter";
 * import { lambdaReceiver } from "hookporter/lambda";
 *
 * const inbox = "postgres://db.internal/app?sslmode=verify-full";
 * const receiver = createReceiver({ secret: process.env.HOOKPORTER_SECRET, inbox, role: "receive" });
 * await receiver.start();
 * export const handler = lambdaReceiver(receiver);
 * ```
 */
export function lambdaReceiver(
  receiver: Pick<Receiver, "receive"> & Partial<Pick<Receiver, "drain">>,
  options: LambdaReceiverOptions = {},
): LambdaHandler {
  checkAdapter(receiver, options, "lambdaReceiver", true);
  const { path, drain } = options;
  return async (event, context) => {
    const request = readRequest(event);
    const { method, target, path: asked } = targetOf(request);
    const answer = await receiver.receive({
      method,
      target,
      path: path ?? asked,
      headers: headersOf(request),
      read: async (limits) => bodyOf(request, limits),
    });
    if (drain !== undefined && answer.status === 200 && drain.budget <= timeLeft(context)) {
      // logged by the receiver, and the delivery is kept
      await receiver.drain?.(drain).catch(() => {});
    }
    return toLambdaAnswer(answer, request, method);
  };
}

/**
 * Makes a Lambda handler that drains a receiver: for a schedule of EventBridge, which then runs the
 * entries that other functions have kept. Its result is the report of `receiver.drain`.
 *
 * @throws ConfigurationError `option_invalid`
 *
 * @example
 * ```ts
 * import { createReceiver } from "hookporter";
 * import { lambdaDrain, lambdaReceiver } from "hookporter/lambda";
 *
 * const secret = process.env.HOOKPORTER_SECRET;
 * const inbox = "postgres://db.internal/app?sslmode=verify-full";
 * const receiver = createReceiver({ secret, inbox, role: "receive", handlerTimeout: 10_000 });
 * receiver.on("*", (event) => console.log(event.kind, event.id));
 * await receiver.start();
 * export const handler = lambdaReceiver(receiver);
 * export const drain = lambdaDrain(receiver);
 * ```
 */
export function lambdaDrain(
  receiver: Pick<Receiver, "drain">,
  options: LambdaDrainOptions = {},
): LambdaDrainHandler {
  const expected = "the first argument of lambdaDrain to be a receiver";
  checkMethods(receiver, expected, {
    required: ["drain"],
    fix: "pass the result of createReceiver",
  });
  checkOptions(options, "the options of lambdaDrain", { budget: checkBudget });
  return (_, context) => {
    const left = timeLeft(context);
    const { budget = left } = options;
    return receiver.drain({ budget: Math.floor(Math.min(budget, left, MAX_TIMER)) });
  };
}

/** Milliseconds that the function has left to drain; no limit without a context, as in a test. */
function timeLeft(context: LambdaContext | undefined): number {
  return context === undefined
    ? Number.POSITIVE_INFINITY
    : context.getRemainingTimeInMillis() - TO_ANSWER;
}
