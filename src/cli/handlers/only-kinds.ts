import type { AnyHandler, Handler } from "../../dispatch/plan/handler.ts";
import { checkKindPattern, matchesKind } from "../../event/kind-pattern.ts";
import { eventKinds } from "../../event/kinds.ts";
import type { HandlerOptions } from "../../receiver/handlers/handler-options.ts";
import type { HandlerRegistry } from "../../receiver/handlers/router.ts";

/**
 * A registry that registers handlers only for the wanted kinds. An entry of another kind finds no
 * handler, and so is *received*, not *handled*. A handler for unknown kinds is registered only if
 * all kinds are wanted.
 */
export function onlyKinds(
  registry: HandlerRegistry,
  wanted: readonly string[],
  known: readonly string[] = eventKinds,
): HandlerRegistry {
  const counters = new Map<string, number>();
  return {
    on: (given: string | readonly string[], handler: AnyHandler, options?: HandlerOptions) => {
      const patterns = [given].flat() as readonly string[];
      const pattern = patterns.join(",");
      // checked here, since a pattern that matches no wanted kind is never registered
      for (const pattern of patterns) checkKindPattern(pattern, known);
      const count = (counters.get(pattern) ?? 0) + 1;
      counters.set(pattern, count);
      // The same name as without `--events`, so that a finished handler is recognised.
      const name = options?.name ?? (count === 1 ? pattern : `${pattern}#${count}`);
      const parts = patterns.flatMap((pattern) => narrow(pattern, wanted));
      const removals = parts.map((part) => {
        const own = parts.length === 1 ? name : `${name} (${part})`;
        return registry.on(part as "*", handler as Handler, { ...options, name: own });
      });
      return () => removals.forEach((remove) => void remove());
    },
    onUnknown: (handler: AnyHandler, options?: HandlerOptions) =>
      wanted.includes("*") ? registry.onUnknown(handler as Handler, options) : () => {},
    onDead: (listener) => registry.onDead(listener),
  };
}

/** The wanted parts of a pattern. If two patterns overlap, one contains the other. */
export function narrow(pattern: string, wanted: readonly string[]): readonly string[] {
  if (wanted.some((text) => matchesKind(text, pattern))) return [pattern];
  const inside = [...new Set(wanted)].filter((text) => matchesKind(pattern, text));
  return inside.filter(
    (text) => !inside.some((other) => other !== text && matchesKind(other, text)),
  );
}
