import { describeError } from "../errors.ts";
import type { Receiver } from "../receiver/receiver.ts";
import { forwardTo } from "../relay/forward.ts";
import type { CliContext } from "./context.ts";
import { loadHandlers, type RegisterHandlers, watchHandlers } from "./handlers-module.ts";
import { onlyKinds } from "./only-kinds.ts";

/** What is to be done with events. */
export interface HandlerChoice {
  readonly handlers?: string;
  readonly forwardTo?: URL;
  readonly events?: readonly string[];
}

/**
 * The handlers that `listen` was told to run: the user's own, then the forward.
 *
 * @throws ConfigurationError `handlers_invalid`
 */
export async function chooseHandlers(
  { handlers, forwardTo: target, events = ["*"] }: HandlerChoice,
  { io }: CliContext,
): Promise<RegisterHandlers> {
  const own = handlers === undefined ? undefined : await loadHandlers(io.cwd, handlers);
  return (registry) => {
    const chosen = onlyKinds(registry, events);
    own?.(chosen);
    if (target !== undefined) chosen.on("*", forwardTo(target), { name: "forward" });
  };
}

/** Loads the handlers again when a file of theirs changes; those in use stay when that fails. Gives the way to stop. */
export function reloadOnChange(receiver: Receiver, choice: HandlerChoice, context: CliContext): () => void {
  const { io, output } = context;
  return watchHandlers(io.cwd, choice.handlers ?? "", () => {
    chooseHandlers(choice, context)
      .then((register) => {
        receiver.replaceHandlers(register);
        output.talk("handlers reloaded");
      })
      .catch((thrown: unknown) => output.talk(`handlers kept as they were: ${describeError(thrown)}`));
  });
}
