import type { WebhookEvent } from "../../event/event.ts";
import type { ClaimedEntry } from "../../inbox/claim.ts";

/** What a handler sends to. Entries wait for it in order of arrival while it does not answer. */
export interface TargetOptions {
  /**
   * Its name, such as its URL without credentials: the same after a restart. Handlers of one name
   * share a target.
   */
  readonly name: string;
  /** Milliseconds that an entry may wait for it; then it is given up on. Default: no limit. */
  readonly maxWait?: number | undefined;
  /**
   * Once it answers again, run all entries that waited in parallel, in any order. Default `false`.
   */
  readonly unordered?: boolean | undefined;
  /**
   * Whether it takes an event; the handler does not run for others, and one that no handler takes
   * ends as received. Called at each attempt. Default: it takes all.
   */
  readonly takes?: ((event: WebhookEvent) => boolean) | undefined;
}

/**
 * What a run says about its target. `took`: it succeeded. `answered`: it failed, but the target is
 * there. `perhaps`: the target may be away, or only this entry cannot be delivered, as after a
 * time-out. `away`: nothing answers there.
 */
export type TargetEnd = "took" | "answered" | "perhaps" | "away";

/** What an error that a handler with a target throws may say. */
export interface TargetFailure {
  /**
   * Whether the target is away: `true`, or `"perhaps"` if it may be this entry's fault. Default: it
   * answered.
   */
  readonly away?: true | "perhaps";
  /** That another attempt is hopeless: the target is not tried again for this entry. */
  readonly final?: true;
  /** Milliseconds to wait before the target is tried again. */
  readonly retryAfter?: number | undefined;
}

/** Decides which entries are tried now, and which wait for their turn. */
export interface TargetGate {
  /** Whether an entry has to wait for its turn. */
  holds(target: TargetOptions, entry: ClaimedEntry): boolean;
  /** Call it for an entry that will be stored as waiting for its turn. */
  hold(target: TargetOptions, entry: ClaimedEntry): void;
  /**
   * Whether the target's last failure was the same, such as the same status; remembers this one.
   */
  repeats(target: TargetOptions, failure: string | null): boolean;
  /** Call it when an entry was tried, in its turn or not. */
  tried(
    target: TargetOptions,
    entry: ClaimedEntry,
    end: TargetEnd,
    asked: number | undefined,
  ): void;
}

/** An entry's turn at a target: only that target is tried. */
export interface Turn {
  readonly target: string;
  /** What the run said about the target; `undefined` if it was not tried. */
  end: TargetEnd | undefined;
  /** Milliseconds that the target asked to wait. */
  asked: number | undefined;
}
