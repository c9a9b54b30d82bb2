import { detach } from "../../base/detach.ts";
import { isPromiseLike } from "../../base/is-promise-like.ts";
import type {
  AnyHandler,
  DeadLetter,
  Handler,
  NamedHandler,
  TransactionHandler,
} from "../../dispatch/handler.ts";
import type { TargetOptions } from "../../dispatch/targets/target.ts";
import { ConfigurationError, describeError } from "../../errors.ts";
import type { WebhookEvent } from "../../event/event.ts";
import { checkKindPattern, matchesKind } from "../../event/kind-pattern.ts";
import { eventKinds, isEventKind } from "../../event/kinds.ts";
import { kindsWithout, UNKNOWN } from "../../inbox/runner.ts";
import { checkFunction, invalid, invalidOption } from "../../options/check-options.ts";
import { checkHandlerOptions, type HandlerOptions } from "./handler-options.ts";
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

/** A handler, and the patterns and kinds that it is for. */
interface Route {
  readonly matches: (kind: string) => boolean;
  readonly pattern: string;
  /** As other processes read them. */
  readonly patterns: readonly string[];
  readonly named: NamedHandler;
}

/**
 * A handler, if its target takes the event. If that cannot be found out, the handler fails instead:
 * it runs again later, and the other handlers of the event run.
 */
function takenBy(
  named: NamedHandler,
  target: TargetOptions,
  event: WebhookEvent,
): NamedHandler | undefined {
  let failure: Error;
  try {
    const answer: unknown = target.takes?.(event);
    if (!isPromiseLike(answer)) return answer === false ? undefined : named;
    detach(answer);
    failure = isAmbiguous(target, "a promise");
  } catch (cause) {
    failure = isAmbiguous(target, `an error: ${describeError(cause)}`, cause);
  }
  return { ...named, handler: () => Promise.reject(failure) };
}

function isAmbiguous({ name }: TargetOptions, got: string, cause?: unknown): ConfigurationError {
  const message = `expected takes of the target ${JSON.stringify(name)} to return true or false, got ${got}: correct it; the entry runs again later`;
  return new ConfigurationError(
    "option_invalid",
    message,
    cause === undefined ? undefined : { cause },
  );
}

export class Router<Schemas = object, OtherKinds extends string = never>
  implements HandlerRegistry<Schemas, OtherKinds>
{
  readonly #known: readonly string[];
  readonly #routes = new Set<Route>();
  readonly deadListeners = new Set<(letter: DeadLetter) => unknown>();
  readonly #checkTx: (pattern: string) => void;

  /** @param checkTx - refuses a handler with `tx` for a pattern. Default: allows all. */
  constructor(
    known: readonly string[] = eventKinds,
    checkTx: (pattern: string) => void = () => {},
  ) {
    this.#known = known;
    this.#checkTx = checkTx;
  }

  on(
    pattern: string | readonly string[],
    handler: AnyHandler,
    options?: HandlerOptions,
  ): () => void {
    const patterns = Array.isArray(pattern) ? [...new Set<string>(pattern)] : [pattern as string];
    if (patterns.length === 0) throw invalid("at least one kind", pattern, "name one");
    for (const pattern of patterns) checkKindPattern(pattern, this.#known);
    return this.#add(patterns, handler, options);
  }

  onUnknown(handler: AnyHandler, options?: HandlerOptions): () => void {
    return this.#add([UNKNOWN], handler, options);
  }

  onDead(listener: (letter: DeadLetter) => unknown): () => void {
    checkFunction(listener, "the listener of onDead", "pass (letter) => …");
    this.deadListeners.add(listener);
    return () => void this.deadListeners.delete(listener);
  }

  /**
   * The handlers that fit a kind, and take the event if it is given, in the order they were
   * registered.
   */
  match(kind: string, event?: WebhookEvent): readonly NamedHandler[] {
    const fitting: NamedHandler[] = [];
    for (const { matches, named } of this.#routes) {
      if (!matches(kind)) continue;
      const { target } = named;
      // Most take all.
      const taken =
        event === undefined || target?.takes === undefined ? named : takenBy(named, target, event);
      if (taken !== undefined) fitting.push(taken);
    }
    return fitting;
  }

  /** What there are handlers for, as other processes read it: see `Runner.kinds`. */
  get patterns(): readonly string[] {
    return [...new Set([...this.#routes].flatMap(({ patterns }) => patterns))];
  }

  get targets(): readonly TargetOptions[] {
    return [...this.#routes].flatMap(({ named: { target } }) => target ?? []);
  }

  get isEmpty(): boolean {
    return this.#routes.size === 0;
  }

  #add(patterns: readonly string[], handler: AnyHandler, options: HandlerOptions = {}): () => void {
    const pattern = patterns.join(",");
    checkHandlerOptions(options, pattern);
    const { except = [], attempts, target, tx = false } = options;
    if (tx) this.#checkTx(pattern);
    const declared = (text: string) =>
      text === UNKNOWN ? this.#known.filter((kind) => !isEventKind(kind)) : [];
    for (const left of except) checkKindPattern(left, this.#known);
    checkFunction(handler, `the handler for ${pattern}`, "pass (event, context) => …");
    const taken = new Set([...this.#routes].map(({ named }) => named.name));
    const name = options.name ?? this.#nextName(pattern, taken);
    if (taken.has(name)) {
      throw invalidOption(
        `expected handlers to have different names, got ${JSON.stringify(name)} twice: give one another name`,
      );
    }
    const isWanted = patterns.includes(UNKNOWN)
      ? (kind: string) => !this.#known.includes(kind)
      : (kind: string) => patterns.some((pattern) => matchesKind(pattern, kind));
    const route: Route = {
      matches:
        except.length === 0
          ? isWanted
          : (kind) => isWanted(kind) && !except.some((left) => matchesKind(left, kind)),
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
    this.#routes.add(route);
    return () => void this.#routes.delete(route);
  }

  /**
   * The pattern, with the number of its handler from the second on. A name that a removed handler
   * left is used again.
   */
  #nextName(pattern: string, taken: ReadonlySet<string>): string {
    const same = [...this.#routes].filter((route) => route.pattern === pattern);
    const left = same.map((_, index) => (index === 0 ? pattern : `${pattern}#${index + 1}`));
    const fresh = same.length === 0 ? pattern : `${pattern}#${same.length + 1}`;
    return taken.has(fresh) ? (left.find((name) => !taken.has(name)) ?? fresh) : fresh;
  }
}
