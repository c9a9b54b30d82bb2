import { BLOCK, type BlockPool } from "./block-pool.ts";

/**
 * The pieces of a body as they arrive, copied into blocks so that their memory use is known: a
 * separate piece of one byte takes hundreds of bytes, and a slice retains the whole buffer it was
 * cut from.
 */
export class BodyPieces {
  readonly #pool: BlockPool | undefined;
  #blocks: Uint8Array[] = [];
  #length = 0;

  /**
   * @param pool - provides the blocks and takes them back; without one, blocks are newly allocated
   */
  constructor(pool?: BlockPool) {
    this.#pool = pool;
  }

  /** Bytes so far. */
  get length(): number {
    return this.#length;
  }

  /** Bytes of memory they take, in whole blocks. */
  get capacity(): number {
    return this.#blocks.length * BLOCK;
  }

  add(piece: Uint8Array): void {
    for (let done = 0; done < piece.byteLength; ) {
      const part = piece.subarray(done, done + this.capacity - this.#length);
      if (part.byteLength === 0)
        this.#blocks.push(this.#pool?.take() ?? Buffer.allocUnsafeSlow(BLOCK));
      else this.#blocks.at(-1)?.set(part, this.#length % BLOCK);
      this.#length += part.byteLength;
      done += part.byteLength;
    }
  }

  /** Copies all pieces, and a last one, into a new buffer. */
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

  /** Returns the blocks to the pool and discards the contents. */
  release(): void {
    this.#pool?.give(this.#blocks);
    this.#blocks = [];
    this.#length = 0;
  }
}
