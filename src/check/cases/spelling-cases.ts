import { type CheckCase, casesOf } from "../check-case.ts";
import type { Probe } from "../probe.ts";
import { WHY } from "../reasons.ts";
import { bodyWithReplacement, pretty, reordered, text } from "./event-bodies.ts";

const RAW_FIX =
  "it verifies re-serialised JSON or decoded text, not the raw bytes: read the body as bytes before any parser";

const ACCEPTED = {
  right: ["200"],
  severity: "required",
  why: WHY.rawBody,
  about: "bytes",
} as const;

/** Correctly signed events in every spelling that JSON allows. */
export const SPELLING_CASES: readonly CheckCase[] = [
  // Ways to write an event that parsing and serialising would not reproduce.
  ...casesOf<(probe: Probe) => Buffer>(
    { ...ACCEPTED, fix: RAW_FIX },
    (probe, make) => probe.post(probe.untilDigest(() => make(probe))),
    [
      [
        "BODY-09",
        "non-ASCII text, as UTF-8",
        (probe) => probe.bodyWith({ address: "12 rue de l’Église, Zürich 東京 🏠" }),
      ],
      [
        "BODY-38",
        "text with & < > ' and \\\"",
        (probe) => probe.bodyWith({ address: `<b>"12" & 'Sons'</b>` }),
      ],
      [
        "BODY-39",
        "accents that are characters of their own (NFD)",
        (probe) => probe.bodyWith({ address: "Zürich, Église".normalize("NFD") }),
      ],
      [
        "BODY-10",
        "the same characters as \\u escapes",
        (probe) =>
          bodyWithReplacement(
            probe,
            "address",
            '"@@"',
            '"\\u0031\\u0032 rue de l\\u2019\\u00C9glise"',
          ),
      ],
      [
        "BODY-11",
        "slashes written as \\/",
        (probe) => bodyWithReplacement(probe, "address", "@@", "12\\/14 Sample Street"),
      ],
      [
        "BODY-12",
        "a whole number beyond 2^53",
        (probe) => numbered(probe, "12345678901234567890"),
        { right: ["200", "400", "422"], best: ACCEPTED.right }, // it may not fit a column
      ],
      ["BODY-13", "a number written as 385000.00", (probe) => numbered(probe, "385000.00")],
      ["BODY-14", "a number written as 3.85E+5", (probe) => numbered(probe, "3.85E+5")],
      ["BODY-15", "the keys in another order, signed that way", (probe) => reordered(probe.body())],
      ["BODY-16", "pretty-printed, signed that way", (probe) => pretty(probe.body())],
      [
        "BODY-17",
        "CRLF line ends, signed that way",
        (probe) => text(String(pretty(probe.body())).replaceAll("\n", "\r\n")),
      ],
      [
        "BODY-18",
        "white space before and a newline after, signed that way",
        (probe) => text(` \t${probe.body()}\n`),
      ],
    ],
  ),
  {
    ...ACCEPTED,
    id: "BODY-19",
    sent: "the body in two pieces, cut inside a character",
    fix: "it joins the pieces as text, which breaks a character in two, or reads only the first: collect all bytes, then decode them",
    run: (probe) => {
      const body = probe.bodyWith({ address: "Zürich" });
      const cut = body.indexOf("ü") + 1;
      return probe.post(body, { parts: [body.subarray(0, cut), 300, body.subarray(cut)] });
    },
  },
  {
    id: "BODY-40",
    sent: "a body of 9 KiB",
    right: ["200"],
    severity: "required",
    why: WHY.json,
    fix: "its limit is lower than a real event may be: accept at least a few hundred KiB",
    run: (probe) => probe.post(probe.bodyWith({ address: "12 Sample Street ".repeat(540) })),
  },
  {
    id: "BODY-20",
    sent: "a body of 80 KiB",
    right: ["200"],
    severity: "recommended",
    why: WHY.json,
    fix: "its limit is low, since the description shows no maximum size: accept at least a few hundred KiB",
    run: (probe) => probe.post(probe.bodyWith({ address: "12 Sample Street ".repeat(4800) })),
  },
  {
    ...ACCEPTED,
    id: "BODY-21",
    sent: "a byte order mark before the JSON, signed with it",
    right: ["200", "400", "422"],
    severity: "recommended",
    fix: "it removes the byte order mark before verifying: verify the received bytes, and remove it only for parsing",
    run: (probe) => probe.post(probe.untilDigest(() => text(`\uFEFF${probe.body()}`))),
  },
];

function numbered(probe: Probe, digits: string): Buffer {
  return bodyWithReplacement(probe, "purchase_price", '"@@"', digits);
}
