import type { Delivery } from "../../event/delivery.ts";
import type { WorkResult } from "../commit-together.ts";
import type { ClaimedEntry, NewEntry } from "../inbox.ts";
import type { Operation } from "./operations.ts";
import { tellError, toldError } from "./told-error.ts";
import type { Packet, ToldResult } from "./writer-messages.ts";

// What goes from one thread to another is cloned, which is slow for objects and quick for one long text: so everything
// goes as JSON, but for the bodies of deliveries, which stand in one piece of memory that changes hands.

/** Packs a batch of operations. */
export function packBatch(operations: readonly Operation[]): Packet {
  const bodies: Uint8Array[] = [];
  const packed = operations.map(({ name, given }) => {
    if (name !== "append") return { name, given };
    return { name, given: [withoutBody(given[0] as NewEntry, bodies)] };
  });
  return { text: JSON.stringify(packed), bodies: join(bodies) };
}

/** The operations of a batch, whose bodies are views into its memory. */
export function unpackBatch({ text, bodies }: Packet): readonly Operation[] {
  const rest = new Bodies(bodies);
  return (JSON.parse(text) as Operation[]).map(({ name, given }) => {
    if (name !== "append") return { name, given };
    return { name, given: [withBody(given[0] as WithoutBody<NewEntry>, rest)] };
  });
}

/** Packs the results of a batch. */
export function packResults(operations: readonly Operation[], results: readonly WorkResult[]): Packet {
  const bodies: Uint8Array[] = [];
  const told = results.map((result, index): ToldResult => {
    if ("error" in result) return { error: tellError(result.error) };
    if (operations[index]?.name !== "claim") return { value: result.value };
    return { claimed: (result.value as readonly ClaimedEntry[]).map((entry) => withoutBody(entry, bodies)) };
  });
  return { text: JSON.stringify(told), bodies: join(bodies) };
}

/** The results that were told. */
export function unpackResults({ text, bodies }: Packet): readonly WorkResult[] {
  const rest = new Bodies(bodies);
  return (JSON.parse(text) as ToldResult[]).map((told): WorkResult => {
    if ("error" in told) return { error: toldError(told.error) };
    if (!("claimed" in told)) return { value: told.value };
    return {
      value: told.claimed.map((entry) => withBody(entry as WithoutBody<ClaimedEntry>, rest)),
    };
  });
}

/** Something with a delivery, and the length of its body in place of the body. */
type WithoutBody<Entry> = Omit<Entry, "delivery"> & {
  readonly delivery: Omit<Delivery, "body"> & { readonly body: number };
};

function withoutBody<Entry extends { readonly delivery: Delivery }>(
  entry: Entry,
  bodies: Uint8Array[],
): WithoutBody<Entry> {
  const { body } = entry.delivery;
  bodies.push(body);
  return { ...entry, delivery: { ...entry.delivery, body: body.byteLength } };
}

function withBody<Entry>(entry: WithoutBody<Entry>, rest: Bodies): Entry {
  const { delivery } = entry;
  return { ...entry, delivery: { ...delivery, body: rest.take(delivery.body) } } as Entry;
}

/** Never nothing: Node's own SQLite takes an empty view into no memory for NULL. */
function join(bodies: readonly Uint8Array[]): ArrayBuffer {
  const length = bodies.reduce((sum, { byteLength }) => sum + byteLength, 0);
  const joined = new Uint8Array(Math.max(1, length));
  let at = 0;
  for (const body of bodies) {
    joined.set(body, at);
    at += body.byteLength;
  }
  return joined.buffer;
}

/** Gives one body after another out of a joined piece of memory. */
class Bodies {
  readonly #joined: ArrayBuffer;
  #at = 0;

  constructor(joined: ArrayBuffer) {
    this.#joined = joined;
  }

  take(length: number): Uint8Array {
    const body = new Uint8Array(this.#joined, this.#at, length);
    this.#at += length;
    return body;
  }
}
