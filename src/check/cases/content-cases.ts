import { type CheckCase, casesOf } from "../check-case.ts";
import type { Probe } from "../probe.ts";
import { WHY } from "../reasons.ts";
import { bodyWithReplacement, text, withBadByte } from "./event-bodies.ts";

const SHAPE_FIX =
  "it confirms a body that is not an envelope: check that `event`, `timestamp`, `data` and `webhook` are present, else answer 400";
const FAILED =
  "its code fails on this, so the sender retries the same bytes for ever: catch the error and answer 400";

const ADVISED = { severity: "recommended", crash: FAILED } as const;

/** Matches the field that holds the placeholder `@@`; its first group is the name. */
const PLACEHOLDER_FIELD = /"(\w+)":"@@"/;

/** Correctly signed bytes that are not quite an event. */
export const CONTENT_CASES: readonly CheckCase[] = [
  // Correctly signed bodies that are not events.
  ...casesOf<(probe: Probe) => Buffer>(
    { ...ADVISED, right: ["4xx"], why: WHY.validate, fix: SHAPE_FIX },
    (probe, make) => probe.post(make(probe)),
    [
      [
        "BODY-22",
        "not JSON, correctly signed",
        (probe) => text(`not JSON ${probe.marker}`),
        "it confirms a body that it cannot parse: answer 400",
      ],
      [
        "BODY-23",
        "an empty body, correctly signed",
        () => Buffer.alloc(0),
        "it confirms an empty body: answer 400",
      ],
      ["BODY-24", "a JSON array, correctly signed", (probe) => text(`[${probe.body()}]`)],
      ["BODY-25", "JSON null, correctly signed", () => text("null")],
      ["BODY-26", "an envelope without `event`", (probe) => probe.body({ event: undefined })],
      ["BODY-27", "an envelope whose `event` is a number", (probe) => probe.body({ event: 12 })],
      ["BODY-28", "an envelope whose `data` is null", (probe) => probe.body({ data: null })],
      ["BODY-29", "an envelope without `webhook`", (probe) => probe.body({ webhook: undefined })],
      [
        "BODY-30",
        "a byte that is not UTF-8, correctly signed",
        withBadByte,
        "it confirms a body that is not valid UTF-8: decode strictly after verifying, and answer 400",
      ],
    ],
  ),
  // Correctly signed JSON that has broken receivers.
  ...casesOf(
    { ...ADVISED, right: ["200", "4xx"], why: WHY.noFailure, fix: FAILED },
    (probe, made: string) =>
      probe.post(
        probe.untilDigest(() => bodyWithReplacement(probe, "rooms", PLACEHOLDER_FIELD, made)),
      ),
    [
      ["BODY-31", "an object with a duplicate key", '"$1":1,"$1":3'],
      ["BODY-32", "a key named __proto__", '"__proto__":{"admin":true},"$1":3'],
      ["BODY-33", "JSON nested 5000 levels deep", `"$1":${"[".repeat(5000)}${"]".repeat(5000)}`],
      [
        "BODY-34",
        "a string with NUL and half a surrogate pair, as escapes",
        '"$1":"\\u0000\\ud800"',
      ],
      // Most languages read it as another number, or as infinite, which JSON then cannot print.
      ["BODY-37", "a number that a double does not hold (1e400)", '"$1":1e400'],
    ],
  ),
];
