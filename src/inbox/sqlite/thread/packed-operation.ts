import type { Delivery } from "../../../event/delivery.ts";
import type { NewEntry } from "../../append.ts";
import type { KeepTerms } from "../../kept.ts";
import type { Finish } from "../../runs-within.ts";
import { deliveryWithHeadersAsJson } from "../headers-json.ts";
import type { Operation } from "../operations.ts";
import type { PacketReader, PacketWriter } from "./packet.ts";

// The operations of every delivery are written value by value, all others as JSON. Each pair of functions below writes and
// reads the same values in the same order.

/** Writes an operation into a packet. */
export function writeOperation(packet: PacketWriter, operation: Operation): void {
  const { name, args } = operation;
  const [first, second] = args;
  packet.text(name);
  if (name === "keep") {
    writeDelivery(packet, first as Delivery);
    writeTerms(packet, second as KeepTerms);
  } else if (name === "finish") {
    writeFinish(packet, first as Finish);
    packet.number(second as number);
  } else if (name === "append") {
    const { delivery, ...entry } = first as NewEntry;
    writeDelivery(packet, delivery);
    packet.json(entry);
  } else packet.json(args);
}

/** Reads an operation from a packet. */
export function readOperation(packet: PacketReader): Operation {
  const name = packet.text() as Operation["name"];
  if (name === "keep") return { name, args: [readDeliveryToKeep(packet), readTerms(packet)] };
  if (name === "finish") return { name, args: [readFinish(packet), packet.number()] };
  if (name !== "append") return { name, args: packet.json() };
  const delivery = readDeliveryToKeep(packet);
  return { name, args: [{ ...packet.json<Omit<NewEntry, "delivery">>(), delivery }] };
}

/** Writes a delivery into a packet. */
export function writeDelivery(packet: PacketWriter, delivery: Delivery): void {
  packet.text(delivery.method);
  packet.text(delivery.target);
  packet.json(delivery.headers);
  packet.bytes(delivery.body);
  packet.number(delivery.receivedAt);
}

/** Reads a delivery from a packet; its body is a view. */
export function readDelivery(packet: PacketReader): Delivery {
  return {
    method: packet.text(),
    target: packet.text(),
    headers: packet.json(),
    body: packet.bytes(),
    receivedAt: packet.number(),
  };
}

/** The same, for a delivery that is only stored: its headers need not be parsed. */
function readDeliveryToKeep(packet: PacketReader): Delivery {
  const method = packet.text();
  const target = packet.text();
  const headers = packet.text();
  const body = packet.bytes();
  return deliveryWithHeadersAsJson({ method, target, headers, body, receivedAt: packet.number() });
}

function writeTerms(packet: PacketWriter, terms: KeepTerms): void {
  packet.text(terms.source);
  packet.number(terms.now);
  packet.number(terms.maxAge);
  packet.number(terms.maxSkew);
  packet.number(terms.holdMs);
  packet.text(terms.lease?.token ?? null);
  if (terms.lease !== undefined) packet.number(terms.lease.until);
}

function readTerms(packet: PacketReader): KeepTerms {
  const source = packet.text();
  const now = packet.number();
  const maxAge = packet.number();
  const maxSkew = packet.number();
  const holdMs = packet.number();
  const token = packet.textOrNull();
  const lease = token === null ? undefined : { token, until: packet.number() };
  return { source, now, maxAge, maxSkew, holdMs, lease };
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
