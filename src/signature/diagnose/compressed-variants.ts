import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";
import { orElse } from "../../base/or-else.ts";
import { type BodyVariant, variant } from "./body-variant.ts";
import { cause } from "./causes.ts";

/** A body may expand to this many times its length, so that a small one cannot fill the memory. */
const MOST_GROWTH = 20;
const LEAST_LIMIT = 65_536;

/** The body before it was compressed. How it would be compressed again differs between programs, so that is not tried. */
export function compressedVariants(body: Uint8Array): readonly BodyVariant[] {
  const [first, second] = body;
  const limit = { maxOutputLength: Math.max(LEAST_LIMIT, MOST_GROWTH * body.byteLength) };
  const made = (format: string, expand: () => Uint8Array) =>
    variant([cause("body_compressed", format)], () => orElse(expand, undefined));
  if (first === 0x1f && second === 0x8b) return [made("gzip", () => gunzipSync(body, limit))];
  if (first === 0x78) return [made("deflate", () => inflateSync(body, limit))];
  // Brotli has no mark: tried if the body begins as neither JSON nor a form.
  if (first === undefined || (first >= 0x20 && first < 0x7f)) return [];
  return [made("br", () => brotliDecompressSync(body, limit))];
}
