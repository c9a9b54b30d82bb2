import type { Entry } from "../../../inbox/entry.ts";
import { hasEnded } from "../../../inbox/entry-state.ts";
import { awaitsHandler } from "../../../inbox/runner.ts";

export interface DrillTally {
  readonly acknowledged: number;
  /**
   * Of these, not in the inbox, or said to be handled although no handler ran: a broken promise.
   */
  readonly lost: number;
  /** Of these, still waiting in the end, and not for a handler. */
  readonly stuck: number;
  /** Of these, given up on. */
  readonly dead: number;
  /**
   * Run again after a kill, since their end could not be recorded before it: handlers have to allow
   * for that.
   */
  readonly runTwice: number;
  /** Run again by the same process: a broken promise. */
  readonly runTwiceAtOnce: number;
}

/**
 * Counts what became of events.
 *
 * @param acknowledged - SHA-256 of their bodies, hex
 * @param ran - the processes in which the handler ran, by event id; `undefined` if the handlers do
 * not tell
 */
export function tally(
  acknowledged: ReadonlySet<string>,
  entries: readonly Entry[],
  ran: ReadonlyMap<string, readonly string[]> | undefined,
): DrillTally {
  const kept = entries.filter(({ bodyHash }) => acknowledged.has(bodyHash));
  const hasRun = ({ key, attempts }: Entry) =>
    ran === undefined ? attempts > 0 : ran.has(key.eventId);
  const runsOf = ({ key, attempts }: Entry) => ran?.get(key.eventId)?.length ?? attempts;
  const isRepeated = (pids: readonly string[]) => new Set(pids).size < pids.length;
  const waiting = kept.filter(({ state }) => !hasEnded(state));
  return {
    acknowledged: acknowledged.size,
    lost:
      acknowledged.size -
      kept.length +
      kept.filter((entry) => entry.state === "handled" && !hasRun(entry)).length,
    stuck: waiting.filter(({ reason }) => !awaitsHandler(reason)).length,
    dead: kept.filter(({ state }) => state === "dead").length,
    runTwice: entries.filter((entry) => runsOf(entry) > 1).length,
    runTwiceAtOnce: [...(ran?.values() ?? [])].filter(isRepeated).length,
  };
}
