import { isPromiseLike, isRecord } from "../../base/guards.ts";
import { invalidOption } from "../../base/options/check-options.ts";
import { detach } from "../../base/try-or.ts";
import type { AnyHandler, Handler } from "../../dispatch/plan/handler.ts";
import { type HandlersOption, handlerWithOptions, isHandlersModule } from "./define-handlers.ts";
import type { HandlerOptions } from "./handler-options.ts";
import type { HandlerRegistry } from "./router.ts";

/** What handlers have registered. */
export interface Registered {
  /** How many handlers. */
  handlers: number;
  /** How many listeners of dead letters. */
  listeners: number;
  /** What a function that registers them returned, such as a promise that may still reject. */
  returned: unknown;
}

/**
 * Registers handlers. A function that registers none may return them instead. Returns how many
 * there are.
 *
 * @throws ConfigurationError `option_invalid`
 */
export function registerHandlers(handlers: HandlersOption, registry: HandlerRegistry): Registered {
  const registered: Registered = { handlers: 0, listeners: 0, returned: undefined };
  const counting = countingRegistry(registry, registered);
  if (typeof handlers !== "function") {
    registerByKind(handlers, counting);
    return registered;
  }
  const returned: unknown = handlers(counting);
  registered.returned = returned;
  if (registered.handlers + registered.listeners > 0 || !isRecord(returned)) return registered;
  if (isPromiseLike(returned)) {
    detach(returned); // its rejection must not end the process as well
    throw invalidOption(
      "expected handlers that are registered at once, got an async function that had registered none when it first waited: " +
        "await before it, such as at the top level of the module",
    );
  }
  registerReturned(returned, counting);
  return registered;
}

function registerReturned(returned: object, registry: HandlerRegistry): void {
  if (!isHandlersModule(returned)) {
    registerByKind(returned, registry);
    return;
  }
  const { handlers, schemas, otherKinds } = returned;
  if (Object.keys(schemas).length + otherKinds.length > 0)
    throw invalidOption(
      "expected handlers, got a function that returns a module with schemas or kinds, which are needed before it is called: " +
        "call it yourself, and pass or export what it returns",
    );
  registerHandlers(handlers, registry);
}

function registerByKind(handlers: object, registry: HandlerRegistry): void {
  for (const [pattern, given] of Object.entries(handlers)) {
    if (given === undefined) continue;
    const { handler, ...options } = handlerWithOptions(given);
    registry.on(pattern as "*", handler as Handler, options);
  }
}

function countingRegistry(registry: HandlerRegistry, registered: Registered): HandlerRegistry {
  return {
    on: (pattern: string | readonly string[], handler: AnyHandler, options?: HandlerOptions) => {
      const remove = registry.on(pattern as "*", handler as Handler, options);
      registered.handlers++;
      return remove;
    },
    onUnknown: (handler: AnyHandler, options?: HandlerOptions) => {
      const remove = registry.onUnknown(handler as Handler, options);
      registered.handlers++;
      return remove;
    },
    onDead: (listener) => {
      const remove = registry.onDead(listener);
      registered.listeners++;
      return remove;
    },
  };
}
