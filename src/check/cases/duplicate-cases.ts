import { isIn, type ProbeAnswer } from "../answer.ts";
import type { CaseDefinition } from "../check-case.ts";
import type { Probe } from "../probe.ts";
import { pretty, reordered } from "./event-bodies.ts";
import { FORGED, REFUSED } from "./forgeries.ts";

/** The number of copies sent at once. */
const AT_ONCE = 5;

const REPEAT = {
  expects: { answers: ["200"] },
  severity: "required",
  why: "repeat",
} as const;
const ONCE = {
  needsObserver: true,
  expects: { answers: ["200"], runs: 1 },
  severity: "recommended",
  why: "idempotent",
} as const;
const EACH = { ...ONCE, severity: "required", why: "each_event" } as const;
const BOTH = { ...EACH, expects: { answers: ["200"], runs: 2 } } as const;

/** Repeated events: how they are answered, and, with an observer, how often they ran. */
export const DUPLICATE_CASES = {
  "DUP-01": {
    ...REPEAT,
    cause: "duplicate_refused",
    send: (probe) => {
      const body = probe.body();
      return inTurn(probe, [body, body]);
    },
  },
  "DUP-02": {
    ...REPEAT,
    cause: "respelt_duplicate_refused",
    send: (probe) => inTurn(probe, respelt(probe)),
  },
  "DUP-03": {
    ...REPEAT,
    expects: {
      answers: ["200", "409", "429", "5xx"], // a sender repeats a delivery after any of these
      best: ["200"],
    },
    cause: "copies_conflict",
    send: (probe) => atOnce(probe, probe.body()),
  },
  "DUP-04": {
    ...EACH,
    cause: "not_run_exactly_once",
    shows: "one_event",
    send: (probe) => observed(probe, [probe.body()], 1),
  },
  "DUP-05": {
    ...ONCE,
    cause: "duplicate_run_again",
    send: (probe) => observed(probe, Array<Buffer>(3).fill(probe.body()), 1),
  },
  "DUP-06": {
    ...ONCE,
    expects: { answers: ["200", "409", "429", "503"], runs: 1 },
    cause: "all_copies_run",
    send: async (probe) => {
      const body = probe.body();
      return { answers: await atOnce(probe, body), runs: await probe.runs([body], 1) };
    },
  },
  "DUP-07": {
    ...ONCE,
    cause: "events_known_by_bytes",
    send: (probe) => observed(probe, respelt(probe), 1),
  },
  // Two events of one property in one millisecond.
  "DUP-08": {
    ...BOTH,
    cause: "second_event_lost",
    send: (probe) => {
      const timestamp = probe.timestamp();
      const make = () => [1, 2].map((rooms) => probe.bodyWith({ rooms }, { timestamp }));
      return observed(probe, probe.untilDigest(make), 2);
    },
  },
  "DUP-09": {
    ...EACH,
    cause: "forged_copy_kept",
    send: async (probe) => {
      const body = probe.body();
      await probe.post(body, { signature: FORGED.wrong });
      return { answers: [await probe.post(body)], runs: await probe.runs([body], 1) };
    },
  },
  "DUP-10": {
    ...REFUSED,
    needsObserver: true,
    expects: { ...REFUSED.expects, runs: 0 },
    cause: "forged_event_run",
    shows: "forged_event",
    send: async (probe) => {
      const body = probe.body();
      const answer = await probe.post(body, { signature: FORGED.wrong });
      return { answers: [answer], runs: await probe.runs([body], 0) };
    },
  },
  // Two events a few milliseconds apart.
  "DUP-11": {
    ...BOTH,
    cause: "fraction_not_in_key",
    send: (probe) => {
      const second = 1000 * Math.floor(Date.parse(probe.timestamp()) / 1000);
      const at = [-900, -893].map((offset) => new Date(second + offset).toISOString());
      const make = () => at.map((timestamp) => probe.body({ timestamp }));
      return observed(probe, probe.untilDigest(make), 2);
    },
  },
  // The same data a minute apart.
  "DUP-12": {
    ...BOTH,
    cause: "timestamp_not_in_key",
    send: (probe) => {
      const make = () =>
        [-60_000, 0].map((offset) => probe.body({ timestamp: probe.timestamp(offset) }));
      return observed(probe, probe.untilDigest(make), 2);
    },
  },
  "DUP-13": {
    ...EACH,
    needsObserver: false,
    expects: { answers: ["200", "409", "429", "503"], runs: 10 },
    cause: "concurrent_events_lost",
    send: async (probe) => {
      const bodies = Array.from({ length: 10 }, (_, rooms) => probe.bodyWith({ rooms }));
      const answers = await Promise.all(bodies.map((body) => probe.post(body)));
      const refused = bodies.filter((_, at) => !isIn(answers[at] as ProbeAnswer, ["2xx"]));
      const evidence = { answers: [...answers, ...(await inTurn(probe, refused))] };
      return probe.isObserved ? { ...evidence, runs: await probe.runs(bodies, 10) } : evidence;
    },
  },
} as const satisfies Readonly<Record<string, CaseDefinition>>;

/** Deliveries that are sent one after another, and how often their events ran. */
async function observed(probe: Probe, bodies: readonly Buffer[], wanted: number) {
  return { answers: await inTurn(probe, bodies), runs: await probe.runs(bodies, wanted) };
}

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
