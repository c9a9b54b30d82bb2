import { isIn, type ProbeAnswer } from "../answer.ts";
import type { CheckCase } from "../check-case.ts";
import type { Probe } from "../probe.ts";
import { WHY } from "../reasons.ts";
import { pretty, reordered } from "./event-bodies.ts";
import { FORGED, REFUSED } from "./forgeries.ts";

/** The number of copies sent at once. */
const AT_ONCE = 5;

const REPEAT = { right: ["200"], severity: "required", why: WHY.repeat } as const;
const ONCE = {
  needsObserver: true,
  runs: 1,
  right: ["200"],
  severity: "recommended" as const,
  why: WHY.idempotent,
};
const EACH = { ...ONCE, severity: "required", why: WHY.eachEvent } as const;
const KEY_FIX =
  "store a key of each event with a unique constraint, and do not run an event whose key exists";

type ObservedRow = readonly [
  id: CheckCase["id"],
  sent: string,
  /** Two events, or one that must run once, however often it is sent. */
  terms: typeof ONCE | typeof EACH,
  make: (probe: Probe) => readonly Buffer[],
  fix: string,
];

/** Deliveries that are sent one after another, and how often their event should run. */
const OBSERVED: readonly ObservedRow[] = [
  [
    "DUP-04",
    "one delivery, observed",
    EACH,
    (probe) => [probe.body()],
    "it confirms an event but does not run it exactly once: check its log, and what --observe counts",
  ],
  [
    "DUP-05",
    "the same delivery three times, observed",
    ONCE,
    (probe) => Array<Buffer>(3).fill(probe.body()),
    `it runs a repeated delivery again: ${KEY_FIX}`,
  ],
  [
    "DUP-07",
    "the same event with another serialisation, observed",
    ONCE,
    respelt,
    "it identifies events by their bytes, so a retry with another serialisation runs again: derive the key from values",
  ],
  [
    "DUP-08",
    "two events of one property in one millisecond, observed",
    { ...EACH, runs: 2 },
    (probe) => {
      const timestamp = probe.timestamp();
      return probe.untilDigest(() =>
        [1, 2].map((rooms) => probe.bodyWith({ rooms }, { timestamp })),
      );
    },
    "it treats two events as one and loses the second: the resource's id and the time are not a unique key; include `data`",
  ],
  [
    "DUP-11",
    "two events a few milliseconds apart, observed",
    { ...EACH, runs: 2 },
    (probe) => {
      const second = 1000 * Math.floor(Date.parse(probe.timestamp()) / 1000);
      const at = [-900, -893].map((offset) => new Date(second + offset).toISOString());
      return probe.untilDigest(() => at.map((timestamp) => probe.body({ timestamp })));
    },
    "it takes two events within a second for one and loses the second: keep the timestamp's fraction in the key",
  ],
  [
    "DUP-12",
    "the same data a minute apart, observed",
    { ...EACH, runs: 2 },
    (probe) => {
      return probe.untilDigest(() =>
        [-60_000, 0].map((offset) => probe.body({ timestamp: probe.timestamp(offset) })),
      );
    },
    "it takes a later event with the same data for a duplicate and loses it: include the timestamp in the key",
  ],
];

/** Repeated events: how they are answered, and, with an observer, how often they ran. */
export const DUPLICATE_CASES: readonly CheckCase[] = [
  {
    ...REPEAT,
    id: "DUP-01",
    sent: "the same delivery twice",
    fix: "it refuses a duplicate, so the sender retries for ever: answer 200 to a duplicate",
    run: (probe) => {
      const body = probe.body();
      return inTurn(probe, [body, body]);
    },
  },
  {
    ...REPEAT,
    id: "DUP-02",
    sent: "the same event with another serialisation",
    fix: "it refuses a duplicate with another serialisation: answer 200",
    run: (probe) => inTurn(probe, respelt(probe)),
  },
  {
    ...REPEAT,
    id: "DUP-03",
    sent: `the same delivery ${AT_ONCE} times at once`,
    right: ["200", "409", "429", "5xx"], // a sender repeats a delivery after any of these
    best: ["200"],
    fix: "simultaneous copies conflict: let the unique constraint decide, and answer 200 to the losers",
    run: (probe) => atOnce(probe, probe.body()),
  },
  ...OBSERVED.map(
    ([id, sent, terms, make, fix]): CheckCase => ({
      ...terms,
      id,
      sent,
      fix,
      run: async (probe) => {
        const bodies = make(probe);
        return { answers: await inTurn(probe, bodies), runs: await probe.runs(bodies, terms.runs) };
      },
    }),
  ),
  {
    ...ONCE,
    id: "DUP-06",
    sent: `the same delivery ${AT_ONCE} times at once, observed`,
    right: ["200", "409", "429", "503"],
    fix: `simultaneous copies all run, since each checks before another has written: ${KEY_FIX}`,
    run: async (probe) => {
      const body = probe.body();
      return { answers: await atOnce(probe, body), runs: await probe.runs([body], 1) };
    },
  },
  {
    ...EACH,
    id: "DUP-09",
    sent: "a forged copy, then the event, observed",
    fix: "a forged copy replaces the event: verify the signature before you store anything",
    run: async (probe) => {
      const body = probe.body();
      await probe.post(body, { signature: FORGED.wrong });
      return { answers: [await probe.post(body)], runs: await probe.runs([body], 1) };
    },
  },
  {
    ...ONCE,
    id: "DUP-10",
    sent: "a forged delivery alone, observed",
    ...REFUSED,
    runs: 0,
    fix: "it runs an event with a wrong signature, whatever it answers: verify before anything else",
    run: async (probe) => {
      const body = probe.body();
      const answer = await probe.post(body, { signature: FORGED.wrong });
      return { answers: [answer], runs: await probe.runs([body], 0) };
    },
  },
  {
    ...EACH,
    id: "DUP-13",
    sent: "ten events at once",
    needsObserver: false,
    runs: 10,
    right: ["200", "409", "429", "503"],
    fix: "it confirms events that it then loses when several come at once: store each before you answer",
    run: async (probe) => {
      const bodies = Array.from({ length: 10 }, (_, rooms) => probe.bodyWith({ rooms }));
      const answers = await Promise.all(bodies.map((body) => probe.post(body)));
      const refused = bodies.filter((_, at) => !isIn(answers[at] as ProbeAnswer, ["2xx"]));
      const evidence = { answers: [...answers, ...(await inTurn(probe, refused))] };
      return probe.isObserved ? { ...evidence, runs: await probe.runs(bodies, 10) } : evidence;
    },
  },
];

/** A body, and the same event with another serialisation. */
function respelt(probe: Probe): readonly Buffer[] {
  return probe.untilDigest(() => {
    const body = probe.body();
    return [body, pretty(reordered(body))];
  });
}

async function inTurn(probe: Probe, bodies: readonly Buffer[]): Promise<readonly ProbeAnswer[]> {
  const answers: ProbeAnswer[] = [];
  for (const body of bodies) answers.push(await probe.post(body));
  return answers;
}

function atOnce(probe: Probe, body: Buffer): Promise<readonly ProbeAnswer[]> {
  return Promise.all(Array.from({ length: AT_ONCE }, () => probe.post(body)));
}
