import { type BodyVariant, variant } from "./body-variant.ts";
import { cause } from "./causes.ts";

/** The sizes of buffers in bytes. */
const SIZES = [256, 512, 1024, 2048, 4096, 8192, 16_384, 32_768, 65_536];

/** Only the beginning of the body, as programs read it that stop early. */
export function cutVariants(body: Uint8Array, text: string | undefined): readonly BodyVariant[] {
  // What follows the last visible byte is a line break, which is a cause of its own.
  const length = visibleLength(body);
  const cut = (detail: string, end: number) =>
    end <= 0 || end >= length || isAddition(body, end)
      ? []
      : [variant([cause("body_cut", detail)], () => body.subarray(0, end))];
  // A length in characters, taken for one in bytes.
  const characters = text === undefined ? 0 : text.length;
  const points = text === undefined ? 0 : [...text.slice(0, 100_000)].length;
  const line =
    /^[^\n]*\n(?=\s*\S)/.exec(Buffer.from(body.subarray(0, 100_000)).toString("latin1"))?.[0]
      .length ?? 0;
  return [
    ...cut("the first line", line - 1),
    ...cut("the first line, with its line break", line),
    ...cut("as many bytes as it has characters", characters),
    ...(points === characters ? [] : cut("as many bytes as it has characters", points)),
    ...SIZES.flatMap((size) => cut(`${size} bytes`, size)),
  ];
}

/**
 * Whether what follows was added here, rather than lost there: text after the end of the JSON, or
 * the same once more.
 */
function isAddition(body: Uint8Array, end: number): boolean {
  const start = Buffer.from(body.subarray(0, end)).toString("latin1").trimEnd();
  const rest = Buffer.from(body.subarray(end)).toString("latin1").trim();
  return (/[}\]]$/.test(start) && !/[{}[\]]/.test(rest)) || rest === start;
}

/**
 * With another number of NUL bytes at the end: a buffer that one side took whole, or a text that a
 * NUL ends.
 */
export function nulVariants(body: Uint8Array): readonly BodyVariant[] {
  const length = visibleLength(body, 0);
  if (length === 0) return []; // it may have been empty, which is a cause of its own
  const ends = new Set([length, length + 1, ...SIZES.filter((size) => size > length)]);
  ends.delete(body.byteLength);
  return [...ends].map((end) => {
    const detail =
      end === length ? "none on the signing side" : `up to ${end} bytes on the signing side`;
    return variant([cause("nuls_at_end", detail)], () => Buffer.concat([body], end));
  });
}

/** Bytes without white space at the end, or other bytes up to the last one that counts as such. */
function visibleLength(body: Uint8Array, last = 0x20): number {
  let length = body.byteLength;
  while (length > 0 && (body[length - 1] ?? 0) <= last) length--;
  return length;
}
