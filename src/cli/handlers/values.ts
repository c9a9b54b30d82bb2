import { matchesKind } from "../../event/kind-pattern.ts";
import { eventKinds } from "../../event/kinds.ts";
import { NOT_PASSED_ON } from "../../relay/hop-by-hop.ts";
import { UnexpectedValue } from "../input-errors.ts";
import {
  isPastedKey,
  readChoice,
  readCount,
  readDuration,
  readHeaderName,
  readTarget,
  readVariableName,
  repeated,
} from "../settings/values.ts";
import type { ForwardRule } from "./forward-rules.ts";

export interface AddedHeader {
  readonly name: string;
  readonly value: string;
}

/**
 * Reads `3000`, `3000/path`, a URL, or one of these after a pattern, such as `payment.*=3001`; a
 * repeated flag adds to it.
 */
export const readForward = repeated(readRule, { numbers: "too" });

function readRule(text: string): ForwardRule {
  // A pattern contains none of the characters that precede a query in an address.
  const [, pattern = null, address = text] = /^([^=:/?#@]*)=(.*)$/.exec(text) ?? [];
  if (pattern !== null && !eventKinds.some((kind) => matchesKind(pattern, kind)))
    throw new UnexpectedValue(
      `a kind or family such as payment.* before the "="; the kinds are ${eventKinds.join(", ")}`,
    );
  return { pattern, target: readTarget(address) };
}

/** When an event is given up on. */
export interface GiveUp {
  /** The attempts that each event gets at a target. Default: no limit. */
  readonly attempts?: number;
  /** Milliseconds that an event may wait for a target. Default: no limit. */
  readonly time?: number;
  /** The answers that are final. Default: none. */
  readonly on?: "4xx";
}

const LIMIT_READERS = { attempts: readCount, time: readDuration, on: readChoice(["4xx"]) };

/** Reads limits such as `attempts=20,time=2h,on=4xx`. */
export function readGiveUp(text: string): GiveUp {
  const limits = text.split(",").map((limit) => {
    const [, name = "", value = ""] = /^\s*(attempts|time|on)=(.*)$/.exec(limit) ?? [];
    const reader = LIMIT_READERS[name as keyof typeof LIMIT_READERS];
    if (reader !== undefined) return [name, reader(value)] as const;
    throw new UnexpectedValue("limits such as attempts=20,time=2h,on=4xx");
  });
  return Object.fromEntries(limits);
}

/** Reads a path into the envelope, such as `data.id`. */
export function readOrderPath(text: string): string {
  if (/^[^\s.]+(?:\.[^\s.]+)*$/.test(text)) return text;
  throw new UnexpectedValue("a path in the envelope, such as data.id");
}

/** A field of the envelope, and the text, number or boolean that it must have. */
export interface FieldValue {
  readonly path: string;
  readonly value: string;
}

/** Reads a field and its value, such as `data.status=paid`. */
export function readFieldValue(text: string): FieldValue {
  const [, path, value = ""] = /^([^\s.=]+(?:\.[^\s.=]+)*)=(.+)$/s.exec(text) ?? [];
  if (path !== undefined) return { path, value };
  throw new UnexpectedValue("a field and its value, such as data.status=paid");
}

/** Reads a field and its value; a repeated flag adds to a list. */
export const readFieldValues = repeated(readFieldValue);

/** Reads `Name: value`; a repeated flag adds to it. */
export const readAddedHeader = repeated((text): AddedHeader => {
  const [, name, value = ""] = /^([^:\s]+):(.*)$/s.exec(text) ?? [];
  if (name === undefined) throw new UnexpectedValue("a header such as 'x-team: billing'");
  if (!isHeaderValue(value.trim()))
    throw new UnexpectedValue("the header's value to be one line of Latin-1 text");
  return { name: readName(name), value: value.trim() };
});

/** Reads `name=VARIABLE`; a repeated flag adds to it. */
export const readHeaderVariable = repeated((text): AddedHeader => {
  const [, name, variable = ""] = /^([^=\s]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined)
    throw new UnexpectedValue("a header and the NAME of a variable: authorization=APP_TOKEN");
  return { name: readName(name), value: readVariableName(variable) };
});

/** Reads a host, with or without a port. */
export function readForwardHost(text: string): string {
  const [, host] = /^([\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i.exec(text) ?? [];
  if (host !== undefined && !isPastedKey(host)) return text.toLowerCase();
  throw new UnexpectedValue("a host such as app.test or app.test:8080");
}

function readName(text: string): string {
  const name = readHeaderName(text);
  if (name === "host") throw new UnexpectedValue("another header than host: set forwardHost");
  if (!NOT_PASSED_ON.has(name)) return name;
  throw new UnexpectedValue(`another header than ${name}: each forward has its own`);
}

/** Whether a header can have this value; Node refuses others when it sends them. */
export function isHeaderValue(value: string): boolean {
  return /^[\t -~\u00a0-\u00ff]*$/.test(value);
}
