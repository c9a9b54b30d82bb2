import type { AnyHandler, Handler } from "../../dispatch/plan/handler.ts";
import type { HandlerOptions } from "../../receiver/handlers/handler-options.ts";
import type { HandlerRegistry } from "../../receiver/handlers/router.ts";

/**
 * A registry that registers each handler wrapped, with options for those that do not set them. What
 * is not a function is left for the registry to refuse.
 */
export function wrappingRegistry(
  registry: HandlerRegistry,
  wrap: (handler: Handler) => Handler,
  defaults: HandlerOptions = {},
): HandlerRegistry {
  const wrapped = (handler: unknown) =>
    typeof handler === "function" ? wrap(handler as Handler) : (handler as Handler);
  return {
    on: (pattern: string | readonly string[], handler: AnyHandler, options?: HandlerOptions) =>
      registry.on(pattern as "*", wrapped(handler), { ...defaults, ...options }),
    onUnknown: (handler: AnyHandler, options?: HandlerOptions) =>
      registry.onUnknown(wrapped(handler), { ...defaults, ...options }),
    onDead: (listener) => registry.onDead(listener),
  };
}
