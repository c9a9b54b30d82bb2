import type { AnyHandler, Handler } from "../../dispatch/handler.ts";
import type { HandlerRegistry } from "../../receiver/handlers/router.ts";

/** A registry that registers each handler wrapped. What is not a function is left for the registry to refuse. */
export function wrappingRegistry(
  registry: HandlerRegistry,
  wrap: (handler: Handler) => Handler,
): HandlerRegistry {
  const wrapped = (handler: unknown) =>
    typeof handler === "function" ? wrap(handler as Handler) : (handler as Handler);
  return {
    on: (pattern: string | readonly string[], handler: AnyHandler, options?: object) =>
      registry.on(pattern as "*", wrapped(handler), options),
    onUnknown: (handler: AnyHandler, options?: object) => registry.onUnknown(wrapped(handler), options),
    onDead: (listener) => registry.onDead(listener),
  };
}
