import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { BLOCK, BlockPool } from "../../src/http/block-pool.ts";
import { BodyPieces } from "../../src/http/body-pieces.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const take = (pool: BlockPool, count: number) => Array.from({ length: count }, () => pool.take());

it("the pool never hands out the same block twice", () => {
  const pool = new BlockPool(100 * BLOCK);
  const blocks = take(pool, 100);
  for (const [index, block] of blocks.entries()) block.fill(index);
  expect(blocks.every((block, index) => block.every((byte) => byte === index))).toBe(true);
});

it("the pool reuses returned blocks, so it does not grow", () => {
  const pool = new BlockPool(1000 * BLOCK);
  for (let round = 0; round < 50; round++) pool.give(take(pool, 60));
  expect(pool.bytes).toBeLessThanOrEqual(64 * BLOCK);
});

it("a block that was made since the pool was full is not taken for one of the pool's when it is returned", () => {
  const pool = new BlockPool(BLOCK);
  const [own, more] = take(pool, 2);
  own?.fill(7);
  pool.give(more === undefined ? [] : [more]);
  for (const block of take(pool, 3)) block.fill(9);
  expect(own?.every((byte) => byte === 7)).toBe(true);
});

it("the pool returns memory to the system when it has been unused for a while", () => {
  const pool = new BlockPool(1000 * BLOCK);
  pool.give(take(pool, 512));
  vi.advanceTimersByTime(1500);
  expect(pool.bytes).toBe(512 * BLOCK); // it was in use a moment ago
  vi.advanceTimersByTime(1500);
  expect(pool.bytes).toBe(0);
  expect(vi.getTimerCount()).toBe(0);
});

it("blocks in use survive when the pool shrinks", () => {
  const pool = new BlockPool(1000 * BLOCK);
  const [first, ...rest] = take(pool, 500);
  first?.fill(7);
  pool.give(rest);
  vi.advanceTimersByTime(3000);
  expect(pool.bytes).toBe(BLOCK);
  expect(first?.every((byte) => byte === 7)).toBe(true);
  expect(take(pool, 10).every((block) => block !== first && block.byteLength === BLOCK)).toBe(true);
});

it("beyond its limit the pool allocates new blocks, and does not keep them", () => {
  const pool = new BlockPool(10 * BLOCK);
  const blocks = take(pool, 30);
  expect(
    new Set(blocks.map(({ buffer, byteOffset }) => `${buffer.byteLength} ${byteOffset}`)).size,
  ).toBe(11);
  pool.give(blocks);
  expect(pool.bytes).toBe(10 * BLOCK);
});

it("the pool allocates new blocks if a buffer of its size cannot be reserved", () => {
  const pool = new BlockPool(Number.MAX_SAFE_INTEGER);
  const blocks = take(pool, 3);
  expect(blocks.map(({ byteLength }) => byteLength)).toEqual([BLOCK, BLOCK, BLOCK]);
  pool.give(blocks);
  expect(pool.bytes).toBe(0);
});

it("pieces of any size are joined to the original body", () => {
  const pool = new BlockPool(64 * BLOCK);
  const size = fc.oneof(fc.nat(20), fc.nat(3 * BLOCK), fc.constant(BLOCK));
  const sizes = fc.array(size, { maxLength: 12 });
  fc.assert(
    fc.property(sizes, fc.boolean(), (lengths, lastApart) => {
      const bytes = lengths.map((length) => randomBytes(length));
      const pieces = new BodyPieces(pool);
      const last = lastApart ? bytes.at(-1) : undefined;
      for (const piece of last === undefined ? bytes : bytes.slice(0, -1)) pieces.add(piece);
      expect(Buffer.concat(bytes).equals(pieces.join(last))).toBe(true);
      pieces.release();
    }),
  );
});

it("a piece is copied, since it may be a slice of a large buffer, and the joined body too, as blocks are reused", () => {
  const pool = new BlockPool(64 * BLOCK);
  const pieces = new BodyPieces(pool);
  const large = Buffer.alloc(2 * BLOCK, 1);
  pieces.add(large);
  large.fill(2);
  const joined = pieces.join();
  pieces.release();
  for (let n = 0; n < 64; n++) pool.take().fill(3);
  expect(joined.every((byte) => byte === 1)).toBe(true);
  expect(joined.buffer.byteLength).toBe(joined.byteLength);
  expect(pieces).toMatchObject({ length: 0, capacity: 0 });
});
