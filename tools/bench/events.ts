import { eventKinds, sign } from "../../src/entries/index.ts";
import { sampleEvent } from "../../src/entries/testing.ts";

/** The secret of every contestant. It is public, so it protects nothing. */
export const SECRET = "hookporter-bench-secret-that-everybody-knows";

/** Events per millisecond: about the number that arrive at full load. */
export const PER_MILLISECOND = 20;

/** One signed body. */
export interface SignedBody {
  readonly kind: string;
  readonly body: Buffer;
  /** Value of the signature header. */
  readonly signature: string;
  /** The event's timestamp, milliseconds since 1970. */
  readonly timestamp: number;
}

/** The number of a body, from its event's data. */
export function indexOf(data: object): number {
  return Number("bench" in data ? data.bench : Number.NaN);
}

/**
 * A source of distinct bodies of exactly `size` bytes: all 12 kinds in turn, with increasing
 * timestamps from `from`.
 */
export function bodySource(size: number, from: number): (index: number) => SignedBody {
  const texts = eventKinds.map((kind) => {
    const event = sampleEvent(kind, { timestamp: 0 });
    const open = { ...event, data: { ...event.data, bench: "#".repeat(10), padding: "" } };
    const empty = Buffer.byteLength(JSON.stringify(open));
    if (empty > size)
      throw new RangeError(`an event of kind ${kind} needs at least ${empty} bytes, got ${size}`);
    const text = JSON.stringify({
      ...open,
      data: { ...open.data, padding: "x".repeat(size - empty) },
    });
    const stamped = new Date(0).toISOString();
    const [head = "", tail = ""] = text.split(stamped);
    return { kind, head, tail };
  });
  return (index) => {
    const { kind, head, tail } = texts[index % texts.length] ?? { kind: "", head: "", tail: "" };
    const timestamp = from + Math.floor(index / PER_MILLISECOND);
    const text = `${head}${new Date(timestamp).toISOString()}${tail}`;
    const body = Buffer.from(text.replace("##########", String(index).padStart(10, "0")), "utf8");
    return { kind, body, signature: sign(body, SECRET), timestamp };
  };
}
