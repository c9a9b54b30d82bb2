import type { Delivery } from "../../../event/delivery.ts";
import type { NewEntry } from "../../append.ts";
import type { Finish } from "../../runs-within.ts";
import type { Operation } from "../operations.ts";
import type { PacketReader, PacketWriter } from "./packet.ts";

// The operations of every delivery are written value by value, all others as JSON. Each pair of functions below writes and
// reads the same values in the same order.

export function writeOperation(packet: PacketWriter, operation: Operation): void {
  const { name, args } = operation;
  const [first, second] = args;
  packet.text(name);
  if (name === "append") writeEntry(packet, first as NewEntry);
  else if (name === "finish") {
    writeFinish(packet, first as Finish);
    packet.number(second as number);
  } else packet.json(args);
}

export function readOperation(packet: PacketReader): Operation {
  const name = packet.text() as Operation["name"];
  if (name === "append") return { name, args: [readEntry(packet)] };
  if (name === "finish") return { name, args: [readFinish(packet), packet.number()] };
  return { name, args: packet.json() };
}

export function writeDelivery(packet: PacketWriter, delivery: Delivery): void {
  packet.text(delivery.method);
  packet.text(delivery.target);
  packet.json(delivery.headers);
  packet.bytes(delivery.body);
  packet.number(delivery.receivedAt);
}

/**
 * Reads a delivery from a packet; its body is a view.
 *
 * @param isOnlyStored - leaves the headers the JSON that they are
 */
export function readDelivery(packet: PacketReader, isOnlyStored = false): Delivery {
  return {
    method: packet.text(),
    target: packet.text(),
    headers: isOnlyStored ? (packet.text() as never) : packet.json(),
    body: packet.bytes(),
    receivedAt: packet.number(),
  };
}

function writeEntry(packet: PacketWriter, entry: NewEntry): void {
  const { key, lease } = entry;
  packet.text(key.source);
  packet.text(key.eventId);
  packet.number(key.timestamp);
  packet.text(entry.kind);
  packet.number(entry.eventTimestamp ?? Number.NaN);
  packet.text(entry.state);
  packet.text(entry.reason);
  packet.json(entry.problems);
  packet.text(entry.orderKey);
  packet.number(entry.runAt ?? Number.NaN);
  packet.number(entry.afterPruning === true ? 1 : 0);
  packet.text(lease?.token ?? null);
  packet.number(lease?.until ?? Number.NaN);
  writeDelivery(packet, entry.delivery);
}

function readEntry(packet: PacketReader): NewEntry {
  const key = { source: packet.text(), eventId: packet.text(), timestamp: packet.number() };
  const kind = packet.textOrNull();
  const eventTimestamp = packet.numberOr(null);
  const state = packet.text() as NewEntry["state"];
  const reason = packet.textOrNull();
  const problems = packet.json<NewEntry["problems"]>();
  const orderKey = packet.textOrNull();
  const runAt = packet.numberOr(undefined);
  const afterPruning = packet.number() === 1;
  const token = packet.textOrNull();
  const until = packet.number();
  const lease = token === null ? undefined : { token, until };
  const delivery = readDelivery(packet, true);
  return {
    key,
    kind,
    eventTimestamp,
    state,
    reason,
    problems,
    orderKey,
    runAt,
    afterPruning,
    lease,
    delivery,
  };
}

function writeFinish(packet: PacketWriter, { seq, lease, runAt, runs, ordered }: Finish): void {
  packet.number(seq);
  packet.text(lease);
  packet.number(runAt);
  packet.text(runs);
  packet.number(ordered ? 1 : 0);
}

function readFinish(packet: PacketReader): Finish {
  return {
    seq: packet.number(),
    lease: packet.text(),
    runAt: packet.number(),
    runs: packet.text(),
    ordered: packet.number() === 1,
  };
}
