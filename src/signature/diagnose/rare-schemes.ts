import type { HeaderBag } from "../header.ts";
import { type BodyVariant, variant } from "./body-variant.ts";
import { cause } from "./causes.ts";
import { shortValues, timesOf, urlsOf } from "./scheme-variants.ts";

const SEPARATORS = [".", ":", "", "|", "\n", ",", "-", "_", "&", ";", " "];
const FEW_SEPARATORS = [".", "", ":", "|", "\n", " "];
const METHODS = ["POST", "post"];
/** More headers, identifiers and times are not tried. */
const MOST_VALUES = 10;
const MOST_OF_A_KIND = 3;

/** Headers whose values services sign with the body. */
const SIGNED = /time|date|nonce|salt|id$|event|topic|delivery|attempt|version|source|token/i;
const IDENTIFIER = /id$|delivery$|nonce$/i;

/** A text that was signed, with `undefined` where the body stood. */
type Parts = readonly (string | undefined)[];

/** What is signed, in words, and its parts. */
type Scheme = readonly [name: string, parts: Parts];

/**
 * The body as services beyond the best known sign it: with any value of a header, with several
 * values, or with the method; or what they sign in place of it.
 */
export function rareSchemes(
  body: Uint8Array,
  headers: HeaderBag = {},
  target = "",
): readonly BodyVariant[] {
  const seen = new Set<string>();
  return [
    ...withValues(headers),
    ...withSeveral(body, headers),
    ...withRequest(body, headers, target),
    ...withForm(body, headers, target),
  ].flatMap(([name, parts]) => {
    const key = parts.map((part) => part ?? "\0").join("");
    if (seen.has(key)) return [];
    seen.add(key);
    return [
      variant([cause("other_scheme", name)], () =>
        Buffer.concat(parts.map((part) => (part === undefined ? body : Buffer.from(part)))),
      ),
    ];
  });
}

function withValues(headers: HeaderBag): readonly Scheme[] {
  return shortValues(headers, SIGNED)
    .slice(0, MOST_VALUES)
    .flatMap((value) =>
      SEPARATORS.flatMap((between) => [
        ["the value of a header and the body", [value, between, undefined]] as const,
        ["the body and the value of a header", [undefined, between, value]] as const,
      ]),
    );
}

/** As Twitch, Svix, Slack and others do: an identifier and a time. */
function withSeveral(body: Uint8Array, headers: HeaderBag): readonly Scheme[] {
  const ids = [...shortValues(headers, IDENTIFIER), ...idsInside(body)].slice(0, MOST_OF_A_KIND);
  const times = timesOf(body, headers);
  const pairs = [
    ...ids.flatMap((id) => times.map((time) => [id, time] as const)),
    ...times.flatMap((time) => ids.map((id) => [time, id] as const)),
    ...["v0", "v1", "1"].flatMap((version) => times.map((time) => [version, time] as const)),
  ];
  const one = times.flatMap((time) =>
    SEPARATORS.flatMap((between) => [
      ["a timestamp and the body", [time, between, undefined]] as const,
      ["the body and a timestamp", [undefined, between, time]] as const,
    ]),
  );
  const two = pairs.flatMap(([first, second]) =>
    FEW_SEPARATORS.flatMap((between) => [
      ["two values and the body", [first, between, second, between, undefined]] as const,
      ["the body and two values", [undefined, between, first, between, second]] as const,
    ]),
  );
  return [...one, ...two];
}

/** Identifiers of the delivery and of the subscription that the body names. */
function idsInside(body: Uint8Array): readonly string[] {
  const start = Buffer.from(body.subarray(0, 4096)).toString("latin1");
  const found = start.matchAll(/"(?:\w{0,30}_)?id"\s{0,10}:\s{0,10}"([\w.:-]{1,80})"/gi);
  return Array.from(found, ([, id = ""]) => id);
}

/** As HubSpot and others do: the method and the target, alone or with the body and a time. */
function withRequest(body: Uint8Array, headers: HeaderBag, target: string): readonly Scheme[] {
  const times = timesOf(body, headers);
  return urlsOf(headers, target).flatMap((url) => [
    ["the URL or the path without the body", [url]] as const,
    ...FEW_SEPARATORS.flatMap((between) => [
      ["the URL and the body", [url, between, undefined]] as const,
      ["the body and the URL", [undefined, between, url]] as const,
      ...METHODS.flatMap((method) => {
        const request = [method, between, url] as const;
        return [
          ["the method, the URL and the body", [...request, between, undefined]] as const,
          ...times.flatMap((time) => [
            [
              "the method, the URL, the body and a time",
              [...request, between, undefined, between, time],
            ] as const,
            [
              "the method, the URL, a time and the body",
              [...request, between, time, between, undefined],
            ] as const,
            [
              "a time, the method, the URL and the body",
              [time, between, ...request, between, undefined],
            ] as const,
          ]),
        ];
      }),
      ...times.flatMap((time) => [
        ["a time, the URL and the body", [time, between, url, between, undefined]] as const,
        ["the URL, a time and the body", [url, between, time, between, undefined]] as const,
      ]),
    ]),
  ]);
}

/** As Twilio and Mandrill do: the URL and the fields of a form in the order of their names. */
function withForm(body: Uint8Array, headers: HeaderBag, target: string): readonly Scheme[] {
  const text = Buffer.from(body.subarray(0, 65_536)).toString("utf8");
  if (!/^[\w%.+*-]{1,100}=/.test(text)) return [];
  const fields = Array.from(new URLSearchParams(text)).toSorted(([a], [b]) =>
    a < b ? -1 : a > b ? 1 : 0,
  );
  const joined = fields.map(([name, value]) => name + value).join("");
  return urlsOf(headers, target).map((url) => ["the URL and the fields of a form", [url + joined]]);
}
