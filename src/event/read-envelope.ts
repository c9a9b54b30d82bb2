/**
 * The bytes of a body whose signature is valid come in. An envelope with its event id goes out, or
 * the reason why it is none. No number and no key is lost on the way without being named.
 */

import { cutText } from "../base/text/cut-text.ts";
import type { InexactNumber } from "./canonical-number.ts";
import type { DataProblem } from "./data-problems.ts";
import type { WebhookEvent } from "./event.ts";
import { fieldOf } from "./field-path.ts";
import { deriveEventId, ownEventId, shortDigest } from "./identity.ts";
import { type ParsedEnvelope, parseEnvelope, parseEnvelopeAgain } from "./parse-envelope.ts";
import type { Parsed } from "./rejection.ts";
import type { OpenObject } from "./schemas.ts";
import { decodeUtf8 } from "./utf8.ts";

export interface ReadEnvelope extends Omit<ParsedEnvelope, "content" | "inexact"> {
  readonly eventId: string;
  /** A digest that is equal for events that differ only in their timestamp. */
  readonly content: string;
  /** Numbers that parsing has changed, since a double does not hold them. */
  readonly inexact: readonly DataProblem[];
}

const NONE: readonly DataProblem[] = [];
const MAX_DIGITS = 40;

export type EnvelopeResult = Parsed<ReadEnvelope>;

/**
 * Reads signed bytes as an envelope; see {@link parseEnvelope}. Call it only with bytes whose
 * signature is valid.
 */
export function readEnvelope(body: Uint8Array): EnvelopeResult {
  const parsed = parseEnvelope(body, decodeUtf8);
  if (!parsed.ok) return parsed;
  const { envelope, timestamp, inexact } = parsed;
  const content = shortDigest(parsed.content);
  const own = envelope.id === undefined ? undefined : ownEventId(envelope.id);
  return {
    ok: true,
    envelope,
    eventId: own ?? deriveEventId(content, timestamp),
    timestamp,
    content,
    inexact: inexact.length === 0 ? NONE : inexact.map(inexactProblem),
  };
}

/**
 * Reads bytes that {@link readEnvelope} has accepted before, without repeating all of its checks.
 */
export function readEnvelopeAgain(body: Uint8Array): Parsed<Pick<ReadEnvelope, "envelope">> {
  return parseEnvelopeAgain(body, decodeUtf8);
}

/**
 * A number that a double does not hold:
 * `data.rent: sent 9007199254740993, read as 9007199254740992`.
 */
function inexactProblem({ steps: [root, ...steps], text }: InexactNumber): DataProblem {
  const message = `sent ${cutText(text, MAX_DIGITS)}, read as ${Number(text)}`;
  return { field: fieldOf(String(root), steps), message };
}

/**
 * Turns an envelope into the event that handlers receive; `data` may be a schema's output instead
 * of what was sent.
 */
export function toEvent(
  { envelope, eventId }: Pick<ReadEnvelope, "envelope" | "eventId">,
  source: string,
  data: unknown = envelope.data,
): WebhookEvent {
  const { event: kind, timestamp, webhook } = envelope;
  return { id: eventId, kind, timestamp, data: data as OpenObject, webhook, source, envelope };
}
