import type { DeadLetter, Handler, NamedHandler } from "../dispatch/handler.ts";
import { ConfigurationError } from "../errors.ts";
import type { WebhookEvent } from "../event/event.ts";
import { checkKindPattern, matchesKind } from "../event/kind-pattern.ts";
import { type EventKind, isEventKind } from "../event/kinds.ts";
import type { DataOf } from "../event/schemas.ts";

/** A family of kinds, such as `property.*`, or all of them. */
export type KindPattern = "*" | `${string}.*`;

/** Settings of one handler. */
export interface HandlerOptions {
  /**
   * The name its runs are recorded under; unique per receiver. Default: the pattern and a counter, so give one when
   * handlers of the same pattern may change their order between versions.
   */
  readonly name?: string;
}

/** Where handlers are registered: a receiver, or the registry a handlers module is given. */
export interface HandlerRegistry<Schemas = object> {
  /**
   * Runs a handler for each event of a kind, or of a family (`payment.*`, `*`). Several handlers may fit one event:
   * all run, in the order they were registered, each retried on its own.
   *
   * @throws ConfigurationError `option_invalid` for a pattern that fits none of the 12 kinds
   */
  on<Kind extends EventKind>(
    kind: Kind,
    handler: Handler<WebhookEvent<Kind, DataOf<Kind, Schemas>>>,
    options?: HandlerOptions,
  ): void;
  on(pattern: KindPattern, handler: Handler, options?: HandlerOptions): void;
  /** Runs a handler for each event whose kind is none of the 12. */
  onUnknown(handler: Handler, options?: HandlerOptions): void;
  /** Called when an entry becomes a dead letter; told once, not retried. */
  onDead(listener: (letter: DeadLetter) => unknown): void;
}

/** Handlers by kind. */
export class Router<Schemas = object> implements HandlerRegistry<Schemas> {
  readonly #routes: { readonly matches: (kind: string) => boolean; readonly named: NamedHandler }[] = [];
  readonly #counters = new Map<string, number>();
  readonly #deadListeners: ((letter: DeadLetter) => unknown)[] = [];

  on(pattern: string, handler: Handler<never>, options?: HandlerOptions): void {
    checkKindPattern(pattern);
    this.#add(pattern, (kind) => matchesKind(pattern, kind), handler, options);
  }

  onUnknown(handler: Handler, options?: HandlerOptions): void {
    this.#add("unknown", (kind) => !isEventKind(kind), handler, options);
  }

  onDead(listener: (letter: DeadLetter) => unknown): void {
    this.#deadListeners.push(listener);
  }

  /** The handlers that fit a kind, in the order they were registered. */
  match(kind: string): readonly NamedHandler[] {
    return this.#routes.filter(({ matches }) => matches(kind)).map(({ named }) => named);
  }

  /** Those who want to know of dead letters. */
  get deadListeners(): readonly ((letter: DeadLetter) => unknown)[] {
    return this.#deadListeners;
  }

  #add(
    pattern: string,
    matches: (kind: string) => boolean,
    handler: Handler<never>,
    options: HandlerOptions = {},
  ): void {
    if (typeof handler !== "function") {
      throw new ConfigurationError(
        "option_invalid",
        `expected a function for ${pattern}, got ${typeof handler}`,
      );
    }
    const count = (this.#counters.get(pattern) ?? 0) + 1;
    this.#counters.set(pattern, count);
    const name = options.name ?? (count === 1 ? pattern : `${pattern}#${count}`);
    if (this.#routes.some(({ named }) => named.name === name)) {
      throw new ConfigurationError(
        "option_invalid",
        `expected handlers to have different names, got ${JSON.stringify(name)} twice`,
      );
    }
    this.#routes.push({ matches, named: { name, handler } });
  }
}
