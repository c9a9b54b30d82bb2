import type { Handler } from "../../dispatch/handler.ts";
import { DEFAULT_RETRY } from "../../dispatch/retry.ts";
import { describeError } from "../../errors.ts";
import type { Receiver } from "../../receiver/receiver.ts";
import type { HandlerOptions, HandlerRegistry } from "../../receiver/router.ts";
import type { ForwardOptions } from "../../relay/forward.ts";
import type { CliContext } from "../context.ts";
import { type ForwardRule, registerForwards } from "./forward-rules.ts";
import { loadHandlers, type RegisterHandlers, watchHandlers } from "./handlers-module.ts";
import { onlyKinds } from "./only-kinds.ts";
import type { RunningHandlers } from "./running-handlers.ts";

/** Which handlers and targets process events. */
export interface HandlerChoice {
  readonly handlers?: string;
  readonly forwardTo?: readonly ForwardRule[];
  readonly events?: readonly string[];
  /** Knows which of the user's own handlers run. */
  readonly running?: RunningHandlers;
}

/**
 * The handlers for `listen`: the user's, then the forwards.
 *
 * @throws HookporterError `handlers_invalid`
 */
export async function chooseHandlers(
  { handlers, forwardTo = [], events = ["*"], running }: HandlerChoice,
  forwarding: ForwardOptions,
  { io }: CliContext,
): Promise<RegisterHandlers> {
  const own = handlers === undefined ? undefined : await loadHandlers(io.cwd, handlers);
  return (registry) => {
    const chosen = onlyKinds(registry, events);
    const retried = endingRetries(chosen);
    own?.(running?.watch(retried) ?? retried);
    registerForwards(chosen, forwardTo, forwarding);
  };
}

/** A registry that limits handlers to the usual number of attempts, unless they set another. */
function endingRetries(registry: HandlerRegistry): HandlerRegistry {
  const { attempts } = DEFAULT_RETRY;
  return {
    on: (pattern: string, handler: Handler, options?: HandlerOptions) =>
      registry.on(pattern as "*", handler, { attempts, ...options }),
    onUnknown: (handler, options) => registry.onUnknown(handler, { attempts, ...options }),
    onDead: (listener) => registry.onDead(listener),
  };
}

/** Reloads the handlers when one of their files changes; if that fails, keeps the current ones. Returns a stop function. */
export function reloadOnChange(
  receiver: Receiver,
  choice: HandlerChoice,
  forwarding: ForwardOptions,
  context: CliContext,
): () => void {
  const { io, output } = context;
  return watchHandlers(io.cwd, choice.handlers ?? "", () => {
    chooseHandlers(choice, forwarding, context)
      .then((register) => {
        receiver.replaceHandlers(register);
        output.talk("handlers reloaded");
      })
      .catch((thrown: unknown) =>
        output.talk(
          `could not reload the handlers, so the previous ones stay in use: ${describeError(thrown)}`,
        ),
      );
  });
}
