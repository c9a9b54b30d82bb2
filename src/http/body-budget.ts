import { BLOCK, BlockPool } from "./block-pool.ts";
import { BodyRanks, costOf, type RankedBody } from "./body-ranks.ts";

/** Bodies up to this many bytes are small: an eighth of the budget is reserved for them. */
export const SMALL = 64 * 1024;
const LARGE_SHARE = 7 / 8;

export interface BodyBudgetOptions {
  /** The most bytes all bodies together may hold. */
  readonly limit: number;
  /** The most bytes of one body; not more than `limit`, and always fits. */
  readonly bodyLimit: number;
  /** A monotonic clock, in milliseconds. */
  readonly now?: () => number;
}

export type HeldBody = ReturnType<BodyBudget["open"]>;

/**
 * A shared limit on the bytes of bodies that are received but not yet verified, since anyone can make a receiver hold
 * such bytes. If it refused new bodies when full, 64 stalled ones would lock out all other senders. Instead it ends the
 * body that makes the least progress for the memory it takes, and reserves an eighth for small bodies.
 */
export class BodyBudget {
  readonly #limit: number;
  readonly #largeLimit: number;
  readonly #now: () => number;
  /** The pool that bodies take their memory from. */
  readonly blocks: BlockPool;
  readonly #small = new BodyRanks();
  readonly #large = new BodyRanks();

  constructor({ limit, bodyLimit, now = () => performance.now() }: BodyBudgetOptions) {
    this.#limit = wholeBlocks(limit);
    this.#largeLimit = wholeBlocks(Math.max(bodyLimit, limit * LARGE_SHARE));
    this.#now = now;
    this.blocks = new BlockPool(this.#limit);
  }

  get held(): number {
    return this.#small.bytes + this.#large.bytes;
  }

  /** Starts counting a body, with its Content-Length or 0; `end` is called after it was ended to make room, and released. */
  open(announced: number, end: () => void) {
    let ranks = announced > SMALL ? this.#large : this.#small;
    /** Stops counting the body; may be called again. */
    const release = () => {
      ranks.remove(body);
      body.bytes = 0; // if it grows after all, it is counted again
    };
    const body: RankedBody = {
      ...{ bytes: 0, sinceStep: 0, steppedAt: 0 },
      end: () => {
        release();
        end();
      },
    };
    /**
     * Counts received bytes, and the memory that the whole body takes now. If they exceed the limit, ends bodies until there
     * is room, perhaps this one; false if there is none to end.
     */
    const grow = (received: number, capacity: number) => {
      const now = this.#now();
      if (body.bytes === 0) ranks.add(body, now);
      if (capacity > SMALL && ranks === this.#small) {
        release();
        ranks = this.#large;
        ranks.add(body, now);
      }
      ranks.grow(body, received, capacity, now);
      return this.#makeRoom(body, now);
    };
    return { grow, release };
  }

  #makeRoom(asking: RankedBody, now: number): boolean {
    while (this.held > this.#limit || this.#large.bytes > this.#largeLimit) {
      const large = this.#large.worst(now, asking);
      // If large bodies exceed their share, one of them is ended.
      const small = this.#large.bytes > this.#largeLimit ? undefined : this.#small.worst(now, asking);
      const other = worseOf(large, small, now);
      if (other === undefined) return false;
      const isWorst = costOf(asking, now) > costOf(other, now);
      (isWorst ? asking : other).end();
    }
    return true;
  }
}

/** Rounds up to whole blocks, the unit of memory. */
function wholeBlocks(bytes: number): number {
  return Math.ceil(bytes / BLOCK) * BLOCK;
}

function worseOf(one: RankedBody | undefined, other: RankedBody | undefined, now: number) {
  if (one === undefined || other === undefined) return one ?? other;
  return costOf(other, now) > costOf(one, now) ? other : one;
}
