import { type HeaderBag, readHeader } from "../header.ts";
import { type BodyVariant, variant } from "./body-variant.ts";
import { cause } from "./causes.ts";

/** The maximum numbers of headers and bytes searched for a timestamp. */
const MOST_TIMESTAMPS = 4;
const SEARCHED_BYTES = 65_536;

/** What services sign before the body, given a timestamp and the delivery's id. Names are those of the parts. */
const SCHEMES: readonly (readonly [string, (time: string, id: string) => string])[] = [
  ["timestamp.body", (time) => `${time}.`],
  ["v0:timestamp:body", (time) => `v0:${time}:`],
  ["timestamp:body", (time) => `${time}:`],
  ["timestamp and body", (time) => time],
  ["id.timestamp.body", (time, id) => `${id}.${time}.`],
];

/** The body with a timestamp before it, as other services sign it. The timestamp must have arrived with the delivery. */
export function timestampVariants(body: Uint8Array, headers: HeaderBag | undefined): readonly BodyVariant[] {
  const names =
    headers === undefined ? [] : headers instanceof Headers ? [...headers.keys()] : Object.keys(headers);
  const read = (name: string): readonly string[] => {
    const value = headers === undefined ? undefined : readHeader(headers, name);
    return typeof value === "string" && value.length <= 100 ? [value] : [];
  };
  const times = names.filter((name) => /timestamp/i.test(name)).flatMap(read);
  const id = names.filter((name) => /webhook-id$/i.test(name)).flatMap(read)[0] ?? "";
  return [...times, ...timesInside(body)]
    .slice(0, MOST_TIMESTAMPS)
    .flatMap((time) =>
      SCHEMES.map(([parts, before]) =>
        variant([cause("other_scheme", parts)], () => Buffer.concat([Buffer.from(before(time, id)), body])),
      ),
    );
}

/** The envelope's timestamp, as written and in seconds and milliseconds. */
function timesInside(body: Uint8Array): readonly string[] {
  const start = Buffer.from(body.subarray(0, SEARCHED_BYTES)).toString("latin1");
  const [, time] = /"timestamp"\s*:\s*"?([\w:.+-]{1,40})/.exec(start) ?? [];
  if (time === undefined) return [];
  const moment = Date.parse(time);
  return Number.isNaN(moment) ? [time] : [time, String(Math.floor(moment / 1000)), String(moment)];
}
