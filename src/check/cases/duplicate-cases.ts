import { isIn, type ProbeAnswer } from "../answer.ts";
import type { CheckCase, Evidence } from "../check-case.ts";
import type { Probe } from "../probe.ts";
import { WHY } from "../reasons.ts";
import { REFUSED } from "./forgeries.ts";
import { pretty, reordered } from "./tampering-cases.ts";

/** The number of copies sent at once. */
const AT_ONCE = 5;

const REPEAT = { right: ["200"], severity: "required", why: WHY.repeat } as const;
const ONCE = {
  needsObserver: true,
  runs: 1,
  right: ["200"],
  severity: "recommended",
  why: WHY.idempotent,
} as const;
const KEY_FIX =
  "store a key of each event with a unique constraint, and do not run an event whose key exists";

/** Repeated events: how they are answered, and, with an observer, how often they ran. */
export const DUPLICATE_CASES: readonly CheckCase[] = [
  {
    ...{ ...REPEAT, id: "DUP-01", sent: "the same delivery twice" },
    fix: "it refuses a duplicate, so the sender retries for ever: answer 200 to a duplicate",
    run: (probe) => {
      const body = probe.body();
      return inTurn(probe, [body, body]);
    },
  },
  {
    ...{ ...REPEAT, id: "DUP-02", sent: "the same event with another serialisation" },
    fix: "it refuses a duplicate with another serialisation: answer 200",
    run: async (probe) => {
      return inTurn(probe, respelt(probe));
    },
  },
  {
    ...{ ...REPEAT, id: "DUP-03", sent: `the same delivery ${AT_ONCE} times at once` },
    right: ["200", "409", "429", "5xx"], // a sender repeats a delivery after any of these
    best: ["200"],
    fix: "simultaneous copies conflict: let the unique constraint decide, and answer 200 to the losers",
    run: (probe) => atOnce(probe, probe.body()),
  },
  {
    ...{ ...ONCE, id: "DUP-04", sent: "one delivery, observed", severity: "required", why: WHY.eachEvent },
    fix: "it confirms an event but does not run it exactly once: check its log, and what --observe counts",
    run: (probe) => observed(probe, [probe.body()], 1),
  },
  {
    ...{ ...ONCE, id: "DUP-05", sent: "the same delivery three times, observed" },
    fix: `it runs a repeated delivery again: ${KEY_FIX}`,
    run: (probe) => {
      const body = probe.body();
      return observed(probe, [body, body, body], 1);
    },
  },
  {
    ...{ ...ONCE, id: "DUP-06", sent: `the same delivery ${AT_ONCE} times at once, observed` },
    right: ["200", "409", "429", "503"],
    fix: `simultaneous copies all run, since each checks before another has written: ${KEY_FIX}`,
    run: async (probe) => {
      const body = probe.body();
      return { answers: await atOnce(probe, body), runs: await probe.runs([body], 1) };
    },
  },
  {
    ...{ ...ONCE, id: "DUP-07", sent: "the same event with another serialisation, observed" },
    fix: "it identifies events by their bytes, so a retry with another serialisation runs again: derive the key from values",
    run: (probe) => {
      return observed(probe, respelt(probe), 1);
    },
  },
  {
    ...{ ...ONCE, id: "DUP-08", sent: "two events of one property in one millisecond, observed" },
    ...{ runs: 2, severity: "required", why: WHY.eachEvent },
    fix: "it treats two events as one and loses the second: the resource's id and the time are not a unique key; include `data`",
    run: (probe) => {
      const timestamp = probe.at();
      const make = () => [1, 2].map((rooms) => probe.bodyWith({ rooms }, { timestamp }));
      const bodies = probe.untilDigest(make);
      return observed(probe, bodies, 2);
    },
  },
  {
    ...{ ...ONCE, id: "DUP-09", sent: "a forged copy, then the event, observed" },
    ...{ severity: "required", why: WHY.eachEvent },
    fix: "a forged copy replaces the event: verify the signature before you store anything",
    run: async (probe) => {
      const body = probe.body();
      await probe.post(body, { signature: `sha256=${"0".repeat(64)}` });
      const answers = [await probe.post(body)];
      return { answers, runs: await probe.runs([body], 1) };
    },
  },
  {
    ...{ ...ONCE, id: "DUP-10", sent: "a forged delivery alone, observed", ...REFUSED, runs: 0 },
    fix: "it runs an event with a wrong signature, whatever it answers: verify before anything else",
    run: async (probe) => {
      const body = probe.body();
      const answer = await probe.post(body, { signature: `sha256=${"0".repeat(64)}` });
      return { answers: [answer], runs: await probe.runs([body], 0) };
    },
  },
  {
    ...{ ...ONCE, id: "DUP-11", sent: "two events a few milliseconds apart, observed" },
    ...{ runs: 2, severity: "required", why: WHY.eachEvent },
    fix: "it takes two events within a second for one and loses the second: keep the timestamp's fraction in the key",
    run: (probe) => {
      const second = 1000 * Math.floor(Date.parse(probe.at()) / 1000);
      const at = [-900, -893].map((offset) => new Date(second + offset).toISOString());
      const make = () => at.map((timestamp) => probe.body({ timestamp }));
      return observed(probe, probe.untilDigest(make), 2);
    },
  },
  {
    ...{ ...ONCE, id: "DUP-12", sent: "the same data a minute apart, observed" },
    ...{ runs: 2, severity: "required", why: WHY.eachEvent },
    fix: "it takes a later event with the same data for a duplicate and loses it: include the timestamp in the key",
    run: (probe) => {
      const make = () => [-60_000, 0].map((offset) => probe.body({ timestamp: probe.at(offset) }));
      return observed(probe, probe.untilDigest(make), 2);
    },
  },
  {
    ...{ ...ONCE, id: "DUP-13", sent: "ten events at once", needsObserver: false },
    ...{ runs: 10, right: ["200", "409", "429", "503"], severity: "required", why: WHY.eachEvent },
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

async function observed(probe: Probe, bodies: readonly Buffer[], wanted: number): Promise<Evidence> {
  const answers = await inTurn(probe, bodies);
  return { answers, runs: await probe.runs(bodies, wanted) };
}

async function inTurn(probe: Probe, bodies: readonly Buffer[]): Promise<readonly ProbeAnswer[]> {
  const answers: ProbeAnswer[] = [];
  for (const body of bodies) answers.push(await probe.post(body));
  return answers;
}

function atOnce(probe: Probe, body: Buffer): Promise<readonly ProbeAnswer[]> {
  return Promise.all(Array.from({ length: AT_ONCE }, () => probe.post(body)));
}
