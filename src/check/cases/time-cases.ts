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
  /** Default: recommended. */
  severity?: Severity,
];

const INVALID = {
  right: ["4xx"],
  why: WHY.validate,
  fix: "it does not check the timestamp: answer 400 to anything but ISO 8601 in UTC",
} as const;

/** Timestamps in all forms and ages, by what is wrong with a receiver that answers otherwise. */
const TIMES: readonly (readonly [Pick<CheckCase, "right" | "why" | "fix">, ...TimeRow[]])[] = [
  [
    {
      right: ["200"],
      why: WHY.utc,
      fix: "it does not accept every form of an ISO 8601 timestamp in UTC: support fractions and offsets",
    },
    [
      "TIME-01",
      "a timestamp without a fraction",
      (probe) => probe.timestamp().replace(/\.\d+/, ""),
      "required",
    ],
    ["TIME-02", "a timestamp with microseconds", (probe) => probe.timestamp().replace("Z", "123Z")],
    [
      "TIME-03",
      "a timestamp that ends in +00:00",
      (probe) => probe.timestamp().replace("Z", "+00:00"),
    ],
  ],
  [
    {
      right: ["200"],
      why: WHY.retry,
      fix: "its time window is shorter than retries may take: accept events that are several days old, and deduplicate",
    },
    ["TIME-04", "an event 10 minutes old", (probe) => probe.timestamp(-10 * MINUTE), "required"],
    ["TIME-05", "an event 20 hours old", (probe) => probe.timestamp(-20 * HOUR)],
    ["TIME-06", "an event 70 hours old", (probe) => probe.timestamp(-70 * HOUR)],
  ],
  [
    {
      right: ["200"],
      why: WHY.skew,
      fix: "it tolerates no difference between clocks: accept a few minutes",
    },
    ["TIME-07", "an event dated a minute ahead", (probe) => probe.timestamp(MINUTE)],
  ],
  [
    {
      right: ["4xx"],
      why: WHY.replay,
      fix: "it accepts events of any age, so a replay may be older than its dedup keys: refuse events older than those",
    },
    ["TIME-08", "an event 8 days old", (probe) => probe.timestamp(-8 * DAY)],
  ],
  [
    {
      right: ["4xx"],
      why: WHY.replay,
      fix: "it accepts events from the future: refuse events more than a few minutes ahead",
    },
    ["TIME-09", "an event dated 2 hours ahead", (probe) => probe.timestamp(2 * HOUR)],
  ],
  [
    INVALID,
    ["TIME-10", "a timestamp that is not a date", () => "yesterday"],
    ["TIME-11", "30 February", () => `${new Date().getUTCFullYear()}-02-30T12:00:00Z`],
    ["TIME-13", "a timestamp as a number", (probe) => Date.parse(probe.timestamp())],
    ["TIME-14", "an envelope without `timestamp`", () => undefined],
  ],
  [
    { ...INVALID, why: WHY.utc },
    ["TIME-12", "a timestamp without a zone", (probe) => probe.timestamp().replace("Z", "")],
    [
      "TIME-15",
      "an offset other than UTC",
      (probe) => probe.timestamp(2 * HOUR).replace("Z", "+02:00"),
      "informational",
    ],
  ],
];

/** An event with each of these timestamps, otherwise valid. */
export const TIME_CASES: readonly CheckCase[] = TIMES.flatMap(([common, ...rows]) =>
  rows.map(([id, sent, timestamp, severity = "recommended"]) => ({
    ...common,
    id,
    sent,
    severity,
    run: (probe: Probe) => probe.post(probe.body({ timestamp: timestamp(probe) })),
  })),
);
