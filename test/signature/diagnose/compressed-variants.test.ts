import { randomBytes } from "node:crypto";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { compressedVariants } from "../../../src/signature/diagnose/compressed-variants.ts";
import { named } from "./named.ts";

const TEXT = Buffer.from('{"a":"b"}'.repeat(20));

it.each([
  ["gzip", gzipSync(TEXT)],
  ["deflate", deflateSync(TEXT)],
  ["br", brotliCompressSync(TEXT)],
])("expands %s", (format, body) => {
  expect(named(compressedVariants(body), TEXT)).toEqual([`body_compressed: ${format}`]);
});

it("expands a small body to 65 536 bytes at most, and a larger one to twenty times its length", () => {
  const sizeOf = (body: Buffer) => compressedVariants(body)[0]?.bytes()?.byteLength;
  const zeros = (size: number) => gzipSync(Buffer.alloc(size));
  expect([sizeOf(zeros(65_536)), sizeOf(zeros(65_537))]).toEqual([65_536, undefined]);
  const noise = (bytes: number, more: number) =>
    gzipSync(Buffer.concat([randomBytes(bytes), Buffer.alloc(more)]));
  expect([sizeOf(noise(6000, 70_000)), sizeOf(noise(4000, 90_000))]).toEqual([76_000, undefined]);
});

it.each(["", "{}", "[", "text", "~", " "])("takes %j for uncompressed", (text) => {
  expect(compressedVariants(Buffer.from(text))).toEqual([]);
});

it("makes nothing of what only begins as compressed", () => {
  for (const digits of ["1f8b00", "7800", "0b00", "80"])
    expect(compressedVariants(Buffer.from(digits, "hex"))[0]?.bytes()).toBeUndefined();
  expect(compressedVariants(Buffer.from("1f8c", "hex"))[0]?.causes[0]?.detail).toBe("br");
});
