import {
  brotliCompressSync,
  brotliDecompressSync,
  deflateRawSync,
  deflateSync,
  gzipSync,
  inflateRawSync,
  inflateSync,
} from "node:zlib";
import { tryOr } from "../../base/try-or.ts";
import { type BodyVariant, variant } from "./body-variant.ts";
import { cause } from "./causes.ts";

/**
 * A compressed body may expand to this many times its length, so that a small one cannot fill the
 * memory.
 */
const MOST_GROWTH = 20;
const LEAST_LIMIT = 65_536;
/** A longer body is not compressed, which takes longer than all else. */
const LONGEST = 100_000;
/** Where the head of gzip names the system: Unix, none, Windows, and what Python and Go write. */
const SYSTEM_AT = 9;
const SYSTEMS = [3, 0, 11, 255, 19, 10];

/**
 * The body before it was compressed; or compressed as the usual library does it, since others print
 * it otherwise.
 */
export function compressedVariants(body: Uint8Array, isText: boolean): readonly BodyVariant[] {
  const here = (what: string, expand: () => Uint8Array) =>
    variant([cause("body_compressed", what)], () => tryOr(expand, undefined));
  const limit = { maxOutputLength: Math.max(LEAST_LIMIT, MOST_GROWTH * body.byteLength) };
  const packed = isText
    ? []
    : [
        here("deflate", () => inflateSync(body, limit)),
        here("deflate", () => inflateRawSync(body, limit)),
        here("brotli", () => brotliDecompressSync(body, limit)),
      ];
  if (body.byteLength > LONGEST || !isText) return packed;
  const there = (what: string, pack: () => Uint8Array) =>
    variant([cause("body_compressed", `${what} on the signing side`)], pack, "printed");
  const levels = [6, 9, 1];
  return [
    ...packed,
    ...levels.flatMap((level) => [
      ...SYSTEMS.map((system) =>
        there("gzip", () => {
          const made = gzipSync(body, { level });
          made[SYSTEM_AT] = system;
          return made;
        }),
      ),
      there("deflate", () => deflateSync(body, { level })),
      there("deflate", () => deflateRawSync(body, { level })),
    ]),
    there("brotli", () => brotliCompressSync(body)),
  ];
}
