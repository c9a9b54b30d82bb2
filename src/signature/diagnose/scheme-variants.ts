import { type HeaderBag, headerEntries } from "../header.ts";
import { type BodyVariant, variant } from "./body-variant.ts";
import { cause } from "./causes.ts";

/** The maximum numbers of timestamps tried, and of bytes searched for one. */
const MOST_TIMESTAMPS = 4;
const SEARCHED_BYTES = 65_536;
/** Longer values of headers, in characters, are not tried. */
const LONGEST_VALUE = 100;

/**
 * What a service signs with the body, before it or after it. Names are those of the parts, in their
 * order.
 */
type Scheme = readonly [name: string, before: string, after?: string];

/**
 * The body as other services sign it: with a timestamp or a URL, which must have arrived with the
 * delivery.
 */
export function schemeVariants(
  body: Uint8Array,
  headers: HeaderBag = {},
  target = "",
): readonly BodyVariant[] {
  const schemes = [...withTimes(body, headers), ...withUrls(headers, target)];
  return schemes.map(([name, before, after = ""]) =>
    variant([cause("other_scheme", name)], () =>
      Buffer.concat([Buffer.from(before), body, Buffer.from(after)]),
    ),
  );
}

function withTimes(body: Uint8Array, headers: HeaderBag): readonly Scheme[] {
  const [id = ""] = shortValues(headers, /(?:webhook|svix|message|event|delivery)-id$/i);
  return timesOf(body, headers).flatMap((time): readonly Scheme[] => [
    ["timestamp.body", `${time}.`],
    ["v0:timestamp:body", `v0:${time}:`],
    ["timestamp:body", `${time}:`],
    ["timestamp and body", time],
    ["id.timestamp.body", `${id}.${time}.`],
  ]);
}

/** The times that came with the delivery, in its headers and in its envelope. */
export function timesOf(body: Uint8Array, headers: HeaderBag): readonly string[] {
  return [...shortValues(headers, /timestamp/i), ...timesInside(body)].slice(0, MOST_TIMESTAMPS);
}

/** The envelope's timestamp, as written and in seconds and milliseconds. */
function timesInside(body: Uint8Array): readonly string[] {
  const start = Buffer.from(body.subarray(0, SEARCHED_BYTES)).toString("latin1");
  const [, time] = /"timestamp"\s*:\s*"?([\w:.+-]{1,40})/.exec(start) ?? [];
  if (time === undefined) return [];
  const moment = Date.parse(time);
  return Number.isNaN(moment) ? [time] : [time, String(Math.floor(moment / 1000)), String(moment)];
}

/** The URL that the delivery was sent to, by any name that the host has here, or its path alone. */
function withUrls(headers: HeaderBag, target: string): readonly Scheme[] {
  return urlsOf(headers, target).flatMap((url): readonly Scheme[] =>
    url.startsWith("/")
      ? [["the path and the body", url]]
      : [
          ["the URL and the body", url],
          ["the body and the URL", "", url],
        ],
  );
}

/** The URLs and the paths that the sender may have called. */
export function urlsOf(headers: HeaderBag, target: string): readonly string[] {
  const paths = target.startsWith("/") ? new Set([target, target.replace(/\?.*$/s, "")]) : [];
  const hosts = new Set(
    [/^x-forwarded-host$/i, /^host$/i].flatMap((name) => shortValues(headers, name)),
  );
  return [...paths].flatMap((path) => [
    ...[...hosts].flatMap((host) => [`https://${host}${path}`, `http://${host}${path}`]),
    path,
  ]);
}

/** The values of headers with such a name that have one value, and not a long one. */
export function shortValues(headers: HeaderBag, name: RegExp): readonly string[] {
  return headerEntries(headers).flatMap(([text, value]) =>
    name.test(text) && typeof value === "string" && value.length <= LONGEST_VALUE ? [value] : [],
  );
}
