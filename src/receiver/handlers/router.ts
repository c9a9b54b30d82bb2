import { checkFunction, invalid, invalidOption } from "../../base/options/check-options.ts";
import type {
  AnyHandler,
  DeadLetter,
  Handler,
  TransactionHandler,
} from "../../dispatch/plan/handler.ts";
import { checkKindPattern } from "../../event/kind-pattern.ts";
import { isEventKind } from "../../event/kinds.ts";
import { kindsWithout, UNKNOWN } from "../../inbox/runner.ts";
import { checkHandlerOptions, type HandlerOptions } from "./handler-options.ts";
import { HandlerSet, kindTest, type Route } from "./handler-set.ts";
import type { CheckedPattern, EventsByPattern, KindPattern, Member } from "./handler-types.ts";

/** Where handlers are registered: a receiver, or the registry a handlers module is given. */
export interface HandlerRegistry<Schemas = object, OtherKinds extends string = never> {
  /**
   * Runs a handler for each event of a kind, of a family (`payment.*`), of all kinds (`*`), or of a
   * list of these. If several handlers match an event, all run, in the order they were registered,
   * and each is retried on its own. Returns an unsubscribe function.
   *
   * @throws ConfigurationError `option_invalid` for a pattern, also in `except`, that matches no
   * known kind, and for `tx` if the inbox cannot give handlers a transaction
   */
  on<const Pattern extends KindPattern<OtherKinds>>(
    pattern: Pattern | readonly Pattern[],
    handler: TransactionHandler<Member<EventsByPattern<Schemas, OtherKinds>, Pattern>>,
    options: HandlerOptions & { readonly tx: true },
  ): () => void;
  on<const Pattern extends string>(
    pattern: CheckedPattern<Pattern, OtherKinds> | readonly CheckedPattern<Pattern, OtherKinds>[],
    handler: Handler<Member<EventsByPattern<Schemas, OtherKinds>, Pattern>>,
    options?: HandlerOptions,
  ): () => void;
  /**
   * Runs a handler for each event whose kind is neither one of the 12 nor declared in `otherKinds`.
   * Returns an unsubscribe function.
   */
  onUnknown(
    handler: TransactionHandler,
    options: HandlerOptions & { readonly tx: true },
  ): () => void;
  onUnknown(handler: Handler, options?: HandlerOptions): () => void;
  /**
   * Calls the listener once for each entry that becomes a dead letter; returns an unsubscribe
   * function.
   */
  onDead(listener: (letter: DeadLetter) => unknown): () => void;
  /**
   * Only a type: a registry with schemas and other kinds can stand for one with fewer, but not for
   * one with more.
   */
  readonly "~types"?: ((otherKinds: OtherKinds) => Schemas) | undefined;
}

/** Registers handlers: each one makes another {@link HandlerSet}. */
export class Router<Schemas = object, OtherKinds extends string = never>
  implements HandlerRegistry<Schemas, OtherKinds>
{
  /** What is registered now. */
  handlers: HandlerSet;
  readonly #checkTx: (pattern: string) => void;

  /**
   * @param handlers - what is registered already. Default: nothing, for the 12 kinds
   * @param checkTx - refuses a handler with `tx` for a pattern. Default: allows all
   */
  constructor(handlers = new HandlerSet(), checkTx: (pattern: string) => void = () => {}) {
    this.handlers = handlers;
    this.#checkTx = checkTx;
  }

  on(
    pattern: string | readonly string[],
    handler: AnyHandler,
    options?: HandlerOptions,
  ): () => void {
    const patterns = Array.isArray(pattern) ? [...new Set<string>(pattern)] : [pattern as string];
    if (patterns.length === 0) throw invalid("at least one kind", pattern, "name one");
    for (const pattern of patterns) checkKindPattern(pattern, this.handlers.kinds);
    return this.#add(patterns, handler, options);
  }

  onUnknown(handler: AnyHandler, options?: HandlerOptions): () => void {
    return this.#add([UNKNOWN], handler, options);
  }

  onDead(listener: (letter: DeadLetter) => unknown): () => void {
    checkFunction(listener, "the listener of onDead", "pass (letter) => …");
    const { deadListeners } = this.handlers;
    if (!deadListeners.includes(listener))
      this.handlers = this.handlers.with({ deadListeners: [...deadListeners, listener] });
    return () => {
      const left = this.handlers.deadListeners.filter((other) => other !== listener);
      this.handlers = this.handlers.with({ deadListeners: left });
    };
  }

  #add(patterns: readonly string[], handler: AnyHandler, options: HandlerOptions = {}): () => void {
    const pattern = patterns.join(",");
    const { kinds: known, routes } = this.handlers;
    checkHandlerOptions(options, pattern);
    const { except = [], attempts, target, tx = false } = options;
    if (tx) this.#checkTx(pattern);
    const declared = (text: string) =>
      text === UNKNOWN ? known.filter((kind) => !isEventKind(kind)) : [];
    for (const left of except) checkKindPattern(left, known);
    checkFunction(handler, `the handler for ${pattern}`, "pass (event, context) => …");
    const taken = new Set(routes.map(({ named }) => named.name));
    const name = options.name ?? this.#nextName(pattern, taken);
    if (taken.has(name)) {
      throw invalidOption(
        `expected handlers to have different names, got ${JSON.stringify(name)} twice: give one another name`,
      );
    }
    const route: Route = {
      matches: kindTest(patterns, except, known),
      pattern,
      patterns: patterns.map((pattern) => kindsWithout(pattern, [...declared(pattern), ...except])),
      named: {
        name,
        handler: handler as Handler<never>,
        ...(attempts !== undefined && { attempts }),
        ...(target !== undefined && { target }),
        ...(tx && { tx }),
      },
    };
    this.handlers = this.handlers.with({ routes: [...routes, route] });
    return () => {
      const left = this.handlers.routes.filter((other) => other !== route);
      this.handlers = this.handlers.with({ routes: left });
    };
  }

  /**
   * The pattern, with the number of its handler from the second on. A name that a removed handler
   * left is used again.
   */
  #nextName(pattern: string, taken: ReadonlySet<string>): string {
    const same = this.handlers.routes.filter((route) => route.pattern === pattern);
    const left = same.map((_, index) => (index === 0 ? pattern : `${pattern}#${index + 1}`));
    const fresh = same.length === 0 ? pattern : `${pattern}#${same.length + 1}`;
    return taken.has(fresh) ? (left.find((name) => !taken.has(name)) ?? fresh) : fresh;
  }
}
