import { randomUUID } from "node:crypto";
import type { Delivery } from "../event/delivery.ts";
import type { Entry } from "./entry.ts";
import type { PauseOf } from "./pause.ts";
import type { TargetWait } from "./target-wait.ts";

/** What to claim. All times are milliseconds. */
export interface ClaimRequest {
  readonly now: number;
  readonly limit: number;
  readonly leaseTime: number;
  /**
   * How many due entries to claim beyond `limit`, to run soon. First attempts only: an entry that
   * may kill the process must not use up attempts of entries that were only queued behind it.
   * Default 0.
   */
  readonly ahead?: number;
  /**
   * Entries that are running here already: not claimed, even after their lease has ended. Default
   * none.
   */
  readonly except?: readonly number[];
  /**
   * The furthest ahead of `now` that an entry can be due. One due later was dated by a clock that
   * has since been set back, and counts as due. Default: no limit.
   */
  readonly horizon?: number;
  /** Whether a dead letter holds back the later entries of its order key. Default `false`. */
  readonly deadBlocks?: boolean;
  /** Claims this entry only, due or not, unless it is leased or held back. */
  readonly only?: number;
  /**
   * Claims only entries that wait for this target, due or not, in order of arrival: those with a
   * higher number than `after`, unless they are leased or held back.
   */
  readonly waitingFor?: { readonly target: string; readonly after: number };
  /** Only entries of these sources. Default all. */
  readonly sources?: readonly string[];
  /**
   * Exact kinds that are left to other processes; {@link only} and {@link waitingFor} ignore it.
   * Default none.
   */
  readonly exceptKinds?: readonly string[];
  /**
   * The id under which this process is registered: lease tokens start with it. Default: not
   * registered.
   */
  readonly runner?: string;
}

/** What `Inbox.nextRunAt` looks at; see {@link ClaimRequest}. */
export type DueRequest = Pick<ClaimRequest, "except" | "deadBlocks" | "sources" | "exceptKinds">;

/** An entry that this process has leased, with all that is needed to run it. */
export interface ClaimedEntry
  extends Pick<Entry, "seq" | "key" | "kind" | "orderKey" | "finishedHandlers"> {
  /**
   * Why its delivery could not be read, if the store is damaged there. The delivery is then empty.
   */
  readonly unreadable?: string | undefined;
  /** The lease's token. A settlement without the current token is refused. */
  readonly lease: string;
  /** When the lease ends. */
  readonly runAt: number;
  /** Which attempt it is, from 1. */
  readonly attempts: number;
  /** As in {@link Entry}. Default none. */
  readonly waits?: readonly TargetWait[];
  /** Why it waited until now, as a stable code. Default: for no particular reason. */
  readonly reason?: string | null;
  /** When it was due before it was claimed. Default: at its arrival. */
  readonly dueAt?: number;
  /** The handlers and targets that are paused now. Default none. */
  readonly paused?: readonly PauseOf[];
  readonly delivery: Delivery;
}

/** The exclusive right to run an entry for a time. */
export interface Lease {
  /** Starts with the id of the `Runner` that holds it and a dot, if the process is registered. */
  readonly token: string;
  /** When it ends, in milliseconds since 1970. */
  readonly until: number;
}

/** Of this thread: 32 random bits, enough to tell it from the other threads of its process. */
const THREAD = randomUUID().slice(0, 8);

let tokens = 0;

/**
 * A token for a new lease; it starts with the id of the process that holds it, if that process is
 * registered.
 */
export function leaseToken(runner: string | undefined): string {
  if (runner === undefined) return randomUUID();
  tokens++;
  return `${runner}.${THREAD}-${tokens}`;
}
