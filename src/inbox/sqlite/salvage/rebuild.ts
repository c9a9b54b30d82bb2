import type { Delivery } from "../../../event/delivery.ts";
import { type DedupKey, rejectedKey } from "../../../event/identity.ts";
import { readEnvelope } from "../../../event/read-envelope.ts";
import { hash } from "../../../package/builtins.ts";
import type { Entry } from "../../entry.ts";
import { storedKind } from "../../new-entry.ts";

/**
 * An entry of which only the delivery is left, as it was when it was received. It runs again, since nobody knows whether it
 * did; a delivery that is no event is a dead letter again.
 *
 * @param key - its dedup key if that is known from an index; otherwise it is derived, without the receiver's own `identity`
 */
export function rebuildEntry(
  seq: number,
  delivery: Delivery,
  { key, source }: { readonly key: DedupKey | undefined; readonly source: string },
): Entry {
  const read = readEnvelope(delivery.body);
  const { receivedAt } = delivery;
  const own = read.ok
    ? {
        key: key ?? { source, eventId: read.eventId, timestamp: read.timestamp },
        ...{ kind: storedKind(read.envelope.event), eventTimestamp: read.timestamp },
        ...{ state: "pending" as const, reason: null, settledAt: null },
      }
    : {
        key: key ?? rejectedKey(source, delivery.body),
        ...{ kind: null, eventTimestamp: null },
        ...{ state: "dead" as const, reason: read.rejection.reason, settledAt: receivedAt },
      };
  return {
    ...own,
    seq,
    ...{ problems: [], orderKey: null, receivedAt, runAt: receivedAt, attempts: 0, duplicates: 0 },
    ...{ lastSeenAt: receivedAt, finishedHandlers: [], waits: [] },
    ...{ bodyHash: hash("sha256", delivery.body, "hex"), bodyLength: delivery.body.byteLength },
  };
}
