import { HookporterError } from "../base/errors.ts";
import { isRecord } from "../base/guards.ts";
import { shownUrl } from "../base/text/shown-url.ts";
import { tryOr } from "../base/try-or.ts";
import { canCarry, type Delivery, type DeliveryHeaders } from "../event/delivery.ts";
import { parseTimestamp } from "../event/timestamp.ts";
import { type ForeignFile, foreignBytes, foreignJson } from "./foreign-file.ts";

/** Marks a saved delivery, so that it is never confused with an envelope that has a `body`. */
const FORMAT = "hookporter-delivery/1";

/** A fixture: a complete delivery, or only the bytes of an envelope. */
export type Fixture =
  | { readonly type: "delivery"; readonly delivery: Delivery }
  | { readonly type: "envelope"; readonly body: Uint8Array };

/**
 * Formats a delivery as a fixture file. The body is text if that preserves every byte, else base64.
 * The values of the query are hidden, since gateways put credentials there and fixtures are shared.
 */
export function formatDelivery({ method, target, headers, receivedAt, body }: Delivery): string {
  const bytes = Buffer.from(body);
  const text = bytes.toString("utf8");
  const exact = Buffer.from(text, "utf8").equals(bytes);
  const fixture = {
    format: FORMAT,
    receivedAt: new Date(receivedAt).toISOString(),
    method,
    target: shownUrl(target),
    headers,
    bodyEncoding: exact ? "utf8" : "base64",
    body: exact ? text : bytes.toString("base64"),
  };
  return `${JSON.stringify(fixture, null, 2)}\n`;
}

/** A file with JSON that is no webhook. */
export interface NoWebhook extends ForeignFile {
  readonly type: "none";
}

/**
 * Reads a fixture file: a saved delivery, or an envelope, whose bytes are kept. An envelope may
 * lack parts, which its receiver is to refuse, but files of other programs are none. Fixtures are
 * untrusted: they cannot change where they are sent. Throws `fixture_invalid` for a damaged saved
 * delivery, and for bytes that are no JSON.
 */
export function readFixture(bytes: Uint8Array, name: string): Fixture | NoWebhook {
  const value = parseJson(bytes);
  if (value === undefined) throw notAFixture(name, foreignBytes(bytes));
  if (isSaved(value)) return { type: "delivery", delivery: readDelivery(value, name) };
  if (isEnvelope(value)) return { type: "envelope", body: bytes };
  return { type: "none", ...foreignJson(value) };
}

/** As {@link readFixture}; throws `fixture_invalid` for a file without a webhook too. */
export function parseFixture(bytes: Uint8Array, name: string): Fixture {
  const found = readFixture(bytes, name);
  if (found.type === "none") throw notAFixture(name, found);
  return found;
}

function notAFixture(name: string, { looksLike, fix }: ForeignFile): HookporterError {
  return new HookporterError(
    "fixture_invalid",
    `${name}: expected a saved delivery or an envelope, got what looks like ${looksLike}: ${fix}`,
  );
}

/**
 * Whether an object is meant as an envelope: it names an event, or has all else that an envelope
 * has.
 */
function isEnvelope(value: unknown): boolean {
  if (!isRecord(value)) return false;
  return typeof value.event === "string" || (isRecord(value.data) && isRecord(value.webhook));
}

/**
 * The saved delivery in these bytes; `undefined` if they are something else, such as a body. Throws
 * `fixture_invalid` for a damaged saved delivery.
 */
export function parseSaved(bytes: Uint8Array, name: string): Delivery | undefined {
  const value = parseJson(bytes);
  return isSaved(value) ? readDelivery(value, name) : undefined;
}

function isSaved(value: unknown): value is Record<string, unknown> {
  return isRecord(value) && value.format === FORMAT;
}

/** Returns `undefined`, which is not a JSON value, if the bytes are not JSON. */
function parseJson(bytes: Uint8Array): unknown {
  return tryOr(() => {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
    return JSON.parse(text.startsWith("\uFEFF") ? text.slice(1) : text);
  }, undefined);
}

function readDelivery(fixture: Record<string, unknown>, name: string): Delivery {
  const { method, target, headers, receivedAt, body, bodyEncoding } = fixture;
  const fail = (field: string): never => {
    throw new HookporterError(
      "fixture_invalid",
      `${name}: expected a saved delivery, got one with an invalid ${field}: save it again`,
    );
  };
  if (typeof method !== "string" || !/^[A-Z]+$/.test(method)) return fail("method");
  if (typeof target !== "string") return fail("target");
  const received = typeof receivedAt === "string" ? parseTimestamp(receivedAt) : undefined;
  if (received === undefined) return fail("receivedAt");
  if (bodyEncoding !== "utf8" && bodyEncoding !== "base64") return fail("bodyEncoding");
  // Decoding silently skips invalid characters, so the bytes must encode back to the input.
  const bytes = typeof body === "string" ? Buffer.from(body, bodyEncoding) : undefined;
  if (bytes === undefined || bytes.toString(bodyEncoding) !== body) return fail("body");
  const read = readHeaders(headers);
  if (read === undefined) return fail("headers");
  return { method, target, headers: read, receivedAt: received, body: bytes };
}

/**
 * Headers by lowercase name, or `undefined` if Node would refuse to send one; two spellings of a
 * name become a list.
 */
function readHeaders(given: unknown): DeliveryHeaders | undefined {
  if (!isRecord(given)) return undefined;
  const read = new Map<string, string | readonly string[]>();
  for (const [name, value] of Object.entries(given)) {
    const key = name.toLowerCase();
    if (!isSendable(name, value)) return undefined;
    const before = read.get(key);
    read.set(key, before === undefined ? value : [before, value].flat());
  }
  return Object.fromEntries(read);
}

/** Node sends one byte for each character. */
function isSendable(name: string, value: unknown): value is string | readonly string[] {
  return canCarry(name, value) && [value].flat().every((part) => !/[^\0-\xff]/.test(part));
}

/**
 * The file name of a saved delivery. Names sort by arrival and are safe for file systems and
 * shells.
 *
 * @param order - distinguishes deliveries of the same millisecond
 */
export function fixtureName(
  receivedAt: number,
  order: number,
  kind: string | null,
  eventId: string,
): string {
  const time = new Date(receivedAt).toISOString().replaceAll(/[-:]/g, "");
  const parts = [time, String(order).padStart(6, "0"), kind ?? "rejected", eventId.slice(0, 20)];
  return `${parts.map((part) => part.replaceAll(/[^A-Za-z0-9._-]/g, "_").slice(0, 60)).join("-")}.json`;
}
