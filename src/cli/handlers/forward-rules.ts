import { shownUrl } from "../../base/text/shown-url.ts";
import type { WebhookEvent } from "../../event/event.ts";
import { matchesKind } from "../../event/kind-pattern.ts";
import type { AttemptRecord } from "../../inbox/attempt-record.ts";
import type { HandlerRegistry } from "../../receiver/handlers/router.ts";
import { type ForwardOptions, forwardTo } from "../../relay/forward.ts";
import { narrow } from "./only-kinds.ts";

/**
 * One `--forward-to`: a target for the kinds of a pattern, or for every kind that no pattern
 * matches.
 */
export interface ForwardRule {
  readonly pattern: string | null;
  readonly target: URL;
}

/** How events are forwarded, and when an event is given up on. */
export interface Forwarding extends ForwardOptions {
  /** The attempts that each event gets at a target. Default: no limit. */
  readonly attempts?: number | undefined;
  /** Milliseconds that an event may wait for a target. Default: no limit. */
  readonly maxWait?: number | undefined;
  /** Which events are forwarded at all. Default: all. */
  readonly takes?: ((event: WebhookEvent) => boolean) | undefined;
}

/**
 * Registers each target as a separate handler, so that a target that has taken an event does not
 * get it again when another fails. A target gets an event once, even if several of its patterns
 * match.
 */
export function registerForwards(
  registry: HandlerRegistry,
  rules: readonly ForwardRule[],
  { attempts, maxWait, takes, ...options }: Forwarding,
): void {
  const registered: ForwardRule[] = [];
  for (const { pattern, target } of rules) {
    const same = registered.filter((other) => other.target.href === target.href);
    if (same.some((other) => other.pattern === pattern || contains(other.pattern, pattern)))
      continue;
    const exceptPatterns = pattern === null ? patternsOf(rules) : patternsOf(same);
    const count = registered.filter(
      (other) => nameOf(other) === nameOf({ pattern, target }),
    ).length;
    const name = nameOf({ pattern, target }) + (count === 0 ? "" : `#${count + 1}`);
    const waitedFor = { name: targetName(target, rules), maxWait, takes };
    const limits = attempts === undefined ? {} : { attempts };
    const settings = { name, except: exceptPatterns, ...limits, target: waitedFor };
    registry.on((pattern ?? "*") as "*", forwardTo(target, options), settings);
    registered.push({ pattern, target });
  }
}

/** The kinds and families that are forwarded to any target, given the rules and `--events`. */
export function forwardedKinds(
  rules: readonly ForwardRule[],
  wanted: readonly string[],
): readonly string[] {
  return rules.some(({ pattern }) => pattern === null)
    ? wanted
    : patternsOf(rules).flatMap((pattern) => narrow(pattern, wanted));
}

/**
 * The name under which entries wait for a target: its address without the query, which may hold a
 * credential. Targets that differ in the query alone are numbered.
 */
export function targetName(target: URL, rules: readonly ForwardRule[] = []): string {
  const address = addressOf(target);
  const similar = [...new Set(rules.map((rule) => rule.target))].filter(
    (url) => addressOf(url) === address,
  );
  const index = [...new Set(similar.map(({ href }) => href))].indexOf(target.href);
  return index > 0 ? `${address}#${index + 1}` : address;
}

function addressOf({ origin, pathname }: URL): string {
  return `${origin}${pathname}`;
}

export function describeRule({ pattern, target }: ForwardRule): string {
  const url = shownUrl(target);
  return pattern === null ? url : `${url} (${pattern})`;
}

/** Whether a run is a forward that no target answered; an answer would be in its note. */
export function isUnanswered({ handler, outcome, note }: AttemptRecord): boolean {
  return handler.startsWith(HANDLER_NAME_PREFIX) && outcome !== "ok" && note === null;
}

/**
 * The target of a forward, by its handler's name, without its number; `undefined` for another
 * handler.
 */
export function targetOfForward(handler: string): string | undefined {
  return new RegExp(`^${HANDLER_NAME_PREFIX}(?:\\S+ )?to (\\S+?)(?:#\\d+)?$`).exec(handler)?.[1];
}

/** The beginning of every forward's name. */
const HANDLER_NAME_PREFIX = "forward ";

/** Named after its target, not its position, so that reordered rules keep their own results. */
function nameOf({ pattern, target }: ForwardRule): string {
  return `${HANDLER_NAME_PREFIX}${pattern === null ? "" : `${pattern} `}to ${addressOf(target)}`;
}

function contains(outer: string | null, inner: string | null): boolean {
  return outer !== null && inner !== null && matchesKind(outer, inner);
}

function patternsOf(rules: readonly ForwardRule[]): readonly string[] {
  return rules.flatMap(({ pattern }) => pattern ?? []);
}
