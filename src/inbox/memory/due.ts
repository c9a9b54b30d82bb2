import type { ClaimRequest } from "../claim.ts";
import type { Entry } from "../entry.ts";
import { isOf, isTaken, isWaiting, type Stored } from "./stored.ts";

/** The entries that a claim may take, in the order in which it takes them; some may still be held back. */
export function dueEntries(entries: readonly Stored[], request: ClaimRequest): readonly Stored[] {
  const { now, leaseTime, horizon = Number.POSITIVE_INFINITY } = request;
  const { only, waitingFor, sources, exceptKinds = [] } = request;
  const latest = now + Math.max(horizon, leaseTime);
  return entries
    .filter(({ entry }) => isWaiting(entry) && isOf(entry, sources))
    .filter(({ entry }) => only === undefined || entry.seq === only)
    .filter(({ entry }) => only !== undefined || waitingFor !== undefined || isTaken(entry, exceptKinds))
    .filter(({ entry }) => waitingFor === undefined || isInQueue(entry, waitingFor))
    .filter(({ entry }) => {
      const early = (only !== undefined || waitingFor !== undefined) && entry.state === "pending";
      return early || entry.runAt <= now || entry.runAt > latest;
    })
    .sort(
      (a, b) => (waitingFor === undefined ? a.entry.runAt - b.entry.runAt : 0) || a.entry.seq - b.entry.seq,
    );
}

function isInQueue(
  { seq, waits }: Entry,
  { target, after }: NonNullable<ClaimRequest["waitingFor"]>,
): boolean {
  return seq > after && waits.some((wait) => wait.target === target && wait.over === null);
}
