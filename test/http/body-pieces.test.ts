import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { expect, it } from "vitest";
import { BLOCK, BlockPool } from "../../src/http/block-pool.ts";
import { BodyPieces } from "../../src/http/body-pieces.ts";

it("pieces of any size are joined to the original body", () => {
  const pool = new BlockPool(64 * BLOCK);
  const sizes = fc.array(fc.oneof(fc.nat(20), fc.nat(3 * BLOCK), fc.constant(BLOCK)), {
    maxLength: 12,
  });
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

it("thousands of one-byte pieces share one block", () => {
  const pieces = new BodyPieces();
  for (let n = 0; n < 5000; n++) pieces.add(Buffer.of(n));
  expect(pieces).toMatchObject({ length: 5000, capacity: BLOCK });
});

it("a piece is copied, since it may be a slice of a large buffer", () => {
  const pieces = new BodyPieces();
  const large = Buffer.alloc(1000, 1);
  pieces.add(large.subarray(0, 10));
  large.fill(2);
  expect(Buffer.from(pieces.join())).toEqual(Buffer.alloc(10, 1));
});

it("the joined body is a copy, which does not change when its blocks are reused", () => {
  const pool = new BlockPool(64 * BLOCK);
  const pieces = new BodyPieces(pool);
  pieces.add(Buffer.alloc(2 * BLOCK, 1));
  const joined = pieces.join();
  pieces.release();
  for (let n = 0; n < 64; n++) pool.take().fill(2);
  expect(joined.every((byte) => byte === 1)).toBe(true);
  expect(joined.buffer.byteLength).toBe(joined.byteLength);
  expect(pieces).toMatchObject({ length: 0, capacity: 0 });
});
