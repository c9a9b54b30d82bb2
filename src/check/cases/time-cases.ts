import type { CheckCase, Severity } from "../check-case.ts";
import type { Probe } from "../probe.ts";
import { WHY } from "../reasons.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

type TimeRow = readonly [
  id: CheckCase["id"],
  sent: string,
  timestamp: (probe: Probe) => unknown,
  severity: Severity,
  why: string,
  fix: string,
];

const FORM_FIX =
  "it does not accept every form of an ISO 8601 timestamp in UTC: support fractions and offsets";
const WINDOW_FIX =
  "its time window is shorter than retries may take: accept events that are several days old, and deduplicate";
const STRICT_FIX = "it does not check the timestamp: answer 400 to anything but ISO 8601 in UTC";

const ACCEPTED: readonly TimeRow[] = [
  [
    "TIME-01",
    "a timestamp without a fraction",
    (probe) => probe.at().replace(/\.\d+/, ""),
    "required",
    WHY.utc,
    FORM_FIX,
  ],
  [
    "TIME-02",
    "a timestamp with microseconds",
    (probe) => probe.at().replace("Z", "123Z"),
    "recommended",
    WHY.utc,
    FORM_FIX,
  ],
  [
    "TIME-03",
    "a timestamp that ends in +00:00",
    (probe) => probe.at().replace("Z", "+00:00"),
    "recommended",
    WHY.utc,
    FORM_FIX,
  ],
  [
    "TIME-04",
    "an event 10 minutes old",
    (probe) => probe.at(-10 * MINUTE),
    "required",
    WHY.retry,
    WINDOW_FIX,
  ],
  ["TIME-05", "an event 20 hours old", (probe) => probe.at(-20 * HOUR), "recommended", WHY.retry, WINDOW_FIX],
  ["TIME-06", "an event 70 hours old", (probe) => probe.at(-70 * HOUR), "recommended", WHY.retry, WINDOW_FIX],
  [
    "TIME-07",
    "an event dated a minute ahead",
    (probe) => probe.at(MINUTE),
    "recommended",
    WHY.skew,
    "it tolerates no difference between clocks: accept a few minutes",
  ],
];

const REFUSED: readonly TimeRow[] = [
  [
    "TIME-08",
    "an event 8 days old",
    (probe) => probe.at(-8 * DAY),
    "recommended",
    WHY.replay,
    "it accepts events of any age, so a replay may be older than its dedup keys: refuse events older than those",
  ],
  [
    "TIME-09",
    "an event dated 2 hours ahead",
    (probe) => probe.at(2 * HOUR),
    "recommended",
    WHY.replay,
    "it accepts events from the future: refuse events more than a few minutes ahead",
  ],
  ["TIME-10", "a timestamp that is not a date", () => "yesterday", "recommended", WHY.validate, STRICT_FIX],
  [
    "TIME-11",
    "30 February",
    () => `${new Date().getUTCFullYear()}-02-30T12:00:00Z`,
    "recommended",
    WHY.validate,
    STRICT_FIX,
  ],
  [
    "TIME-12",
    "a timestamp without a zone",
    (probe) => probe.at().replace("Z", ""),
    "recommended",
    WHY.utc,
    STRICT_FIX,
  ],
  [
    "TIME-13",
    "a timestamp as a number",
    (probe) => Date.parse(probe.at()),
    "recommended",
    WHY.validate,
    STRICT_FIX,
  ],
  ["TIME-14", "an envelope without `timestamp`", () => undefined, "recommended", WHY.validate, STRICT_FIX],
  [
    "TIME-15",
    "an offset other than UTC",
    (probe) => probe.at(2 * HOUR).replace("Z", "+02:00"),
    "informational",
    WHY.utc,
    STRICT_FIX,
  ],
];

/** Timestamps in all forms and ages. */
export const TIME_CASES: readonly CheckCase[] = [
  ...ACCEPTED.map((row) => timeCase(row, ["200"])),
  ...REFUSED.map((row) => timeCase(row, ["4xx"])),
];

function timeCase([id, sent, timestamp, severity, why, fix]: TimeRow, right: readonly string[]): CheckCase {
  const run = (probe: Probe) => probe.post(probe.body({ timestamp: timestamp(probe) }));
  return { id, sent, severity, why, fix, right, run };
}
