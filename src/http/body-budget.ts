import { Chain } from "../base/chain.ts";
import { BLOCK, BlockPool } from "./block-pool.ts";

/** Bytes that count as progress, so that a body that trickles is treated like one that stalls. */
export const PROGRESS = 16 * 1024;

export type HeldBody = ReturnType<BodyBudget["open"]>;

/**
 * A shared limit on the bytes of bodies that are received but not yet verified, since anyone can
 * make a receiver hold such bytes. If it refused new bodies when full, 64 stalled ones would lock
 * out all other senders. Instead it ends the body whose latest progress is longest ago.
 */
export class BodyBudget {
  readonly #limit: number;
  /** The pool that bodies take their memory from. */
  readonly blocks: BlockPool;
  /** Functions that end a body each, in the order of the bodies' latest progress. */
  readonly #ends = new Chain<() => void>();
  #held = 0;

  /**
   * @param limit - the most bytes all bodies together may hold; at least as many as one body may
   * have
   */
  constructor(limit: number) {
    this.#limit = Math.ceil(limit / BLOCK) * BLOCK; // memory is taken in whole blocks
    this.blocks = new BlockPool(this.#limit);
  }

  get held(): number {
    return this.#held;
  }

  /** Starts counting a body; `end` is called after it was ended to make room, and released. */
  open(end: () => void) {
    let bytes = 0;
    let sinceProgress = 0;
    /** Stops counting the body; may be called again. */
    const release = () => {
      this.#ends.remove(place);
      this.#held -= bytes;
      bytes = 0;
    };
    const endIt = () => {
      release();
      end();
    };
    let place = this.#ends.add(endIt);
    /**
     * Counts received bytes, and the memory that the whole body takes now. If all exceed the limit,
     * ends bodies until there is room, perhaps this one; false if it exceeds the limit alone.
     */
    const grow = (received: number, capacity: number) => {
      this.#held += capacity - bytes;
      bytes = capacity;
      sinceProgress += received;
      if (sinceProgress >= PROGRESS && this.#ends.remove(place)) {
        sinceProgress = 0;
        place = this.#ends.add(endIt);
      }
      if (capacity > this.#limit) return false;
      while (this.#held > this.#limit && !this.#ends.isEmpty) this.#ends.first?.item?.();
      return true;
    };
    return { grow, release };
  }
}
