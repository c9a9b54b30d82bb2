import { matchesKind } from "../event/kind-pattern.ts";
import { isEventKind } from "../event/kinds.ts";
import { VERSION } from "../package/version.ts";
import type { EntryFilter } from "./entry-filter.ts";

/**
 * What a process does with an inbox by itself: `receive` only keeps deliveries, `run` runs entries,
 * `both` does both. All accept deliveries.
 */
export type Role = "both" | "receive" | "run";

/** A receiver, or a process with all of its receivers, as it registers with an inbox. */
export interface Runner {
  /** Random, new in each process. The tokens of its leases start with it and a dot. */
  readonly id: string;
  /** The version of hookporter. */
  readonly version: string;
  /** What it does with the inbox. */
  readonly role: Role;
  /** The sources whose entries it receives and runs. */
  readonly sources: readonly string[];
  /**
   * What it has handlers for: kinds, patterns, and `unknown` for kinds beyond the twelve. After
   * `except` come those that a handler leaves out, as in `* except lead.* payment.received`; after
   * a tab, the only source that they are for.
   */
  readonly kinds: readonly string[];
  /** When it registered. Not known of one that is about to. */
  readonly since?: number;
}

/** Separates a pattern from what it leaves out; kinds have no spaces. */
const EXCEPT = " except ";

/** Separates them from the only source that they are for. */
const OF_SOURCE = "\t";

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
  return kinds.some((text) => {
    const end = text.indexOf(OF_SOURCE);
    const what = end < 0 ? text : text.slice(0, end);
    if (end >= 0 && text.slice(end + 1) !== source) return false;
    const [pattern = "", excludedKinds] = what.split(EXCEPT, 2);
    const matches = pattern === UNKNOWN ? !isEventKind(kind) : matchesKind(pattern, kind);
    return (
      matches && excludedKinds?.split(" ").some((except) => matchesKind(except, kind)) !== true
    );
  });
}

/**
 * The entries that a process has a handler for, one filter for each source. What a handler leaves
 * out is among them, and kinds beyond the twelve have no pattern, so that all are.
 */
export function handledBy({ role, sources, kinds }: Runner): readonly HandledEntries[] {
  if (role === "receive") return [];
  return sources.flatMap((source) => {
    const patterns = kinds.flatMap((text) => {
      const [what = "", only = source] = text.split(OF_SOURCE, 2);
      return only === source ? patternOf(what) : [];
    });
    if (patterns.length === 0) return [];
    return patterns.includes(UNKNOWN)
      ? { sources: [source] }
      : { sources: [source], kinds: patterns };
  });
}

export type HandledEntries = Pick<EntryFilter, "sources" | "kinds">;

/**
 * The record of a process whose receivers these are. If they do not all run the same kinds, each
 * kind is followed by the source that it is for.
 */
export function mergedRunner(id: string, runners: readonly Runner[]): Runner {
  const running = runners.filter(({ role }) => role !== "receive");
  const isPlain =
    runners.length === running.length &&
    distinct(running.map(({ kinds }) => JSON.stringify([...kinds].sort()))).length === 1;
  const role =
    running.length === 0 ? "receive" : runners.every(({ role }) => role === "run") ? "run" : "both";
  const kinds = running.flatMap(({ kinds, sources }) =>
    isPlain
      ? kinds
      : sources.flatMap((source) => kinds.map((kind) => `${kind}${OF_SOURCE}${source}`)),
  );
  const sources = distinct(runners.flatMap((runner) => runner.sources));
  return { id, version: VERSION, role, sources, kinds: distinct(kinds) };
}

function distinct(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)];
}

/** Stands for all kinds beyond the twelve. */
export const UNKNOWN = "unknown";

/**
 * The reason of an entry that waits for a process with a handler for it, and of one that ended
 * because there was none.
 */
export const NO_HANDLER = "no_handler";

/**
 * The same, but an entry that falls due without such a process ends as `received`.
 */
export const AWAITS_HANDLER = "awaits_handler";

/** Whether an entry waits for a process with a handler for it. */
export function awaitsHandler(reason: string | null): boolean {
  return reason === NO_HANDLER || reason === AWAITS_HANDLER;
}
