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
import { durationText } from "../../text/duration-text.ts";
import type { Explanation, Step } from "../api.ts";
import { shownDigest } from "./shown-headers.ts";
import { summariseEntry } from "./summarise-entry.ts";

export interface Signing {
  readonly secrets: readonly Secret[];
  readonly signatureHeader: string;
}

export function explainEntry(entry: Entry, delivery: Delivery | undefined, signing: Signing): Explanation {
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
  return { status, ...summariseEntry(entry, rejected), steps };
}

function signatureStep(delivery: Delivery | undefined, { secrets, signatureHeader }: Signing): Step {
  const name = "Signature";
  if (delivery === undefined) {
    return { name, result: "passed", text: "It was valid on arrival; the delivery has been deleted since." };
  }
  const { body, headers } = delivery;
  const header = readHeader(headers, signatureHeader);
  const verified = verify(body, header, secrets);
  const came = header === undefined ? "(none)" : [header].flat().map(shownDigest).join(", ");
  const bom = hasByteOrderMark(body) ? ", including a byte order mark" : "";
  const covered = { name: "over the raw body", value: `${body.byteLength} bytes${bom}` };
  const details = [{ name: `received ${signatureHeader}`, value: came }];
  if (header === undefined) {
    const text =
      "It has no such header: it was accepted under another header name, or through a channel that needs no signature.";
    return { name, result: "skipped", text, details: [covered] };
  }
  if (!verified.ok) {
    const text =
      "It was authentic on arrival, but no secret of this run matches now. The secret may have been rotated.";
    return { name, result: "passed", text, details: [...details, covered] };
  }
  const { role, fingerprint, key } = verified.secret;
  const computed = { name: `with ${role} secret ${fingerprint}`, value: sign(body, key) };
  const text = `The HMAC-SHA256 of the raw bytes with the ${role} secret matches the header.`;
  return { name, result: "passed", text, details: [...details, computed, covered] };
}

function envelopeStep(read: ReturnType<typeof readEnvelope> | undefined): Step {
  const name = "Envelope";
  if (read === undefined) return { name, result: "skipped", text: "The delivery has been deleted." };
  if (!read.ok) {
    const { message, field } = read.rejection;
    const where = field === undefined || field === "" ? [] : [{ name: "field", value: field }];
    return { name, result: "failed", text: `${message}.`, details: where };
  }
  const text = "Valid JSON without duplicate keys, with event, timestamp, data and webhook.";
  return { name, result: "passed", text };
}

function timeStep({ reason, receivedAt, eventTimestamp }: Entry, read: ReadEnvelope | undefined): Step {
  const name = "Time";
  if (eventTimestamp === null || read === undefined) {
    return { name, result: "skipped", text: "There is no timestamp to check." };
  }
  const details = [{ name: "timestamp", value: read.envelope.timestamp }];
  const age = receivedAt - eventTimestamp;
  const failed = (text: string): Step => ({ name, result: "failed", text, details });
  if (reason === "too_old") return failed(`It was ${durationText(age)} old, which is older than accepted.`);
  if (reason === "future_timestamp")
    return failed(`It was ${durationText(-age)} ahead of this machine's clock.`);
  const text =
    age < 0 ? `${durationText(-age)} ahead of this machine's clock.` : `${durationText(age)} old on arrival.`;
  return { name, result: "passed", text, details };
}

function dataStep({ kind, reason }: Entry, rejected: boolean): Step {
  const name = "Data";
  if (rejected || kind === null) return { name, result: "skipped", text: "Not checked." };
  if (reason === "invalid_data") {
    const text = `It does not fit the schema of ${kind}.`;
    return { name, result: "failed", text };
  }
  if (reason === "inexact_number") {
    return { name, result: "failed", text: "It has a number that JavaScript would change." };
  }
  if (!isEventKind(kind))
    return { name, result: "passed", text: "This version does not know the kind, so data is not checked." };
  return { name, result: "passed", text: `It fits what is known about ${kind}.` };
}

function identityStep({ key, duplicates }: Entry, rejected: boolean): Step {
  const name = "Identity";
  const details = [{ name: rejected ? "key of the bytes" : "event id", value: key.eventId }];
  const again = duplicates === 0 ? "Received once." : `Received ${duplicates + 1} times, kept once.`;
  if (rejected) return { name, result: "skipped", text: `Not an event. ${again}`, details };
  const derived = /^evt_\d+_[0-9a-f]{40}$/.test(key.eventId);
  const own = derived ? "The id is derived from kind, timestamp and data." : "The id is the envelope's own.";
  const rule = key.timestamp === OWN_IDENTITY ? "The id was returned by identity." : own;
  return { name, result: "passed", text: `${rule} ${again}`, details };
}
