import { Buffer } from "node:buffer";
import { DIGEST_LENGTH } from "./identity-text.ts";
import { PlainDigest } from "./plain-digest.ts";
import { PlainJson, type PlainValue } from "./plain-json.ts";
import { afterText, GIVEN_UP, isKey } from "./plain-lexemes.ts";
import { parseTimestamp } from "./timestamp.ts";

/** What a plain envelope says of its event. */
export interface PlainEnvelope {
  readonly kind: string;
  /** Milliseconds since 1970. */
  readonly timestamp: number;
  /** The digest of kind and `data` in canonical form. */
  readonly content: string;
  /** The envelope's own id, if it has one that is a string. */
  readonly id: string | undefined;
  /** The text of `data`, which is JSON. */
  readonly data: string | undefined;
}

const [EVENT, TIMESTAMP, DATA, WEBHOOK, ID, URL] = ["event", "timestamp", "data", "webhook", "id", "url"].map(
  (key) => Buffer.from(`"${key}"`),
) as [Buffer, Buffer, Buffer, Buffer, Buffer, Buffer];

/** How the id of a subscription begins. */
const WEBHOOK_ID = Buffer.from('"wh_');

const QUOTE = 0x22;
const OPEN_OBJECT = 0x7b;

/** Reused by all envelopes: reading one is not interrupted by another. */
const json = new PlainJson();
const digest = new PlainDigest(json);

/**
 * Reads an envelope that is written in plain JSON, in one pass over its bytes and without making its values. Returns
 * `undefined` for all others, also invalid ones: `parseEnvelope` accepts them or says what is wrong.
 *
 * @param needsData - whether the text of `data` is needed for an event of this kind
 */
export function readPlainEnvelope(
  body: Uint8Array,
  needsData: (kind: string) => boolean,
): PlainEnvelope | undefined {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  try {
    return json.read(bytes) ? envelopeIn(bytes, needsData) : undefined;
  } finally {
    json.release();
  }
}

function envelopeIn(bytes: Buffer, needsData: (kind: string) => boolean): PlainEnvelope | undefined {
  let event = 0;
  let timestamp = 0;
  let data = 0;
  let webhook = 0;
  let id = 0;
  for (let member = json.first(json.top); member !== 0; member = json.next(member)) {
    if (is(bytes, member, EVENT)) event = member;
    else if (is(bytes, member, TIMESTAMP)) timestamp = member;
    else if (is(bytes, member, DATA)) data = member;
    else if (is(bytes, member, WEBHOOK)) webhook = member;
    else if (is(bytes, member, ID)) id = member;
  }
  if (!isString(bytes, event) || !isString(bytes, timestamp)) return undefined;
  if (!isObject(bytes, data) || !isWebhook(bytes, webhook)) return undefined;
  const instant = parseTimestamp(stringOf(timestamp));
  if (instant === undefined) return undefined;
  const kind = stringOf(event);
  return {
    kind,
    timestamp: instant,
    content: digest.ofList(bytes, [event, data]).slice(0, DIGEST_LENGTH),
    id: isString(bytes, id) ? stringOf(id) : undefined,
    data: needsData(kind) ? json.text(data) : undefined,
  };
}

/** As `isEnvelope` requires. */
function isWebhook(bytes: Buffer, webhook: PlainValue): boolean {
  if (!isObject(bytes, webhook)) return false;
  let id = 0;
  let url = 0;
  for (let member = json.first(webhook); member !== 0; member = json.next(member)) {
    if (is(bytes, member, ID)) id = member;
    else if (is(bytes, member, URL)) url = member;
  }
  return (
    isString(bytes, id) && isString(bytes, url) && afterText(bytes, json.start(id), WEBHOOK_ID) !== GIVEN_UP
  );
}

/** Whether a member has this key. */
function is(bytes: Buffer, member: PlainValue, key: Buffer): boolean {
  return isKey(bytes, json.keyStart(member), json.keyEnd(member), key);
}

/** Whether there is a value, and it is a string. */
function isString(bytes: Buffer, value: PlainValue): boolean {
  return value !== json.top && bytes[json.start(value)] === QUOTE;
}

function isObject(bytes: Buffer, value: PlainValue): boolean {
  return value !== json.top && bytes[json.start(value)] === OPEN_OBJECT;
}

/** A string's value: it has no escapes. */
function stringOf(value: PlainValue): string {
  return json.text(value).slice(1, -1);
}
