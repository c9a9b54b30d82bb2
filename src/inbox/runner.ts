import type { CallPlace } from "../base/call-place.ts";
import { VERSION } from "../base/package/version.ts";
import { matchesKind } from "../event/kind-pattern.ts";
import { isEventKind } from "../event/kinds.ts";
import type { EntryFilter } from "./entry-filter.ts";

/**
 * What a process does with an inbox by itself: `receive` only keeps deliveries, `run` runs entries,
 * `both` does both. All accept deliveries.
 */
export type Role = "both" | "receive" | "run";

/** A receiver, as the others of its process meet it on the inbox that they share. */
export interface LocalReceiver {
  readonly source: string;
  /** Whether it runs entries. */
  readonly runs: boolean;
  /** Where it was created. */
  readonly place: CallPlace | undefined;
  /** Not once it is being closed. */
  readonly isLive: boolean;
  /** Closes it, since another takes its place: no sooner than it is started. Never throws. */
  replace(): void;
}

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

/** One of {@link Runner.kinds}, read. */
interface HandledKinds {
  /** A kind, a family, `*` or `unknown`. */
  readonly pattern: string;
  /** What is left out. */
  readonly except: readonly string[];
  /** The only source that it is for. Default: all of the runner's. */
  readonly source: string | undefined;
}

function readKinds(text: string): HandledKinds {
  const [what = "", source] = text.split(OF_SOURCE, 2);
  const [pattern = "", except] = what.split(EXCEPT, 2);
  return { pattern, except: except?.split(" ") ?? [], source };
}

/** What a runner has handlers for, of one of its sources. */
function handledOf({ role, sources, kinds }: Runner, source: string): readonly HandledKinds[] {
  if (role === "receive" || !sources.includes(source)) return [];
  return kinds.map(readKinds).filter(({ source: only = source }) => only === source);
}

export function runsKind(runner: Runner, source: string, kind: string): boolean {
  return handledOf(runner, source).some(({ pattern, except }) => {
    const matches = pattern === UNKNOWN ? !isEventKind(kind) : matchesKind(pattern, kind);
    return matches && !except.some((left) => matchesKind(left, kind));
  });
}

/**
 * The entries that a process has a handler for, one filter for each source. What a handler leaves
 * out is among them, and kinds beyond the twelve have no pattern, so that all are.
 */
export function handledBy(runner: Runner): readonly HandledEntries[] {
  return runner.sources.flatMap((source) => {
    const kinds = handledOf(runner, source).map(({ pattern }) => pattern);
    if (kinds.length === 0) return [];
    return kinds.includes(UNKNOWN) ? { sources: [source] } : { sources: [source], kinds };
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
