import type { Plan } from "../../dispatch/plan/handler.ts";
import type { ClaimedEntry } from "../../inbox/claim.ts";
import { AWAITS_HANDLER, NO_HANDLER, type Runner, runsKind } from "../../inbox/runner.ts";
import type { Settings } from "../options/settings.ts";
import type { ReceiverState } from "../state.ts";
import { OtherProcesses } from "./other-processes.ts";

/**
 * For an entry without a handler that is not given up: it is looked at again after these
 * milliseconds.
 */
const LATER: Plan = { type: "wait", ms: 10_000, reason: NO_HANDLER };

/** The most kinds of a source that are left to other processes without being claimed. */
const MAX_KINDS = 100;

interface Here {
  /** The id of its registration. */
  readonly id: string;
  /** When this process started to run entries. */
  readonly startedAt: () => number;
}

/**
 * Decides what becomes of entries that have no handler here. While another registered process has
 * one, they are left to it: claimed once, given back, and their kind is not claimed again.
 */
export class MissingHandlers {
  readonly #settings: Pick<Settings, "clock" | "role" | "unhandledAfter">;
  readonly #state: Pick<ReceiverState, "inbox" | "router">;
  readonly #here: Here;
  readonly #others: OtherProcesses;
  /** By source and stored kind: the kind that is left to another process. */
  readonly #left = new Map<string, Map<string, string>>();

  constructor(
    settings: Pick<Settings, "clock" | "role" | "unhandledAfter">,
    state: Pick<ReceiverState, "inbox" | "router">,
    here: Here,
  ) {
    this.#settings = settings;
    this.#state = state;
    this.#here = here;
    this.#others = new OtherProcesses(state.inbox, here.id);
  }

  async plan(entry: ClaimedEntry, kind: string): Promise<Plan> {
    const { source } = entry.key;
    let others: readonly Runner[];
    try {
      others = await this.#others.now();
    } catch {
      return LATER;
    }
    if (others.some((other) => runsKind(other, source, kind))) return this.#leave(entry, kind);
    return this.#withoutOthers(entry, !others.some(({ sources }) => sources.includes(source)));
  }

  #leave(entry: ClaimedEntry, kind: string): Plan {
    const { source } = entry.key;
    // This process takes other events of the kind, so it goes on claiming the kind.
    if (this.#state.router.handlers.match(kind).length > 0) return LATER;
    const kinds = this.#left.get(source) ?? new Map<string, string>();
    // With too many kinds, this one is claimed again, but not at once.
    if (kinds.size >= MAX_KINDS && !kinds.has(entry.kind ?? kind)) return LATER;
    this.#left.set(source, kinds.set(entry.kind ?? kind, kind));
    return { type: "leave" };
  }

  #withoutOthers(entry: ClaimedEntry, isAlone: boolean): Plan {
    const { role, unhandledAfter } = this.#settings;
    // An entry that was attempted before has, or had, handlers in another process: do not give up
    // its retry here.
    if (entry.attempts > 1 || this.#isFromBefore(entry)) return LATER;
    const isPatient = !isAlone || role === "receive";
    if (!isPatient || this.#hasWaited(entry))
      return { type: "end", state: "received", reason: NO_HANDLER };
    return { type: "wait", ms: unhandledAfter, reason: AWAITS_HANDLER };
  }

  /** A receiver without handlers only watches: earlier entries belong to another process. */
  #isFromBefore({ delivery }: ClaimedEntry): boolean {
    return (
      this.#state.router.handlers.routes.length === 0 &&
      delivery.receivedAt < this.#here.startedAt()
    );
  }

  /** Whether it was due again after it waited for a handler, rather than claimed sooner. */
  #hasWaited({ reason, dueAt }: ClaimedEntry): boolean {
    const { clock, unhandledAfter } = this.#settings;
    const { inbox } = this.#state;
    if (unhandledAfter === 0) return true;
    return reason === AWAITS_HANDLER && dueAt !== undefined && dueAt <= (inbox.now ?? clock());
  }

  /** The kinds of a source that are left to other processes, as the inbox stores them. */
  async leftKinds(source: string): Promise<readonly string[]> {
    const kinds = this.#left.get(source);
    if (kinds === undefined) return [];
    const others = await this.#others.recent();
    for (const [stored, kind] of kinds) {
      const hasHandler = this.#state.router.handlers.match(kind).length > 0;
      if (hasHandler || !others.some((other) => runsKind(other, source, kind)))
        kinds.delete(stored);
    }
    if (kinds.size === 0) this.#left.delete(source);
    return [...kinds.keys()];
  }
}
