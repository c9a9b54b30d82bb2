import { commandWords, WORD } from "../../base/text/command-words.ts";
import { trimEndOf } from "../../base/text/trim-end.ts";
import { matchesKind } from "../../event/kind-pattern.ts";
import { eventKinds } from "../../event/kinds.ts";
import { parseTimestamp } from "../../event/timestamp.ts";
import { DEFAULT_PATH } from "../../http/default-endpoint.ts";
import { isLoopback } from "../../http/is-loopback.ts";
import { readNamedHost } from "../../inspector/auth/named-host.ts";
import { targetUrl } from "../../relay/target-url.ts";
import { UnexpectedValue } from "../input-errors.ts";
import { looksLikeKey } from "../shown-value.ts";
import { UNITS } from "./default-values.ts";

/**
 * Readers of option values. Each says what it expected; commander adds the option's name and the
 * value it got.
 */

/**
 * What a reader declares about the values it takes, for completion in shells and for the types of
 * settings.
 */
interface AcceptedValues {
  /** The only values. Default: any text. */
  readonly words?: readonly string[];
  /** Whether a setting may be a number, or must be one. Default: it is text. */
  readonly numbers?: "too" | "only";
  /** Whether a repeated flag adds to a list, as which a setting may be written. */
  readonly list?: boolean;
}

/** What an option's reader takes. Without a reader, any text. */
export function takenBy(reader: unknown): AcceptedValues {
  return (reader ?? {}) as AcceptedValues;
}

/** A reader that refuses the texts for which `read` returns nothing, and says what it expected. */
export function reader<Value>(
  expected: string,
  read: (text: string) => Value | undefined,
  taken: AcceptedValues = {},
) {
  const readOrRefuse = (text: string): Value => {
    const value = read(text);
    if (value === undefined) throw new UnexpectedValue(expected);
    return value;
  };
  return Object.assign(readOrRefuse, taken);
}

/** Every kind, every family such as `payment.*`, and all of them. */
const PATTERNS = [
  ...eventKinds,
  ...new Set(eventKinds.map((kind) => `${kind.split(".")[0]}.*`)),
  "*",
];

/** A reader of whole numbers from `low` to `high`, both included. */
export function wholeNumber(
  low: number,
  high: number,
  expected = `a whole number from ${low} to ${high}`,
) {
  const read = (text: string) =>
    inRange(/^\d+$/.test(text.trim()) ? Number(text) : Number.NaN, low, high);
  return reader(expected, read, { numbers: "only" });
}

function inRange(value: number, low: number, high: number): number | undefined {
  return value >= low && value <= high ? value : undefined;
}

/** A port to listen on; 0 means any free one. */
export const readPort = wholeNumber(0, 65_535, "a port from 0 to 65535");

export const readCount = wholeNumber(1, 1_000_000);

export const readKills = wholeNumber(1, 100);

export const readConcurrency = wholeNumber(1, 256);

export const readSeed = wholeNumber(0, 2 ** 32 - 1);

const readBareSeq = wholeNumber(0, 2 ** 53 - 1, "an entry number such as 12");

/** The number of an entry; 0 is before the first. */
export const readSeq = Object.assign(
  (text: string) => readBareSeq(text.replace("#", "")),
  readBareSeq,
);

/** A timer can wait for the next of this rate, which is one in 12 days. */
const MIN_RATE = 0.000_001;

/** A rate per second, such as `20` or `20/s`. */
export const readRate = reader(
  "a number per second, from 0.000001 to 100000",
  (text) => inRange(Number(text.replace(/\/s$/, "")), MIN_RATE, 100_000), // no text counts as 0
  { numbers: "too" },
);

/** A share from 0 to 1: a percentage such as `10%`, or a number such as `0.1`. */
export const readShare = reader(
  "a share such as 10%, or a number from 0 to 1",
  (text) => {
    const [, number, percent] = /^(\d+(?:\.\d+)?)(%?)$/.exec(text.trim()) ?? [];
    return inRange(Number(number) / (percent === "%" ? 100 : 1), 0, 1);
  },
  { numbers: "too" },
);

