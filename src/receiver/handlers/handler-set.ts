import { ConfigurationError, describeError } from "../../base/errors.ts";
import { isPromiseLike } from "../../base/guards.ts";
import { detach } from "../../base/try-or.ts";
import type { DeadLetter, NamedHandler } from "../../dispatch/plan/handler.ts";
import type { TargetOptions } from "../../dispatch/plan/target.ts";
import type { WebhookEvent } from "../../event/event.ts";
import { matchesKind } from "../../event/kind-pattern.ts";
import { eventKinds } from "../../event/kinds.ts";
import type { DataSchemas } from "../../event/schemas.ts";
import { UNKNOWN } from "../../inbox/runner.ts";

/** A handler, and the patterns and kinds that it is for. */
export interface Route {
  readonly matches: (kind: string) => boolean;
  readonly pattern: string;
  /** As other processes read them. */
  readonly patterns: readonly string[];
  readonly named: NamedHandler;
}

/** Whether a kind is among the patterns, and not among the exceptions. */
export function kindTest(
  patterns: readonly string[],
  except: readonly string[],
  known: readonly string[],
): Route["matches"] {
  const isUnknown = patterns.includes(UNKNOWN);
  return (kind) => {
    const isWanted = isUnknown
      ? !known.includes(kind)
      : patterns.some((pattern) => matchesKind(pattern, kind));
    return isWanted && !except.some((pattern) => matchesKind(pattern, kind));
  };
}

type DeadListener = (letter: DeadLetter) => unknown;

interface HandlerSetParts {
  readonly kinds: readonly string[];
  readonly schemas: DataSchemas;
  readonly routes: readonly Route[];
  readonly deadListeners: readonly DeadListener[];
}

/**
 * The handlers of a receiver at one moment, with the kinds and schemas of their events. It never
 * changes: a receiver gets another one.
 */
export class HandlerSet implements HandlerSetParts {
  /** The 12 kinds, and those that were declared. */
  readonly kinds: readonly string[];
  /** The user's own schemas, by kind. */
  readonly schemas: DataSchemas;
  readonly routes: readonly Route[];
  readonly deadListeners: readonly DeadListener[];

  /** Default: the 12 kinds, and nothing else. */
  constructor({
    kinds = eventKinds,
    schemas = {},
    routes = [],
    deadListeners = [],
  }: Partial<HandlerSetParts> = {}) {
    this.kinds = kinds;
    this.schemas = schemas;
    this.routes = routes;
    this.deadListeners = deadListeners;
  }

  /** The same with some parts replaced. */
  with(parts: Partial<HandlerSetParts>): HandlerSet {
    return new HandlerSet({ ...this, ...parts });
  }

  /**
   * The handlers that fit a kind, and take the event if it is given, in the order they were
   * registered.
   */
  match(kind: string, event?: WebhookEvent): readonly NamedHandler[] {
    const fitting: NamedHandler[] = [];
    for (const { matches, named } of this.routes) {
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
    return [...new Set(this.routes.flatMap(({ patterns }) => patterns))];
  }

  get targets(): readonly TargetOptions[] {
    return this.routes.flatMap(({ named: { target } }) => target ?? []);
  }

  /** Whether a handler runs in a transaction of the inbox. */
  get hasTransactions(): boolean {
    return this.routes.some(({ named }) => named.tx === true);
  }
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
