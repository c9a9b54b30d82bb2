import { type CaseDefinition, casesOf } from "../check-case.ts";
import type { Probe } from "../probe.ts";
import { bodyWithReplacement, pretty, reordered, text } from "./event-bodies.ts";

const ACCEPTED = {
  expects: { answers: ["200"] },
  severity: "required",
  why: "raw_body",
  about: "bytes",
} as const;

/** Ways to write an event that parsing and serialising would not reproduce. */
const RESPELT = { ...ACCEPTED, cause: "other_bytes_verified" } as const;

/** Correctly signed events in every spelling that JSON allows. */
export const SPELLING_CASES = {
  ...spellings(
    { ...RESPELT, shows: "text_beyond_ascii" },
    { "BODY-09": (probe) => probe.bodyWith({ address: "12 rue de l’Église, Zürich 東京 🏠" }) },
  ),
  ...spellings(
    { ...RESPELT, shows: "spelling_in_ascii" },
    {
      "BODY-10": (probe) => {
        const escapes = '"\\u0031\\u0032 rue de l\\u2019\\u00C9glise"';
        return bodyWithReplacement(probe, "address", '"@@"', escapes);
      },
      "BODY-11": (probe) => bodyWithReplacement(probe, "address", "@@", "12\\/14 Sample Street"),
      "BODY-13": (probe) => numbered(probe, "385000.00"),
      "BODY-16": (probe) => pretty(probe.body()),
    },
  ),
  ...spellings(
    {
      ...RESPELT,
      expects: { answers: ["200", "400", "422"], best: ["200"] }, // it may not fit a column
    },
    { "BODY-12": (probe) => numbered(probe, "12345678901234567890") },
  ),
  ...spellings(RESPELT, {
    "BODY-14": (probe) => numbered(probe, "3.85E+5"),
    "BODY-15": (probe) => reordered(probe.body()),
    "BODY-17": (probe) => text(String(pretty(probe.body())).replaceAll("\n", "\r\n")),
    "BODY-18": (probe) => text(` \t${probe.body()}\n`),
    "BODY-38": (probe) => probe.bodyWith({ address: `<b>"12" & 'Sons'</b>` }),
    "BODY-39": (probe) => probe.bodyWith({ address: "Zürich, Église".normalize("NFD") }),
  }),
  "BODY-19": {
    ...ACCEPTED,
    cause: "pieces_joined_as_text",
    send: (probe) => {
      const body = probe.bodyWith({ address: "Zürich" });
      const cut = body.indexOf("ü") + 1;
      return probe.post(body, { parts: [body.subarray(0, cut), 300, body.subarray(cut)] });
    },
  },
  "BODY-20": {
    expects: { answers: ["200"] },
    severity: "recommended",
    why: "json",
    cause: "size_limit_low",
    send: (probe) => probe.post(probe.bodyWith({ address: "12 Sample Street ".repeat(4800) })),
  },
  "BODY-40": {
    expects: { answers: ["200"] },
    severity: "required",
    why: "json",
    cause: "size_limit_below_events",
    send: (probe) => probe.post(probe.bodyWith({ address: "12 Sample Street ".repeat(540) })),
  },
  "BODY-21": {
    ...ACCEPTED,
    expects: { answers: ["200", "400", "422"] },
    severity: "recommended",
    cause: "byte_order_mark_removed",
    send: (probe) => probe.post(probe.untilDigest(() => text(`\uFEFF${probe.body()}`))),
  },
} satisfies Readonly<Record<string, CaseDefinition>>;

function spellings<Id extends string>(
  common: Omit<CaseDefinition, "send">,
  rows: Readonly<Record<Id, (probe: Probe) => Buffer>>,
) {
  return casesOf<Id, (probe: Probe) => Buffer>(
    common,
    (probe, make) => probe.post(probe.untilDigest(() => make(probe))),
    rows,
  );
}

function numbered(probe: Probe, digits: string): Buffer {
  return bodyWithReplacement(probe, "purchase_price", '"@@"', digits);
}