export function readChoice<Word extends string>(words: readonly Word[]) {
  return reader(
    `one of ${words.join(", ")}`,
    (text) => words.find((known) => known === text.trim()),
    {
      words,
    },
  );
}

/**
 * A duration in milliseconds, from `500ms`, `60s`, `5m`, `2h` or `7d`; a bare number is seconds.
 */
export const readDuration = reader(
  "a duration such as 500ms, 60s, 5m, 2h or 7d (at most 1000000d)",
  (text) => {
    const [, number, unit = "s"] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(text.trim()) ?? [];
    const ms = Math.round(Number(number) * UNITS[unit as keyof typeof UNITS]);
    return inRange(ms, 0, 1_000_000 * UNITS.d); // JavaScript has no date much further away
  },
  { numbers: "too" },
);

/**
 * The longest time-out, a little less than the longest delay of a timer; a longer timer would fire
 * at once.
 */
const MAX_TIMEOUT = 24 * 86_400_000;

/** A time-out: a duration above 0 that a timer can wait for. */
export const readTimeout = reader(
  "a duration from 1ms to 24d",
  (text) => inRange(readDuration(text), 1, MAX_TIMEOUT),
  { numbers: "too" },
);

/** A range of durations in milliseconds: `0..2s`, or one duration for both ends. */
export function readDurationRange(text: string): readonly [number, number] {
  const [low = "", high = low, ...rest] = text.split("..");
  // `0..2s` means seconds for both ends: an end without a unit takes the other's.
  const unit = high.slice(trimEndOf(high, "dhms").length);
  const range = [readDuration(/[a-z]$/.test(low) ? low : low + unit), readDuration(high)] as const;
  if (rest.length > 0 || range[0] > range[1]) throw new UnexpectedValue("a range such as 0..2s");
  if (range[1] > MAX_TIMEOUT) throw new UnexpectedValue("a range of at most 24d");
  return range;
}
readDurationRange.numbers = "too";

