import type { Delivery } from "../../event/delivery.ts";
import type { NewEntry } from "../append.ts";
import type { AttemptRecord } from "../attempt-record.ts";
import type { KeepTerms } from "../kept.ts";
import type { Settlement } from "../settlement.ts";
import { deliveryWithHeadersAsJson } from "./headers-json.ts";
import type { Operation } from "./operations.ts";
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
  } else if (name === "settle") {
    writeSettlement(packet, first as Settlement);
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
  if (name === "settle") return { name, args: [readSettlement(packet), packet.number()] };
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

function writeSettlement(packet: PacketWriter, settlement: Settlement): void {
  packet.number(settlement.seq);
  packet.text(settlement.lease);
  packet.text(settlement.state);
  packet.text(settlement.reason);
  packet.json(settlement.problems);
  packet.number(settlement.runAt);
  packet.json(settlement.finishedHandlers);
  packet.json(settlement.waits);
  packet.number(settlement.uncount === true ? 1 : 0);
  packet.number(settlement.unordered === true ? 1 : 0);
  packet.number(settlement.records.length);
  for (const record of settlement.records) writeRecord(packet, record);
}

function readSettlement(packet: PacketReader): Settlement {
  return {
    seq: packet.number(),
    lease: packet.text(),
    state: packet.text() as Settlement["state"],
    reason: packet.textOrNull(),
    problems: packet.json(),
    runAt: packet.number(),
    finishedHandlers: packet.json(),
    waits: packet.json(),
    uncount: packet.number() === 1,
    unordered: packet.number() === 1,
    records: Array.from({ length: packet.number() }, () => readRecord(packet)),
  };
}

function writeRecord(packet: PacketWriter, record: AttemptRecord): void {
  packet.number(record.attempt);
  packet.text(record.handler);
  packet.number(record.startedAt);
  packet.number(record.durationMs);
  packet.text(record.outcome);
  packet.text(record.error);
  packet.json(record.failure);
  packet.text(record.note);
}

function readRecord(packet: PacketReader): AttemptRecord {
  return {
    attempt: packet.number(),
    handler: packet.text(),
    startedAt: packet.number(),
    durationMs: packet.number(),
    outcome: packet.text() as AttemptRecord["outcome"],
    error: packet.textOrNull(),
    failure: packet.json(),
    note: packet.textOrNull(),
  };
}
