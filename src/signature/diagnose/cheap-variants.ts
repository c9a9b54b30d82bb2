import { type BodyVariant, variant } from "./body-variant.ts";
import { cause } from "./causes.ts";
import { respacedVariants } from "./respaced-variants.ts";

const BOM = Buffer.from("\uFEFF", "utf8");

/** Variants that need no reading of the body, for one that is too large to read. */
export function cheapVariants(body: Uint8Array): readonly BodyVariant[] {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const there = cause("newline_at_end", "one on the signing side");
  const marked = bytes.subarray(0, BOM.byteLength).equals(BOM);
  const end = bytes.at(-1) !== 0x0a ? 0 : bytes.at(-2) === 0x0d ? 2 : 1;
  const cut = (bytesAtEnd: number) => bytes.subarray(0, bytes.byteLength - bytesAtEnd);
  return [
    variant([cause("body_empty")], () => ""),
    variant([there], () => Buffer.concat([bytes, Buffer.from("\n")])),
    variant([there], () => Buffer.concat([bytes, Buffer.from("\r\n")])),
    variant([cause("newline_at_end", "none on the signing side")], () => (end > 0 ? cut(end) : undefined)),
    ...respacedVariants(bytes),
    marked
      ? variant([cause("byte_order_mark", "none on the signing side")], () => bytes.subarray(BOM.byteLength))
      : variant([cause("byte_order_mark", "one on the signing side")], () => Buffer.concat([BOM, bytes])),
  ];
}
