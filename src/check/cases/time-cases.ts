import { type CaseDefinition, casesOf } from "../check-case.ts";
import type { Probe } from "../probe.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The timestamp of an event that is otherwise valid. */
type Timestamp = (probe: Probe) => unknown;

const UTC = {
  expects: { answers: ["200"] },
  why: "utc",
  cause: "timestamp_form_refused",
} as const;
const LATE = {
  expects: { answers: ["200"] },
  why: "retry",
  cause: "window_shorter_than_retries",
} as const;
const REPLAYED = {
  expects: { answers: ["4xx"] },
  severity: "recommended",
  why: "replay",
} as const;
const INVALID = {
  expects: { answers: ["4xx"] },
  severity: "recommended",
  why: "validate",
  cause: "timestamp_not_checked",
} as const;

/** Timestamps in all forms and ages. */
export const TIME_CASES = {
  ...timestamps(
    { ...UTC, severity: "required" },
    { "TIME-01": (probe) => probe.timestamp().replace(/\.\d+/, "") },
  ),
  ...timestamps(
    { ...UTC, severity: "recommended" },
    {
      "TIME-02": (probe) => probe.timestamp().replace("Z", "123Z"),
      "TIME-03": (probe) => probe.timestamp().replace("Z", "+00:00"),
    },
  ),
  ...timestamps(
    { ...LATE, severity: "required" },
    { "TIME-04": (probe) => probe.timestamp(-10 * MINUTE) },
  ),
  ...timestamps(
    { ...LATE, severity: "recommended" },
    {
      "TIME-05": (probe) => probe.timestamp(-20 * HOUR),
      "TIME-06": (probe) => probe.timestamp(-70 * HOUR),
    },
  ),
  ...timestamps(
    {
      expects: { answers: ["200"] },
      severity: "recommended",
      why: "skew",
      cause: "clock_difference_refused",
    },
    { "TIME-07": (probe) => probe.timestamp(MINUTE) },
  ),
  ...timestamps(
    { ...REPLAYED, cause: "any_age_accepted" },
    { "TIME-08": (probe) => probe.timestamp(-8 * DAY) },
  ),
  ...timestamps(
    { ...REPLAYED, cause: "future_accepted" },
    { "TIME-09": (probe) => probe.timestamp(2 * HOUR) },
  ),
  ...timestamps(INVALID, {
    "TIME-10": () => "yesterday",
    "TIME-11": () => `${new Date().getUTCFullYear()}-02-30T12:00:00Z`,
    "TIME-13": (probe) => Date.parse(probe.timestamp()),
    "TIME-14": () => undefined,
  }),
  ...timestamps(
    { ...INVALID, why: "utc" },
    { "TIME-12": (probe) => probe.timestamp().replace("Z", "") },
  ),
  ...timestamps(
    { ...INVALID, why: "utc", severity: "informational" },
    { "TIME-15": (probe) => probe.timestamp(2 * HOUR).replace("Z", "+02:00") },
  ),
};

function timestamps<Id extends string>(
  common: Omit<CaseDefinition, "send">,
  rows: Readonly<Record<Id, Timestamp>>,
) {
  return casesOf<Id, Timestamp>(
    common,
    (probe, timestamp) => probe.post(probe.body({ timestamp: timestamp(probe) })),
    rows,
  );
}
