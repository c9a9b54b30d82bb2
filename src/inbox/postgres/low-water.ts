import type { ClaimRequest, DueRequest } from "../claim.ts";
import type { Row } from "../rows.ts";

/** Milliseconds by which entries of other processes and machines may be due before those that were claimed last. */
const MARGIN = 1000;
/** Milliseconds between two looks from the start. */
const FULL_LOOK = 1000;
/** Milliseconds from which a look from the start is slow. */
const SLOW = 10;

/**
 * From which due time on a claim looks. Each claim leaves dead rows at the start of the index. Usually they are passed over
 * fast, but while any transaction of the server is old (a forgotten BEGIN, a dump, a replica) none of them can go, and a
 * look from the start reads them all. So if one was slow, claims begin shortly before the entries that were claimed last,
 * and only one each second looks from the start.
 */
export class LowWater {
  readonly #onLook: () => void;
  #mark: number | undefined;
  /** The earliest time at which an entry became due while a claim was under way, which may not have seen it. */
  #lowered = Number.POSITIVE_INFINITY;
  /** What the claims that made the mark had in common. */
  #of: string | undefined;
  #isSlow = false;
  #fullAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  /** @param onLook - called when it is time for a look from the start, since claims since then may have missed an entry */
  constructor(onLook: () => void) {
    this.#onLook = onLook;
  }

  /** Makes a claim, and takes note of what it found; `look` leases what is due from a time on, or from the start. */
  async claim(request: ClaimRequest, look: (from: number | undefined) => Promise<readonly Row[]>) {
    const { now, limit, ahead = 0, only, waitingFor } = request;
    if (only !== undefined || waitingFor !== undefined) return look(undefined);
    this.#lowered = Number.POSITIVE_INFINITY;
    const from = this.from(request, now);
    const start = performance.now();
    const rows = await look(from);
    const isAll = rows.length < limit + ahead;
    const mark = Math.min(now, ...(isAll ? [] : rows.map((row) => Number(row.run_at)))) - MARGIN;
    this.#mark = this.#lowered < mark ? undefined : mark;
    if (from === undefined) {
      this.#of = keyOf(request);
      this.#fullAt = performance.now();
      this.#isSlow = this.#fullAt - start > SLOW;
    } else if (isAll) {
      this.#timer ??= setTimeout(() => {
        this.#timer = undefined;
        this.#onLook();
      }, FULL_LOOK).unref();
    }
    return rows;
  }

  /** From which due time on to look; `undefined` for a look from the start. */
  from(request: DueRequest, now = Number.POSITIVE_INFINITY): number | undefined {
    const isOld = performance.now() - this.#fullAt >= FULL_LOOK;
    if (!this.#isSlow || isOld || this.#mark === undefined || this.#mark > now) return undefined;
    return keyOf(request) === this.#of ? this.#mark : undefined;
  }

  /** Says that an entry may be due at a time, or at any time. */
  lower(runAt = Number.NEGATIVE_INFINITY): void {
    this.#lowered = Math.min(this.#lowered, runAt);
    if (this.#mark !== undefined && runAt < this.#mark) this.#mark = undefined;
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}

function keyOf({ sources, deadBlocks, except, exceptKinds }: DueRequest): string {
  return JSON.stringify([sources, deadBlocks ?? false, except ?? [], exceptKinds ?? []]);
}
