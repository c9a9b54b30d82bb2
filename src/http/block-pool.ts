/** Bytes of a block. */
export const BLOCK = 16 * 1024;

/** Blocks by which the pool grows. */
const STEP = 64;

/** Milliseconds between looks for memory that is no longer needed. */
const LOOK_MS = 1000;

/**
 * Blocks of memory that are used again, from one resizable buffer: what was freed goes back to the system within seconds.
 * Buffers that are dropped stay until a garbage collection, which a process that has nothing to do never makes.
 */
export class BlockPool {
  readonly #mostBytes: number;
  #memory: ArrayBuffer | undefined;
  /** How many blocks the memory has, and the numbers of those that are free. */
  #count = 0;
  #free: number[] = [];
  /** The highest number that was taken since the last look. */
  #highest = -1;
  #timer: NodeJS.Timeout | undefined;

  /** @param mostBytes - of memory for blocks; those that are taken beyond it are new, and not used again */
  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  /** Bytes of memory that blocks take now, free ones included. */
  get bytes(): number {
    return this.#count * BLOCK;
  }

  /** A block with anything in it. */
  take(): Uint8Array {
    if (this.#free.length === 0) this.#grow();
    const number = this.#free.pop();
    if (number === undefined || this.#memory === undefined) return Buffer.allocUnsafeSlow(BLOCK);
    this.#highest = Math.max(this.#highest, number);
    return new Uint8Array(this.#memory, number * BLOCK, BLOCK);
  }

  /** Takes blocks back that nothing looks at any more. */
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
      this.#timer ??= setInterval(() => this.#shrink(), LOOK_MS).unref();
    } catch {
      // This much cannot be reserved here, or buffers cannot be resized: blocks are new ones then.
    }
  }

  /** Lets go what is free above the highest block that was taken lately. */
  #shrink(): void {
    this.#free.sort((one, other) => other - one); // so that the lowest are taken first
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
