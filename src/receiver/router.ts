import type { DeadLetter, Handler, NamedHandler } from "../dispatch/handler.ts";
import { ConfigurationError } from "../errors.ts";
import type { WebhookEvent } from "../event/event.ts";
import { checkKindPattern, matchesKind } from "../event/kind-pattern.ts";
import { type EventKind, isEventKind } from "../event/kinds.ts";
import type { DataOf } from "../event/schemas.ts";
import {
  aNumber,
  type Check,
  checkFunction,
  checkOptions,
  invalid,
  nonEmptyString,
} from "../options/check-options.ts";

/** A family of kinds, such as `property.*`, or all of them. */
export type KindPattern = "*" | `${string}.*`;

/** Settings of one handler. */
export interface HandlerOptions {
  /**
   * The name its runs are recorded under; unique per receiver. Default: the pattern and a counter, so give one when
   * handlers of the same pattern may change their order between versions.
   */
  readonly name?: string;
  /** Kinds and families that this handler leaves to others. Default none. */
  readonly except?: readonly string[];
  /**
   * Attempts it gets, the first included, where it is to get fewer than the receiver's `retry` gives; `Infinity` for no fewer. An entry whose other
   * handlers have more left runs on without it, and is a dead letter when they have ended.
   */
  readonly attempts?: number;
}

/** Where handlers are registered: a receiver, or the registry a handlers module is given. */
export interface HandlerRegistry<Schemas = object> {
  /**
   * Runs a handler for each event of a kind, or of a family (`payment.*`, `*`). Several handlers may fit one event:
   * all run, in the order they were registered, each retried on its own.
   *
   * @throws ConfigurationError `option_invalid` for a pattern, also in `except`, that fits none of the 12 kinds
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
    checkFunction(listener, "the listener of onDead", "pass (letter) => …");
    this.#deadListeners.push(listener);
  }

  /** The handlers that fit a kind, in the order they were registered. */
  match(kind: string): readonly NamedHandler[] {
    return this.#routes.filter(({ matches }) => matches(kind)).map(({ named }) => named);
  }

  /** What there are handlers for: kinds and patterns, `unknown` for kinds beyond the twelve. */
  get patterns(): readonly string[] {
    return [...this.#counters.keys()];
  }

  /** Whether there is no handler for anything. */
  get isEmpty(): boolean {
    return this.#routes.length === 0;
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
    checkOptions(options, `the options of the handler for ${pattern}`, CHECKS);
    const { except = [], attempts } = options;
    for (const left of except) checkKindPattern(left);
    checkFunction(handler, `the handler for ${pattern}`, "pass (event, context) => …");
    const count = (this.#counters.get(pattern) ?? 0) + 1;
    this.#counters.set(pattern, count);
    const name = options.name ?? (count === 1 ? pattern : `${pattern}#${count}`);
    if (this.#routes.some(({ named }) => named.name === name)) {
      throw new ConfigurationError(
        "option_invalid",
        `expected handlers to have different names, got ${JSON.stringify(name)} twice: give one another name`,
      );
    }
    const wanted = (kind: string) => matches(kind) && !except.some((left) => matchesKind(left, kind));
    this.#routes.push({
      matches: wanted,
      named: { name, handler, ...(attempts !== undefined && { attempts }) },
    });
  }
}

/** The check of every option of a handler. */
const CHECKS: Readonly<Record<keyof HandlerOptions, Check>> = {
  name: nonEmptyString("name the handler, or leave it out for its pattern"),
  except: (given, name) => {
    if (!Array.isArray(given))
      throw invalid(`${name} to be a list of kinds`, given, 'pass one such as ["payment.*"]');
  },
  attempts: aNumber("a whole number from 1, or Infinity", (value) => {
    return value === Number.POSITIVE_INFINITY || (Number.isInteger(value) && value >= 1);
  }),
};
