import { matchesKind } from "../event/kind-pattern.ts";
import { isEventKind } from "../event/kinds.ts";

/**
 * What a process does with an inbox by itself: `receive` only keeps deliveries, `run` runs entries, `both` does both. All
 * accept deliveries.
 */
export type Role = "both" | "receive" | "run";

/** A process that receives or runs entries, as it registers with an inbox. */
export interface Runner {
  /** Random, new at each start. The tokens of its leases start with it and a dot. */
  readonly id: string;
  /** The version of hookporter. */
  readonly version: string;
  /** What it does with the inbox. */
  readonly role: Role;
  /** The sources whose entries it receives and runs. */
  readonly sources: readonly string[];
  /**
   * What it has handlers for: kinds, patterns, and `unknown` for kinds beyond the twelve. After `except` come those that a
   * handler leaves out, as in `* except lead.* payment.received`.
   */
  readonly kinds: readonly string[];
}

/** Separates a pattern from what it leaves out; kinds have no spaces. */
const EXCEPT = " except ";

/** What a handler is for, as {@link Runner.kinds} has it. */
export function kindsWithout(pattern: string, except: readonly string[]): string {
  return except.length === 0 ? pattern : `${pattern}${EXCEPT}${except.join(" ")}`;
}

/** The pattern of one of {@link Runner.kinds}, with all that it leaves out. */
export function patternOf(kinds: string): string {
  return kinds.split(EXCEPT, 1)[0] ?? kinds;
}

export function runsKind({ role, sources, kinds }: Runner, source: string, kind: string): boolean {
  if (role === "receive" || !sources.includes(source)) return false;
  return kinds.some((one) => {
    const [pattern = "", left] = one.split(EXCEPT, 2);
    const matches = pattern === UNKNOWN ? !isEventKind(kind) : matchesKind(pattern, kind);
    return matches && left?.split(" ").some((except) => matchesKind(except, kind)) !== true;
  });
}

/** Stands for all kinds beyond the twelve. */
export const UNKNOWN = "unknown";

/** The reason of an entry that waits for a process with a handler for it, and of one that ended because there was none. */
export const NO_HANDLER = "no_handler";

/** The same, for an entry that ends as unhandled if no such process has come by the time it is due. */
export const AWAITS_HANDLER = "awaits_handler";

/** Whether an entry waits for a process with a handler for it. */
export function awaitsHandler(reason: string | null): boolean {
  return reason === NO_HANDLER || reason === AWAITS_HANDLER;
}
