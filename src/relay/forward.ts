import type { Handler } from "../dispatch/handler.ts";
import { HookporterError } from "../errors.ts";
import { send } from "./send.ts";

/**
 * A handler that passes each delivery on to a target: same bytes, same signature header. It fails, and so is retried,
 * until the target answers 2xx.
 */
export function forwardTo(target: URL): Handler {
  return async (_event, { delivery, signal }) => {
    const { headers, body } = delivery;
    const answer = await send({ target, headers, body, signal });
    if (answer.ok) return;
    throw new HookporterError(
      "target_refused",
      `${target.href} answered ${answer.status}: ${answer.body.slice(0, 500)}`,
    );
  };
}
