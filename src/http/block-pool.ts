import { unref } from "../base/stand-ins.ts";
export const BLOCK = 16 * 1024;
const STEP = 64; // blocks added each time the pool grows
const LOOK_MS = 1000; // milliseconds between checks for unused memory

/**
 * Reusable blocks of memory from one resizable buffer, which returns freed memory to the system
 * within seconds. Separate buffers would stay allocated until a garbage collection, which may never
 * run in an idle process.
 */
export class BlockPool {
  readonly #mostBytes: number;
  #memory: ArrayBuffer | undefined;
  /** The number of blocks in the memory, and the indexes of the free ones. */
  #count = 0;
  #free: number[] = [];
  /** The highest index taken since the last check. */
  #highest = -1;
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param mostBytes - the most bytes the pool holds; blocks beyond it are newly allocated and not
   * reused
   */
  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  /** Bytes of memory allocated now, free blocks included. */
  get bytes(): number {
    return this.#count * BLOCK;
  }

  /** Returns a block; its contents are arbitrary. */
  take(): Uint8Array {
    if (this.#free.length === 0) this.#grow();
    const number = this.#free.pop();
    if (number === undefined || this.#memory === undefined) return Buffer.allocUnsafeSlow(BLOCK);
    this.#highest = Math.max(this.#highest, number);
    return new Uint8Array(this.#memory, number * BLOCK, BLOCK);
  }

  /** Returns blocks that are no longer read or written to the pool. */
  give(blocks: readonly Uint8Array[]): void {
    for (const { buffer, byteOffset } of blocks) {
      if (buffer === this.#memory) this.#free.push(byteOffset / BLOCK);
    }
  }

  #grow(): void {
    try {
      this.#memory ??= new ArrayBuffer(0, { maxByteLength: this.#mostBytes });
      const count = Math.min(this.#count + STEP, Math.floor(this.#mostBytes / BLOCK));
      this.#memory.resize(count * BLOCK);
      for (let number = count - 1; number >= this.#count; number--) this.#free.push(number);
      this.#count = count;
      this.#timer ??= unref(setInterval(() => this.#shrink(), LOOK_MS));
    } catch {
      // The system cannot reserve this much, or cannot resize buffers: take() then allocates new
      // blocks.
    }
  }

  /** Frees the memory above the highest block taken since the last check. */
  #shrink(): void {
    this.#free.sort((a, b) => b - a); // so that take() uses the lowest first
    let gone = 0;
    while (this.#free[gone] === this.#count - 1 && this.#count - 1 > this.#highest) {
      gone++;
      this.#count--;
    }
    this.#free.splice(0, gone);
    this.#memory?.resize(this.bytes);
    this.#highest = -1;
    if (this.#count > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
