import { matchesKind } from "../../event/kind-pattern.ts";
import type { AttemptRecord } from "../../inbox/attempt-record.ts";
import type { HandlerRegistry } from "../../receiver/router.ts";
import { type ForwardOptions, forwardTo } from "../../relay/forward.ts";
import { shownUrl } from "../../shown-url.ts";
import { narrow } from "./only-kinds.ts";

/** One `--forward-to`: a target for the kinds of a pattern, or for every kind that no pattern matches. */
export interface ForwardRule {
  readonly pattern: string | null;
  readonly target: URL;
}

/**
 * Registers each target as a separate handler, so that a target that has taken an event does not get it again when another
 * fails. A target gets an event once, even if several of its patterns match.
 */
export function registerForwards(
  registry: HandlerRegistry,
  rules: readonly ForwardRule[],
  options: ForwardOptions,
): void {
  const registered: ForwardRule[] = [];
  for (const { pattern, target } of rules) {
    const same = registered.filter((other) => other.target.href === target.href);
    if (same.some((other) => other.pattern === pattern || takes(other.pattern, pattern))) continue;
    const left = pattern === null ? patternsOf(rules) : patternsOf(same);
    const count = registered.filter((other) => nameOf(other) === nameOf({ pattern, target })).length;
    const name = nameOf({ pattern, target }) + (count === 0 ? "" : `#${count + 1}`);
    registry.on((pattern ?? "*") as "*", forwardTo(target, options), { name, except: left });
    registered.push({ pattern, target });
  }
}

/** The kinds and families that are forwarded to any target, given the rules and `--events`. */
export function forwardedKinds(rules: readonly ForwardRule[], wanted: readonly string[]): readonly string[] {
  return rules.some(({ pattern }) => pattern === null)
    ? wanted
    : patternsOf(rules).flatMap((pattern) => narrow(pattern, wanted));
}

/** A rule in words. */
export function describeRule({ pattern, target }: ForwardRule): string {
  const url = shownUrl(target);
  return pattern === null ? url : `${url} (${pattern})`;
}

/** Whether a run is a forward that no target answered; an answer would be in its note. */
export function isUnanswered({ handler, outcome, note }: AttemptRecord): boolean {
  return handler.startsWith(NAME) && outcome !== "ok" && note === null;
}

/** The beginning of every forward's name. */
const NAME = "forward ";

/** Named after its target, not its position, so that reordered rules keep their own results. */
function nameOf({ pattern, target }: ForwardRule): string {
  return `${NAME}${pattern === null ? "" : `${pattern} `}to ${target.origin}${target.pathname}`;
}

function takes(outer: string | null, inner: string | null): boolean {
  return outer !== null && inner !== null && matchesKind(outer, inner);
}

function patternsOf(rules: readonly ForwardRule[]): readonly string[] {
  return rules.flatMap(({ pattern }) => pattern ?? []);
}
