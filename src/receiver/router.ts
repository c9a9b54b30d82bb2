import type { DeadLetter, Handler, NamedHandler } from "../dispatch/handler.ts";
import type { TargetOptions } from "../dispatch/target.ts";
import { ConfigurationError } from "../errors.ts";
import { checkKindPattern, matchesKind } from "../event/kind-pattern.ts";
import { eventKinds } from "../event/kinds.ts";
import {
  aBoolean,
  aNumber,
  type Check,
  checkedElsewhere,
  checkFunction,
  checkOptions,
  invalid,
  nonEmptyString,
  wholeNumber,
} from "../options/check-options.ts";
import type { EventsByPattern, KindPattern, Member } from "./handler-types.ts";

/** Settings of one handler. */
export interface HandlerOptions {
  /**
   * The name its runs are recorded under; unique per receiver. Default: the pattern and a counter, so give one when
   * handlers of the same pattern may change their order between versions.
   */
  readonly name?: string;
  /** Kinds and families that this handler ignores. Default: none. */
  readonly except?: readonly string[];
  /**
   * The number of attempts, including the first, if it should be lower than in the receiver's `retry`; `Infinity` for no
   * limit of its own. If other handlers of the entry have attempts left, the entry continues without this one, and is a dead
   * letter at the end.
   */
  readonly attempts?: number;
  /**
   * What the handler sends to, if entries are to wait for it in order of arrival while it does not answer: its name and
   * limits. The handler says so with an error that has `away: true`, or `away: "perhaps"` if it may be this event's fault,
   * as after a time-out; with `final: true` the event is a dead letter at once. Default: none.
   */
  readonly target?: TargetOptions;
}

/** Where handlers are registered: a receiver, or the registry a handlers module is given. */
export interface HandlerRegistry<Schemas = object, OtherKinds extends string = never> {
  /**
   * Runs a handler for each event of a kind, of a family (`payment.*`), of all kinds (`*`), or of a list of these. If
   * several handlers match an event, all run, in the order they were registered, and each is retried on its own.
   *
   * @throws ConfigurationError `option_invalid` for a pattern, also in `except`, that matches no known kind
   */
  on<const Pattern extends KindPattern<OtherKinds>>(
    pattern: Pattern | readonly Pattern[],
    handler: Handler<Member<EventsByPattern<Schemas, OtherKinds>, Pattern>>,
    options?: HandlerOptions,
  ): void;
  /** Runs a handler for each event whose kind is neither one of the 12 nor declared in `otherKinds`. */
  onUnknown(handler: Handler, options?: HandlerOptions): void;
  /** Called when an entry becomes a dead letter; told once, not retried. */
  onDead(listener: (letter: DeadLetter) => unknown): void;
  /** Only a type: a registry with schemas and other kinds can stand for one with fewer, but not for one with more. */
  readonly "~types"?: ((otherKinds: OtherKinds) => Schemas) | undefined;
}

/** Handlers by kind. */
export class Router<Schemas = object, OtherKinds extends string = never>
  implements HandlerRegistry<Schemas, OtherKinds>
{
  readonly #known: readonly string[];
  readonly #routes: { readonly matches: (kind: string) => boolean; readonly named: NamedHandler }[] = [];
  readonly #counters = new Map<string, number>();
  readonly #patterns = new Set<string>();
  readonly #deadListeners: ((letter: DeadLetter) => unknown)[] = [];

  /** @param known - the kinds that are not unknown. Default: the 12. */
  constructor(known: readonly string[] = eventKinds) {
    this.#known = known;
  }

  on(pattern: string | readonly string[], handler: Handler<never>, options?: HandlerOptions): void {
    const patterns = Array.isArray(pattern) ? [...new Set<string>(pattern)] : [pattern as string];
    if (patterns.length === 0) throw invalid("at least one kind", pattern, "name one");
    for (const one of patterns) checkKindPattern(one, this.#known);
    this.#add(patterns, (kind) => patterns.some((one) => matchesKind(one, kind)), handler, options);
  }

  onUnknown(handler: Handler, options?: HandlerOptions): void {
    this.#add(["unknown"], (kind) => !this.#known.includes(kind), handler, options);
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
    return [...this.#patterns];
  }

  /** The targets of all handlers. */
  get targets(): readonly TargetOptions[] {
    return this.#routes.flatMap(({ named: { target } }) => target ?? []);
  }

  /** Whether there is no handler for anything. */
  get isEmpty(): boolean {
    return this.#routes.length === 0;
  }

  /** The listeners for dead letters. */
  get deadListeners(): readonly ((letter: DeadLetter) => unknown)[] {
    return this.#deadListeners;
  }

  #add(
    patterns: readonly string[],
    matches: (kind: string) => boolean,
    handler: Handler<never>,
    options: HandlerOptions = {},
  ): void {
    const pattern = patterns.join(",");
    checkOptions(options, `the options of the handler for ${pattern}`, CHECKS);
    const { except = [], attempts, target } = options;
    if (target !== undefined) checkTarget(target, pattern);
    for (const left of except) checkKindPattern(left, this.#known);
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
    for (const one of patterns) this.#patterns.add(one);
    this.#routes.push({
      matches: wanted,
      named: {
        ...{ name, handler },
        ...(attempts !== undefined && { attempts }),
        ...(target !== undefined && { target }),
      },
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
  target: checkedElsewhere,
};

/** The check of every option of a target. */
const TARGET_CHECKS: Readonly<Record<keyof TargetOptions, Check>> = {
  name: checkedElsewhere,
  maxWait: wholeNumber("milliseconds", 1),
  unordered: aBoolean,
};

function checkTarget(target: TargetOptions, pattern: string): void {
  checkOptions(target, `the target of the handler for ${pattern}`, TARGET_CHECKS, "target.");
  nonEmptyString("name the target, such as its URL")(target.name, "target.name");
}
