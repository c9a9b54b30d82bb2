import { BLOCK, type BlockPool } from "./block-pool.ts";

/**
 * The pieces of a body while it is received, copied into blocks, so that the memory they take is known: a piece of one
 * byte takes hundreds by itself, and a slice keeps all of the buffer that it is cut from.
 */
export class BodyPieces {
  readonly #pool: BlockPool | undefined;
  #blocks: Uint8Array[] = [];
  #length = 0;

  /** @param pool - where blocks come from and go back to; without one they are new */
  constructor(pool?: BlockPool) {
    this.#pool = pool;
  }

  /** Bytes so far. */
  get length(): number {
    return this.#length;
  }

  /** Bytes of memory they take: full blocks. */
  get capacity(): number {
    return this.#blocks.length * BLOCK;
  }

  add(piece: Uint8Array): void {
    for (let done = 0; done < piece.byteLength; ) {
      const part = piece.subarray(done, done + this.capacity - this.#length);
      if (part.byteLength === 0) this.#blocks.push(this.#pool?.take() ?? Buffer.allocUnsafeSlow(BLOCK));
      else this.#blocks.at(-1)?.set(part, this.#length % BLOCK);
      this.#length += part.byteLength;
      done += part.byteLength;
    }
  }

  /** All of them, and a last one, in one buffer of its own. */
  join(last: Uint8Array = new Uint8Array(0)): Uint8Array {
    const joined = Buffer.allocUnsafeSlow(this.#length + last.byteLength);
    let at = 0;
    for (const block of this.#blocks) {
      joined.set(at + BLOCK > this.#length ? block.subarray(0, this.#length - at) : block, at);
      at += BLOCK;
    }
    joined.set(last, this.#length);
    return joined;
  }

  /** Gives the blocks back; nothing is left. */
  release(): void {
    this.#pool?.give(this.#blocks);
    this.#blocks = [];
    this.#length = 0;
  }
}
