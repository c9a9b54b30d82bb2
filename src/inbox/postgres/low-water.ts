import { unref } from "../../base/stand-ins.ts";
import type { ClaimRequest, DueRequest } from "../claim.ts";
import type { Row } from "../rows.ts";

/**
 * Milliseconds by which entries of other processes and machines may be due before those that were
 * claimed last.
 */
const MARGIN = 1000;
/** Milliseconds between two looks from the start. */
const FULL_LOOK = 1000;
/** Milliseconds from which a look from the start is slow. */
const SLOW = 10;

/**
 * From which due time on a claim looks. Each claim leaves dead rows at the start of the index.
 * Usually they are passed over fast, but while any transaction of the server is old (a forgotten
 * BEGIN, a dump, a replica) none of them can go, and a look from the start reads them all. So if
 * one was slow, claims begin shortly before the entries that were claimed last, and only one each
 * second looks from the start.
 *
 * @param onLook - called when it is time for a look from the start, since claims since then may
 * have missed an entry
 */
export function lowWater(onLook: () => void) {
  let mark: number | undefined;
  /**
   * The earliest time at which an entry became due while a claim was under way, which may not have
   * seen it.
   */
  let lowered = Number.POSITIVE_INFINITY;
  /** What the claims that made the mark had in common. */
  let common: string | undefined;
  let isSlow = false;
  let fullAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  /** From which due time on to look; `undefined` for a look from the start. */
  const fromWhen = (request: DueRequest, now = Number.POSITIVE_INFINITY): number | undefined => {
    const isOld = performance.now() - fullAt >= FULL_LOOK;
    if (!isSlow || isOld || mark === undefined || mark > now) return undefined;
    return keyOf(request) === common ? mark : undefined;
  };
  /**
   * Makes a claim, and takes note of what it found; `look` leases what is due from a time on, or
   * from the start.
   */
  const claim = async (
    request: ClaimRequest,
    look: (from: number | undefined) => Promise<readonly Row[]>,
  ) => {
    const { now, limit, ahead = 0, only, waitingFor } = request;
    if (only !== undefined || waitingFor !== undefined) return look(undefined);
    lowered = Number.POSITIVE_INFINITY;
    const from = fromWhen(request, now);
    const start = performance.now();
    const rows = await look(from);
    const isAll = rows.length < limit + ahead;
    const found = Math.min(now, ...(isAll ? [] : rows.map((row) => Number(row.run_at)))) - MARGIN;
    mark = lowered < found ? undefined : found;
    if (from === undefined) {
      common = keyOf(request);
      fullAt = performance.now();
      isSlow = fullAt - start > SLOW;
    } else if (isAll) {
      timer ??= unref(
        setTimeout(() => {
          timer = undefined;
          onLook();
        }, FULL_LOOK),
      );
    }
    return rows;
  };
  /** Says that an entry may be due at a time, or at any time. */
  const lower = (runAt = Number.NEGATIVE_INFINITY): void => {
    lowered = Math.min(lowered, runAt);
    if (mark !== undefined && runAt < mark) mark = undefined;
  };
  return { claim, from: fromWhen, lower, stop: () => clearTimeout(timer) };
}

function keyOf({ sources, deadBlocks, except, exceptKinds }: DueRequest): string {
  return JSON.stringify([sources, deadBlocks ?? false, except ?? [], exceptKinds ?? []]);
}