export const readPath = reader("a path that starts with a slash, such as /webhooks", (text) =>
  // as senders write it
  /^\/(?!\/)[^\s?#]*$/.test(text) ? new URL(`http://localhost${text}`).pathname : undefined,
);

/**
 * The address of an endpoint: a URL, `host:port/path`, or a bare port on this machine (with
 * `/webhooks`).
 */
export function readEndpoint(text: string): URL {
  return readTarget(/^\d+$/.test(text) ? `${text}${DEFAULT_PATH}` : text);
}
readEndpoint.numbers = "too";

/** A public address: a whole URL without a query. */
export const readPublicUrl = reader(
  "an http or https URL without a query, such as https://hooks.example.com",
  (text) => (/^https?:\/\/[^@?#]+$/i.test(text) && URL.canParse(text) ? new URL(text) : undefined),
);

/** A domain name, with or without a scheme before it. */
export const readDomain = reader("a domain such as name.ngrok-free.app", (text) => {
  const [, name = ""] = /^(?:https?:\/\/)?([^/]+)\/?$/.exec(text.trim()) ?? [];
  return /^[a-z0-9*-]+(?:\.[a-z0-9-]+)+$/i.test(name) ? name.toLowerCase() : undefined;
});

/**
 * The address of a stream: a `wss` URL, or, on this machine, a `ws` URL or the port of a sandbox.
 */
export const readStream = reader(
  "a wss URL, or, on this machine, a ws URL or the port of a sandbox such as 4500",
  (text) => {
    const full = /^\d+$/.test(text) ? `ws://127.0.0.1:${text}/_sandbox/stream` : text;
    const url = URL.canParse(full) ? new URL(full) : undefined;
    const safe = url?.protocol === "wss:" || (url?.protocol === "ws:" && isLoopback(url));
    return safe && `${url.username}${url.password}${url.hash}` === "" ? url : undefined;
  },
  { numbers: "too" },
);

/** The address to forward to: a URL, `host:port`, or a bare port on this machine. */
export const readTarget = reader(
  "an http or https URL without a user name, or a local port such as 3000",
  (text) => {
    const url = targetUrl(text);
    return url === undefined || isPastedKey(url.hostname) ? undefined : url;
  },
  { numbers: "too" },
);

/** A reader of some items of a list; a repeated flag adds to it. */
function adding<Item>(readSome: (text: string) => readonly Item[], taken: AcceptedValues) {
  const read = (text: string, before: readonly Item[] = []): readonly Item[] => [
    ...before,
    ...readSome(text),
  ];
  return Object.assign(read, { ...taken, list: true });
}

/** A reader of one item of a list; a repeated flag adds to it. */
export function repeated<Item>(readItem: (text: string) => Item, taken: AcceptedValues = {}) {
  return adding((text) => [readItem(text)], taken);
}

/** A reader of a comma-separated list; a repeated flag adds to it. */
export function commaList<Item>(readItem: (part: string) => Item, taken: AcceptedValues = {}) {
  return adding((text) => text.split(",").map((part) => readItem(part.trim())), taken);
}

/**
 * A reader of a comma-separated list of texts that are kept as they are; a repeated flag adds to
 * it.
 */
export function listOf(
  isItem: (part: string) => boolean,
  expected: string,
  taken: AcceptedValues = {},
) {
  return commaList(
    reader(expected, (part) => (isItem(part) ? part : undefined)),
    taken,
  );
}

export const readSources = listOf((name) => name !== "", "names of sources, such as crm,billing");

export const readTexts = listOf((part) => part !== "", "comma-separated names");

export const readKinds = listOf(
  (pattern) => eventKinds.some((kind) => matchesKind(pattern, kind)),
  `kinds or families such as payment.*; the kinds are ${eventKinds.join(", ")}`,
  { words: PATTERNS },
);

export const readVariableNames = listOf(
  (name) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name),
  "the NAME of an environment variable, never the secret itself",
);

/**
 * Whether a key was pasted instead of a host name: after the last dot, a host name has a word or a
 * number.
 */
export function isPastedKey(hostname: string): boolean {
  return looksLikeKey(hostname.split(".").at(-1) ?? "") || /[+=]/.test(hostname);
}

export const readVariableName = reader("the NAME of one environment variable", (text) =>
  theOnly(readVariableNames(text)),
);

function theOnly(names: readonly string[]): string | undefined {
  return names.length === 1 ? names[0] : undefined;
}

/** A moment in milliseconds since 1970, from an ISO date, or from a duration ago such as `2h`. */
export function readMoment(text: string, now = Date.now()): number {
  if (/^\d+(?:\.\d+)?(?:ms|s|m|h|d)$/.test(text)) return now - readDuration(text);
  // `Date` makes 3 March of 31 February
  const isDay = parseTimestamp(`${text.slice(0, 10)}T00:00:00Z`) !== undefined;
  const instant = isDay ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(instant)) return instant;
  throw new UnexpectedValue("a date such as 2026-01-31T12:00:00Z, or a time ago such as 2h");
}

export const readHeaderName = reader("a header name such as x-service-signature", (text) =>
  /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(text) && !looksLikeKey(text)
    ? text.toLowerCase()
    : undefined,
);

export const readHeaderNames = commaList(readHeaderName);

/** A forwarded address of the inspector, with or without a port; a repeated flag adds to it. */
export const readInspectHost = repeated(
  reader("one host such as devbox.test or localhost:9000, without wildcards", (text) =>
    isPastedKey(text) ? undefined : readNamedHost(text),
  ),
);

/** A program and its arguments. */
export function readCommand(text: string, before?: readonly string[]): readonly string[] {
  if (before !== undefined) throw new UnexpectedValue("one command, got several");
  const words = commandWords(text);
  if (words[0] && text.replaceAll(WORD, "").trim() === "") return words;
  throw new UnexpectedValue("a program and its arguments, with every quote closed");
}

export const readKind = reader("one kind or family", (text) => theOnly(readKinds(text)), {
  words: PATTERNS,
});
