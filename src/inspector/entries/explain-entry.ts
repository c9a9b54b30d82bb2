import { durationText } from "../../base/text/duration-text.ts";
import type { Delivery } from "../../event/delivery.ts";
import { OWN_IDENTITY, REJECTED } from "../../event/identity.ts";
import { isEventKind } from "../../event/kinds.ts";
import { type ReadEnvelope, readEnvelope } from "../../event/read-envelope.ts";
import { hasByteOrderMark } from "../../event/utf8.ts";
import type { Entry } from "../../inbox/entry.ts";
import { CHANNEL_METHOD } from "../../receiver/channel.ts";
import { readHeader } from "../../signature/header.ts";
import type { Secret } from "../../signature/secrets.ts";
import { sign } from "../../signature/sign.ts";
import { verify } from "../../signature/verify.ts";
import type { Explanation, VerdictStep } from "../api.ts";
import { shownDigest } from "./shown-delivery.ts";
import { summariseEntry } from "./summarise-entry.ts";

export interface Signing {
  readonly secrets: readonly Secret[];
  readonly signatureHeader: string;
}

export function explainEntry(
  entry: Entry,
  delivery: Delivery | undefined,
  signing: Signing,
): Explanation {
  const rejected = entry.key.timestamp === REJECTED;
  const read = delivery === undefined ? undefined : readEnvelope(delivery.body);
  const steps = [
    signatureStep(delivery, signing),
    envelopeStep(read),
    timeStep(entry, read?.ok === true ? read : undefined),
    dataStep(entry, rejected),
    identityStep(entry, rejected),
  ];
  const answered = rejected ? 400 : 200;
  const status = delivery?.method === CHANNEL_METHOD ? null : answered;
  return { status, ...summariseEntry(entry), steps };
}

function step(
  name: string,
  result: VerdictStep["result"],
  text: string,
  details: VerdictStep["details"] = [],
): VerdictStep {
  return { name, result, text, ...(details.length > 0 && { details }) };
}

function signatureStep(
  delivery: Delivery | undefined,
  { secrets, signatureHeader }: Signing,
): VerdictStep {
  const found = (result: VerdictStep["result"], text: string, details?: VerdictStep["details"]) =>
    step("Signature", result, text, details);
  if (delivery === undefined)
    return found("passed", "It was valid on arrival; the delivery has been deleted since.");
  const { body, headers } = delivery;
  const header = readHeader(headers, signatureHeader);
  const bom = hasByteOrderMark(body) ? ", including a byte order mark" : "";
  const covered = { name: "over the raw body", value: `${body.byteLength} bytes${bom}` };
  if (header === undefined) {
    const text =
      "It has no such header: it was accepted under another header name, or through a channel that needs no signature.";
    return found("skipped", text, [covered]);
  }
  const came = {
    name: `received ${signatureHeader}`,
    value: [header].flat().map(shownDigest).join(", "),
  };
  const verified = verify(body, header, secrets);
  if (!verified.ok) {
    const text =
      "It was authentic on arrival, but no secret of this run matches now. The secret may have been rotated.";
    return found("passed", text, [came, covered]);
  }
  const { role, fingerprint, key } = verified.secret;
  const computed = { name: `with ${role} secret ${fingerprint}`, value: sign(body, key) };
  const text = `The HMAC-SHA256 of the raw bytes with the ${role} secret matches the header.`;
  return found("passed", text, [came, computed, covered]);
}

function envelopeStep(read: ReturnType<typeof readEnvelope> | undefined): VerdictStep {
  if (read === undefined) return step("Envelope", "skipped", "The delivery has been deleted.");
  if (!read.ok) {
    const { message, field } = read.rejection;
    return step(
      "Envelope",
      "failed",
      `${message}.`,
      field ? [{ name: "field", value: field }] : [],
    );
  }
  const text = "Valid JSON without duplicate keys, with event, timestamp, data and webhook.";
  return step("Envelope", "passed", text);
}

function timeStep(
  { reason, receivedAt, eventTimestamp }: Entry,
  read: ReadEnvelope | undefined,
): VerdictStep {
  if (eventTimestamp === null || read === undefined)
    return step("Time", "skipped", "There is no timestamp to check.");
  const details = [{ name: "timestamp", value: read.envelope.timestamp }];
  const age = receivedAt - eventTimestamp;
  const ahead = `${durationText(-age)} ahead of this machine's clock.`;
  if (reason === "too_old")
    return step(
      "Time",
      "failed",
      `It was ${durationText(age)} old, which is older than accepted.`,
      details,
    );
  if (reason === "future_timestamp") return step("Time", "failed", `It was ${ahead}`, details);
  return step("Time", "passed", age < 0 ? ahead : `${durationText(age)} old on arrival.`, details);
}

function dataStep({ kind, reason }: Entry, rejected: boolean): VerdictStep {
  if (rejected || kind === null) return step("Data", "skipped", "Not checked.");
  if (reason === "invalid_data")
    return step("Data", "failed", `It does not fit the schema of ${kind}.`);
  if (reason === "schema_failed") return step("Data", "failed", `The schema of ${kind} failed.`);
  if (reason === "inexact_number")
    return step("Data", "failed", "It has a number that JavaScript would change.");
  if (!isEventKind(kind))
    return step("Data", "passed", "This version does not know the kind, so data is not checked.");
  return step("Data", "passed", `It fits what is known about ${kind}.`);
}

function identityStep({ key, duplicates }: Entry, rejected: boolean): VerdictStep {
  const details = [{ name: rejected ? "key of the bytes" : "event id", value: key.eventId }];
  const again =
    duplicates === 0 ? "Received once." : `Received ${duplicates + 1} times, kept once.`;
  if (rejected) return step("Identity", "skipped", `Not an event. ${again}`, details);
  const derived = /^evt_\d+_[0-9a-f]{40}$/.test(key.eventId);
  const own = derived
    ? "The id is derived from kind, timestamp and data."
    : "The id is the envelope's own.";
  const rule = key.timestamp === OWN_IDENTITY ? "The id was returned by identity." : own;
  return step("Identity", "passed", `${rule} ${again}`, details);
}
