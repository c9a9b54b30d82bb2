import type { KeyObject } from "node:crypto";
import { HookporterError } from "../base/errors.ts";
import { tryOr } from "../base/try-or.ts";
import type { Envelope } from "../event/envelope.ts";
import { parseExact, printExact } from "../event/exact-json.ts";
import { type EventKind, isEventKind } from "../event/kinds.ts";
import { sampleEvent } from "../event/sample.ts";
import { sign } from "../signature/sign.ts";

/** Makes up the `data` of triggered events. */
export interface MadeUpData {
  readonly file: string;
  /**
   * `data` of a kind as JSON, the same for the same seed; nothing for a kind that is not in the
   * file.
   */
  readonly data: (kind: string, seed: number) => string | undefined;
}

/** Changes to a sample before it is signed and sent. */
export interface TriggerOptions {
  /**
   * JSON text that replaces `data`; sent exactly as written, or only its numbers if a value inside
   * it is set.
   */
  readonly data?: string;
  /**
   * Values by path, such as `data.amount` = `1200`: parsed as JSON if possible, numbers as written,
   * else strings.
   */
  readonly set?: readonly { readonly path: string; readonly value: string }[];
  /** Milliseconds since 1970. */
  readonly timestamp: number;
  /**
   * Replaces the number in the sample's own `data.id`, so that the event is about another resource.
   */
  readonly resource?: string;
}

/**
 * Creates the body of a triggered event. Throws `input_invalid` for data that is not a JSON object,
 * or an invalid path.
 */
export function triggerBody(
  kind: string,
  { data, set = [], timestamp, resource }: TriggerOptions,
): Buffer {
  const envelope = startFrom(kind, timestamp);
  const { id } = envelope.data;
  if (resource !== undefined && typeof id === "string")
    envelope.data.id = id.replace(/_[0-9]+$/, `_${resource}`);
  if (data !== undefined) envelope.data = parseData(data);
  for (const { path, value } of set) setPath(envelope, path, value);
  const untouched =
    data !== undefined && !set.some(({ path }) => path === "data" || path.startsWith("data."));
  if (!untouched) return Buffer.from(printExact(envelope), "utf8");
  // The user's text is inserted unchanged, so that spacing and spelling survive.
  const members = Object.entries(envelope).map(([key, value]) => {
    return `${JSON.stringify(key)}:${key === "data" ? data.trim() : printExact(value)}`;
  });
  return Buffer.from(`{${members.join(",")}}`, "utf8");
}

interface Signing {
  readonly header: string;
  /** The key; without one, the delivery has no signature. */
  readonly key: KeyObject | undefined;
}

/** Creates a triggered event, ready to be sent. Throws HookporterError as {@link triggerBody}. */
export function triggerDelivery(kind: string, options: TriggerOptions, { header, key }: Signing) {
  const body = triggerBody(kind, options);
  const signature = key === undefined ? {} : { [header]: sign(body, key) };
  return { headers: { "content-type": "application/json", ...signature }, body };
}

function startFrom(kind: string, timestamp: number): Envelope {
  if (isEventKind(kind)) return sampleEvent(kind, { timestamp });
  const known: EventKind = "contact.created";
  return { ...sampleEvent(known, { timestamp, data: { id: "sample_0001" } }), event: kind };
}

function parseData(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = parseExact(text);
  } catch (cause) {
    const wrong = "expected data to be a JSON object, got text that is not JSON";
    throw new HookporterError("input_invalid", wrong, { cause });
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>;
  throw new HookporterError(
    "input_invalid",
    "expected data to be a JSON object, got another JSON value",
  );
}

function setPath(envelope: Envelope, path: string, text: string): void {
  const steps = path.split(".");
  const last = steps.pop() ?? "";
  let holder: unknown = envelope;
  for (const step of steps) {
    const parent = holder as Record<string, unknown>;
    if (!Object.hasOwn(parent, step)) parent[step] = {};
    holder = parent[step];
    if (typeof holder !== "object" || holder === null)
      throw new HookporterError(
        "input_invalid",
        `--set ${path}: expected ${step} to be an object, got another value: set it to an object first`,
      );
  }
  // such as `length`
  const isBeyond = Array.isArray(holder) && !(/^\d+$/.test(last) && Number(last) <= holder.length);
  if (isBeyond || [...steps, last].some((step) => step === "" || step === "__proto__"))
    throw new HookporterError(
      "input_invalid",
      `--set ${path}: expected a path and a value, such as data.amount=1200`,
    );
  (holder as Record<string, unknown>)[last] = tryOr(() => parseExact(text), text);
}
