import { checkAdapter } from "./check-adapter.ts";
import { checkPath } from "./endpoint-path.ts";
import { type LambdaAnswer, toLambdaAnswer } from "./lambda/answer.ts";
import { bodyOf, checkRequest, headersOf, type LambdaRequest, targetOf } from "./lambda/request.ts";
import type { Receiver } from "./receiver.ts";

export type { LambdaAnswer } from "./lambda/answer.ts";
export type { LambdaRequest } from "./lambda/request.ts";

/** Options of {@link lambdaReceiver}. */
export interface LambdaReceiverOptions {
  /**
   * The endpoint's path, compared exactly, with the stage if the event has it. One closing slash more or less is the same
   * endpoint, and any query is accepted. Default: any path, since a route or a rule invokes the function for one only.
   */
  readonly path?: string | undefined;
}

/** Answers one request. */
export type LambdaHandler = (event: LambdaRequest) => Promise<LambdaAnswer>;

/**
 * Wraps a receiver as an AWS Lambda handler for API Gateway (REST and HTTP APIs), function URLs and Application Load
 * Balancers. It rejects an event of another kind with a `ConfigurationError`.
 *
 * @throws ConfigurationError `option_invalid`, also for a path without a slash at its start, or with a query
 *
 * @example
 * ```ts
 * import { createReceiver } from "hookporter";
 * import { lambdaReceiver } from "hookporter/lambda";
 *
 * const receiver = createReceiver({ secret: process.env.HOOKPORTER_SECRET, inbox: "postgres://db.internal/app" });
 * await receiver.start();
 * export const handler = lambdaReceiver(receiver);
 * ```
 */
export function lambdaReceiver(
  receiver: Pick<Receiver, "receive">,
  options: LambdaReceiverOptions = {},
): LambdaHandler {
  checkAdapter(receiver, options, "lambdaReceiver");
  const { path } = options;
  if (path !== undefined) checkPath(path, "path");
  return async (event) => {
    checkRequest(event);
    const { method, target, path: asked } = targetOf(event);
    const answer = await receiver.receive({
      method,
      target,
      path: path ?? asked,
      headers: headersOf(event),
      read: async (limits) => bodyOf(event, limits),
    });
    return toLambdaAnswer(answer, event, method);
  };
}
