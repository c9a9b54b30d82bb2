import { type AtEnd, type ReceiverUnderTest, rightSignature, serve } from "./under-test.ts";

/** How a receiver compares the digests that it computed and was given, both 64 hex digits. */
type Compare = (computed: string, given: string) => boolean;

const prints =
  (print: (hex: string) => string): Compare =>
  (computed, given) =>
    print(computed) === given;

/** Faults in printing and comparing hex, in the words of the language where they are common. */
export const HEX_FAULTS = {
  /** Java: `new BigInteger(1, mac).toString(16)`. */
  bigInteger: prints((hex) => BigInt(`0x${hex}`).toString(16)),
  /** The same with a zero put before an odd number of digits. */
  evenBigInteger: prints((hex) => {
    const digits = BigInt(`0x${hex}`).toString(16);
    return digits.length % 2 === 0 ? digits : `0${digits}`;
  }),
  /** Java: `new BigInteger(mac).toString(16)`, padded. */
  signedBigInteger: prints((hex) =>
    BigInt.asIntN(256, BigInt(`0x${hex}`))
      .toString(16)
      .padStart(64, "0"),
  ),
  /** JavaScript: `byte.toString(16)`, Java: `Integer.toHexString(b & 0xff)`. */
  eachByte: prints((hex) => [...Buffer.from(hex, "hex")].map((byte) => byte.toString(16)).join("")),
  /** Python: `header.lstrip("sha256=")`. */
  leftStripped: (computed, given) => given.replace(/^[sha256=]+/, "") === computed,
  /** Python: `header.strip("sha256=")`. */
  stripped: (computed, given) => given.replaceAll(/^[sha256=]+|[sha256=]+$/g, "") === computed,
  /** Python: `hexdigest().rstrip("0")`. */
  trimmed: prints((hex) => hex.replace(/0+$/, "")),
  /**
   * C: `strlen` and a comparison of as many bytes; a digest that begins with a zero byte is refused
   * as empty.
   */
  untilZero: (computed, given) => {
    const bytes = Buffer.from(computed, "hex");
    return !bytes.includes(0) && computed === given;
  },
  /** C: `strcmp` of the bytes. */
  strcmp: (computed, given) => {
    const [first = "", second = ""] = [computed, given].map((hex) =>
      untilZeroByte(Buffer.from(hex, "hex")),
    );
    return /^[0-9a-f]{64}$/.test(given) && first === second;
  },
  /** JavaScript: `Number.parseInt(hex, 16)` of both. */
  asNumbers: (computed, given) => {
    return (
      /^[0-9a-f]{64}$/.test(given) && Number.parseInt(computed, 16) === Number.parseInt(given, 16)
    );
  },
} satisfies Readonly<Record<string, Compare>>;

/** Verifies the raw body, and compares the digests like this. */
export async function hexFault(
  name: keyof typeof HEX_FAULTS,
  atEnd?: AtEnd,
): Promise<ReceiverUnderTest> {
  const url = await serve(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const computed = rightSignature(Buffer.concat(chunks)).slice("sha256=".length);
    const [, given] = /^sha256=(.*)$/.exec(String(request.headers["x-service-signature"])) ?? [];
    response.writeHead(given !== undefined && HEX_FAULTS[name](computed, given) ? 200 : 401).end();
  }, atEnd);
  return { url };
}

function untilZeroByte(bytes: Buffer): string {
  const end = bytes.indexOf(0);
  return bytes.subarray(0, end < 0 ? bytes.length : end).toString("hex");
}
