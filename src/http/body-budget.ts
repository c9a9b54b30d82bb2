import { BLOCK, BlockPool } from "./block-pool.ts";
import { BodyRanks, costOf, type RankedBody } from "./body-ranks.ts";

/** Bodies up to this many bytes are small: an eighth of the budget is kept for them. */
const SMALL = 64 * 1024;
const LARGE_SHARE = 7 / 8;

/** What a budget is made with. */
export interface BodyBudgetOptions {
  /** The most bytes that all bodies together hold. */
  readonly limit: number;
  /** The most bytes of one body, which always fits; not more than `limit`. */
  readonly bodyLimit: number;
  /** Milliseconds that only go forward. */
  readonly now?: () => number;
}

/** A body that is counted. */
export interface HeldBody {
  /**
   * Counts bytes that were received. If there is no room for them, bodies are ended until there is: this one, too, if it
   * is the one that makes the least progress.
   *
   * @param capacity - bytes of memory that all of the body takes now
   * @returns false if there is no room and nothing else to end
   */
  grow(received: number, capacity: number): boolean;
  /** Counts the body no longer; may be called again. */
  release(): void;
}

/**
 * A common limit on the bytes of bodies that are received and not yet verified: anybody can make a receiver hold such
 * bytes. Refusing what exceeds it would let 64 stalled bodies shut everybody out. So the body that makes the least
 * progress for the room it takes is ended, and an eighth is kept for small bodies.
 */
export class BodyBudget {
  readonly #limit: number;
  readonly #largeLimit: number;
  readonly #now: () => number;
  /** Where the memory of bodies comes from. */
  readonly blocks: BlockPool;
  readonly #small = new BodyRanks();
  readonly #large = new BodyRanks();

  constructor({ limit, bodyLimit, now = () => performance.now() }: BodyBudgetOptions) {
    this.#limit = wholeBlocks(limit);
    this.#largeLimit = wholeBlocks(Math.max(bodyLimit, limit * LARGE_SHARE));
    this.#now = now;
    this.blocks = new BlockPool(this.#limit);
  }

  /** Bytes that are held now. */
  get held(): number {
    return this.#small.bytes + this.#large.bytes;
  }

  /**
   * Begins to count a body.
   *
   * @param announced - the bytes it says it has; 0 if it does not say
   * @param end - called when it was ended to make room; it is released by then
   */
  open(announced: number, end: () => void): HeldBody {
    let ranks = announced > SMALL ? this.#large : this.#small;
    const release = () => ranks.remove(body);
    const body: RankedBody = {
      ...{ bytes: 0, sinceStep: 0, steppedAt: 0 },
      end: () => {
        release();
        end();
      },
    };
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
      // Where large bodies exceed their share, it is one of them that goes.
      const small = this.#large.bytes > this.#largeLimit ? undefined : this.#small.worst(now, asking);
      const other = worseOf(large, small, now);
      if (other === undefined) return false;
      const isWorst = costOf(asking, now) > costOf(other, now);
      (isWorst ? asking : other).end();
    }
    return true;
  }
}

/** Memory is taken in blocks. */
function wholeBlocks(bytes: number): number {
  return Math.ceil(bytes / BLOCK) * BLOCK;
}

function worseOf(
  one: RankedBody | undefined,
  other: RankedBody | undefined,
  now: number,
): RankedBody | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return costOf(other, now) > costOf(one, now) ? other : one;
}
