import { durationText } from "../duration-text.ts";
import type { Delivery } from "../event/delivery.ts";
import { OWN_IDENTITY, REJECTED } from "../event/identity.ts";
import { isEventKind } from "../event/kinds.ts";
import { type ReadEnvelope, readEnvelope } from "../event/read-envelope.ts";
import { hasByteOrderMark } from "../event/utf8.ts";
import type { Entry } from "../inbox/entry.ts";
import { awaitsHandler } from "../inbox/runner.ts";
import { DROPPED, TARGET_AWAY } from "../inbox/target-wait.ts";
import { CHANNEL_METHOD } from "../receiver/channel.ts";
import { readHeader } from "../signature/header.ts";
import type { Secret } from "../signature/secrets.ts";
import { sign } from "../signature/sign.ts";
import { verify } from "../signature/verify.ts";
import type { Explanation, Step } from "./api.ts";
import { shownDigest } from "./shown-digest.ts";
import { summarise as summariseProblems } from "./verdict.ts";
import { reasonWords } from "./words.ts";

/** What is needed to verify a signature again. */
export interface Signing {
  readonly secrets: readonly Secret[];
  readonly signatureHeader: string;
}

/** Explains an entry: what the receiver checked, and what its handlers did. */
export function explainEntry(entry: Entry, delivery: Delivery | undefined, signing: Signing): Explanation {
  const rejected = entry.key.timestamp === REJECTED;
  const read = delivery === undefined ? undefined : readEnvelope(delivery.body);
  const steps = [
    signatureStep(delivery, signing),
    envelopeStep(read),
    timeStep(entry, read?.ok === true ? read : undefined),
    dataStep(entry, rejected),
    identityStep(entry, rejected),
    outcomeStep(entry),
  ];
  if (delivery?.method === CHANNEL_METHOD) {
    const { summary, fix } = summarise(entry, rejected);
    return {
      status: null,
      summary: summary.replace(/ and answered with 200|: it was answered with 400/, ""),
      fix,
      steps,
    };
  }
  return { status: rejected ? 400 : 200, ...summarise(entry, rejected), steps };
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
  if (reason === "too_old") {
    return {
      name,
      result: "failed",
      text: `It was ${durationText(age)} old, which is older than accepted.`,
      details,
    };
  }
  if (reason === "future_timestamp") {
    return {
      name,
      result: "failed",
      text: `It was ${durationText(-age)} ahead of this machine's clock.`,
      details,
    };
  }
  const text =
    age < 0 ? `${durationText(-age)} ahead of this machine's clock.` : `${durationText(age)} old on arrival.`;
  return { name, result: "passed", text, details };
}

function dataStep({ kind, reason, problems }: Entry, rejected: boolean): Step {
  const name = "Data";
  if (rejected || kind === null) return { name, result: "skipped", text: "Not checked." };
  if (reason === "invalid_data") {
    const text = `data does not fit the schema of ${kind}.`;
    const details = problems.map(({ field, message }) => ({ name: field, value: message }));
    return { name, result: "failed", text, details };
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

function outcomeStep({ state, reason, attempts, settledAt, receivedAt, waits }: Entry): Step {
  const name = "Handlers";
  const tries = `${attempts} attempt${attempts === 1 ? "" : "s"}`;
  if (state === "done") {
    const took = settledAt === null ? "" : `, ${durationText(settledAt - receivedAt)} after arrival`;
    return { name, result: "passed", text: `Handled after ${tries}${took}.` };
  }
  if (reason === "invalid_data")
    return { name, result: "failed", text: "None ran: the data does not fit the schema." };
  if (state === "dead")
    return { name, result: "failed", text: `Dead letter after ${tries}: ${reasonWords(reason ?? "")}.` };
  if (state === "unhandled")
    return { name, result: "skipped", text: "There was no handler or target for this kind." };
  if (reason === DROPPED)
    return { name, result: "failed", text: `It is dropped when this run ends; ${tries} so far.` };
  if (reason === TARGET_AWAY) {
    const targets = waits.flatMap(({ target, over }) => (over === null ? [target] : []));
    return { name, result: "skipped", text: `Waiting for ${targets.join(" and ")}; ${tries} so far.` };
  }
  if (awaitsHandler(reason))
    return {
      name,
      result: "skipped",
      text: "No running process has a handler for this kind: it waits for one.",
    };
  const text =
    state === "running"
      ? `Attempt ${attempts} is running.`
      : `Waiting for the next attempt; ${tries} so far.`;
  return { name, result: "skipped", text };
}

/** What happened, in a sentence or two, and what to do. */
function summarise(
  { state, reason, problems, kind, attempts }: Entry,
  rejected: boolean,
): Pick<Explanation, "summary" | "fix"> {
  if (rejected) {
    const time = reason === "too_old" || reason === "future_timestamp";
    const fix = time
      ? "Redrive it to accept it anyway, or replay it as a new event with the current time."
      : "Fix the body and send it as a new delivery.";
    if (state === "done") return { summary: "It was rejected, then redriven as an event.", fix: null };
    return { summary: "It is authentic, but the body was rejected: it was answered with 400.", fix };
  }
  if (reason === "invalid_data") {
    const fix = "Fix the schema and redrive it, or edit the data and send it as a new delivery.";
    const summary = `It was kept and answered with 200, but its data does not fit ${kind}: ${summariseProblems(problems)}.`;
    return { summary, fix };
  }
  if (reason === DROPPED && state === "dead") {
    return {
      summary: "It was kept and answered with 200, then dropped by hand.",
      fix: "Redrive it to take it back.",
    };
  }
  if (state === "pending" && reason === TARGET_AWAY) {
    const summary =
      "It was kept and answered with 200. Its target does not answer, so it waits for its turn.";
    return {
      summary,
      fix: "Start the target: once it answers, what waits for it is sent in order of arrival.",
    };
  }
  if (state === "dead") {
    const fix = "Fix the handler or the target, then redrive it.";
    return { summary: "It was kept and answered with 200, but its handlers failed every time.", fix };
  }
  if (state === "unhandled") {
    const fix =
      "Start listen with a handler or target for this kind (--handlers, --forward-to), then redrive it.";
    return { summary: "It was kept and answered with 200. There is no handler or target for its kind.", fix };
  }
  if (state === "done")
    return { summary: "It was kept and answered with 200, and its handlers succeeded.", fix: null };
  if (state === "pending" && attempts > 0) {
    const times = attempts === 1 ? "once" : `${attempts} times`;
    const summary = `It was kept and answered with 200. Its handlers failed ${times}; it will be retried.`;
    return { summary, fix: "Fix the handler or the target; the next attempt will use the new version." };
  }
  const running = state === "running" ? "Its handlers are running." : "Its handlers will run next.";
  return { summary: `It was kept and answered with 200. ${running}`, fix: null };
}
