import type { CheckCase } from "../check-case.ts";
import type { Probe } from "../probe.ts";
import { WHY } from "../reasons.ts";
import { withBadByte } from "./tampering-cases.ts";

type ContentRow = readonly [id: CheckCase["id"], sent: string, make: (probe: Probe) => Buffer, fix: string];

const SHAPE_FIX =
  "it confirms a body that is not an envelope: check that `event`, `timestamp`, `data` and `webhook` are present, else answer 400";

/** Correctly signed bodies that are not events. */
const NO_EVENTS: readonly ContentRow[] = [
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
  ["BODY-24", "a JSON array, correctly signed", (probe) => text(`[${probe.body()}]`), SHAPE_FIX],
  ["BODY-25", "JSON null, correctly signed", () => text("null"), SHAPE_FIX],
  ["BODY-26", "an envelope without `event`", (probe) => probe.body({ event: undefined }), SHAPE_FIX],
  ["BODY-27", "an envelope whose `event` is a number", (probe) => probe.body({ event: 12 }), SHAPE_FIX],
  ["BODY-28", "an envelope whose `data` is null", (probe) => probe.body({ data: null }), SHAPE_FIX],
  ["BODY-29", "an envelope without `webhook`", (probe) => probe.body({ webhook: undefined }), SHAPE_FIX],
  [
    "BODY-30",
    "a byte that is not UTF-8, correctly signed",
    withBadByte,
    "it confirms a body that is not valid UTF-8: decode strictly after verifying, and answer 400",
  ],
];

type Trap = readonly [id: CheckCase["id"], sent: string, made: (body: string) => string];

/** The field of `data` that a trap is in. */
const FIELD = /"(\w+)":"@@"/;

/** Correctly signed JSON that has broken receivers. */
const TRAPS: readonly Trap[] = [
  ["BODY-31", "an object with a duplicate key", (body) => body.replace(FIELD, '"$1":1,"$1":3')],
  ["BODY-32", "a key named __proto__", (body) => body.replace(FIELD, '"__proto__":{"admin":true},"$1":3')],
  [
    "BODY-33",
    "JSON nested 5000 levels deep",
    (body) => body.replace(FIELD, `"$1":${"[".repeat(5000)}${"]".repeat(5000)}`),
  ],
  [
    "BODY-34",
    "a string with NUL and half a surrogate pair, as escapes",
    (body) => body.replace(FIELD, '"$1":"\\u0000\\ud800"'),
  ],
  // Most languages read it as another number, or as infinite, which JSON then cannot print.
  ["BODY-37", "a number that a double does not hold (1e400)", (body) => body.replace(FIELD, '"$1":1e400')],
];

const FAILED =
  "its code fails on this, so the sender retries the same bytes for ever: catch the error and answer 400";

function text(content: string): Buffer {
  return Buffer.from(content, "utf8");
}

/** Correctly signed bytes that are not quite an event. */
export const CONTENT_CASES: readonly CheckCase[] = [
  ...NO_EVENTS.map(
    ([id, sent, make, fix]): CheckCase => ({
      ...{ id, sent, fix, crash: FAILED, right: ["4xx"], severity: "recommended", why: WHY.validate },
      run: (probe) => probe.post(make(probe)),
    }),
  ),
  ...TRAPS.map(trapCase),
];

function trapCase([id, sent, made]: Trap): CheckCase {
  return {
    ...{ id, sent, fix: FAILED, crash: FAILED, right: ["200", "4xx"] },
    ...{ severity: "recommended", why: WHY.noFailure },
    run: (probe) => probe.post(probe.untilDigest(() => text(made(String(probe.bodyWith({ rooms: "@@" })))))),
  };
}
