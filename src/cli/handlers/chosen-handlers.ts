import { relative, resolve } from "node:path";
import { describeError } from "../../base/errors.ts";
import { DEFAULT_RETRY } from "../../base/options/retry.ts";
import type { DeadLetter } from "../../dispatch/plan/handler.ts";
import { eventKinds } from "../../event/kinds.ts";
import type { DataSchemas } from "../../event/schemas.ts";
import { defineHandlers } from "../../receiver/handlers/define-handlers.ts";
import { registerHandlers } from "../../receiver/handlers/register-handlers.ts";
import type { HandlerRegistry } from "../../receiver/handlers/router.ts";
import type { Receiver } from "../../receiver/receiver.ts";
import type { TargetAnswer } from "../../relay/send.ts";
import type { CliContext } from "../context.ts";
import type { ExecCommand } from "./exec-command.ts";
import { type Forwarding, type ForwardRule, registerForwards } from "./forward-rules.ts";
import { type LoadedHandlers, loadHandlers } from "./handlers-module.ts";
import { isLoadedForGood } from "./module-loader.ts";
import type { NotedRuns } from "./noted-runs.ts";
import { onlyKinds } from "./only-kinds.ts";
import type { RunningHandlers } from "./running-handlers.ts";
import { HandlersWatcher, type LoadedModules } from "./watch-handlers.ts";
import { wrappingRegistry } from "./wrapping-registry.ts";

interface HandlerChoice {
  readonly handlers?: string;
  readonly command?: Pick<ExecCommand, "name" | "handler"> | undefined;
  readonly forwardTo?: readonly ForwardRule[];
  readonly events?: readonly string[];
  readonly running?: RunningHandlers;
  readonly loaded?: LoadedModules;
  /** Called with each dead letter, besides the user's own listeners. */
  readonly onDeadLetter?: ((letter: DeadLetter) => void) | undefined;
  readonly noted?: NotedRuns | undefined;
}

/**
 * The handlers for `listen`: the user's, then the command, then the forwards. Throws
 * `handlers_invalid`.
 */
export async function chooseHandlers(
  {
    handlers,
    command,
    forwardTo = [],
    events = ["*"],
    running,
    loaded,
    onDeadLetter,
    noted,
  }: HandlerChoice,
  forwarding: Forwarding,
  { io }: CliContext,
): Promise<LoadedHandlers> {
  const own = handlers === undefined ? undefined : await loadHandlers(io.cwd, handlers, loaded);
  const { otherKinds = [], schemas = {} } = own ?? {};
  const register = (registry: HandlerRegistry) => {
    const chosen = onlyKinds(noted?.watch(registry) ?? registry, events, [
      ...eventKinds,
      ...otherKinds,
    ]);
    const { attempts } = DEFAULT_RETRY; // the usual number, unless a handler sets another
    const retried = wrappingRegistry(chosen, (handler) => handler, { attempts });
    if (own !== undefined) registerHandlers(own.handlers, running?.watch(retried) ?? retried);
    if (command !== undefined)
      retried.on("*", (event, handling) => command.handler(event, handling), {
        name: command.name,
      });
    if (onDeadLetter !== undefined) registry.onDead(onDeadLetter);
    registerForwards(chosen, forwardTo, {
      ...forwarding,
      ...(noted && { onNoted: (answer: TargetAnswer) => noted.answered(answer) }),
    });
  };
  return defineHandlers<DataSchemas, string>({ otherKinds, schemas, handlers: register });
}

/**
 * Reloads the handlers when one of their files changes; if that fails, keeps the current ones.
 * Names changed files that cannot be reloaded. Returns a stop function.
 */
export function reloadOnChange(
  receiver: Receiver,
  choice: HandlerChoice & { readonly handlers: string; readonly loaded: LoadedModules },
  forwarding: Forwarding,
  context: CliContext,
): () => void {
  const { io, output } = context;
  let newest: object | undefined;
  const reload = async (changed: ReadonlySet<string>) => {
    const current = {};
    newest = current;
    watcher.update(); // before the files are read, so that no later change is missed
    const loadedBefore = [...changed].filter(isLoadedForGood);
    try {
      const handlers = await chooseHandlers(choice, forwarding, context);
      if (newest !== current) return; // a later change has begun a load of its own
      receiver.replaceHandlers(handlers);
    } catch (thrown) {
      if (newest === current)
        output.talk(
          `could not reload the handlers, so the previous ones stay in use: ${describeError(thrown)}`,
        );
      return;
    } finally {
      watcher.update();
    }
    const outdated = loadedBefore.filter(isLoadedForGood);
    for (const file of outdated)
      output.talk(`${relative(io.cwd, file)} changed, but cannot be reloaded: restart to load it`);
    if (outdated.length < changed.size)
      output.talk(`handlers reloaded: ${choice.loaded.handlers ?? 0}`);
  };
  const path = resolve(io.cwd, choice.handlers);
  const watcher = new HandlersWatcher(path, choice.loaded, (changed) => void reload(changed));
  return () => {
    newest = undefined;
    watcher.close();
  };
}
