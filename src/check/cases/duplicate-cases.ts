import type { Answer } from "../answer.ts";
import type { CheckCase, Evidence } from "../check-case.ts";
import type { Probe } from "../probe.ts";
import { WHY } from "../reasons.ts";
import { pretty, reordered } from "./tampering-cases.ts";

/** Copies that are sent at once. */
const AT_ONCE = 5;

const REPEAT = { right: ["200"], severity: "required", why: WHY.repeat } as const;
const ONCE = { right: ["200"], runs: 1, severity: "recommended", why: WHY.idempotent } as const;
const KEY_FIX =
  "keep a key of each event under a unique constraint, and run nothing for one that is there already";

/** The same event again: what is answered, and, with an observer, how often it ran. */
export const DUPLICATE_CASES: readonly CheckCase[] = [
  {
    ...{ ...REPEAT, id: "DUP-01", sent: "the same delivery twice" },
    fix: "it refuses what it already has, so the sender tries again for ever: answer 200 to a duplicate",
    run: (probe) => {
      const body = probe.body();
      return inTurn(probe, [body, body]);
    },
  },
  {
    ...{ ...REPEAT, id: "DUP-02", sent: "the same event serialised anew" },
    fix: "it refuses a duplicate in another spelling: answer 200",
    run: async (probe) => {
      const body = probe.body();
      return inTurn(probe, [body, pretty(reordered(body))]);
    },
  },
  {
    ...{ ...REPEAT, id: "DUP-03", sent: `the same delivery ${AT_ONCE} times at once` },
    right: ["200", "409", "429", "503"],
    best: ["200"],
    fix: "copies that come at once trip over each other: let the unique constraint decide, and answer 200 to the losers",
    run: (probe) => atOnce(probe, probe.body()),
  },
  {
    ...{ ...ONCE, id: "DUP-04", sent: "one delivery, observed", severity: "required", why: WHY.eachEvent },
    fix: "it confirms an event and does not run it once: see its log, and what --observe counts",
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
    fix: `copies that come at once all run, since each looks before another has written: ${KEY_FIX}`,
    run: async (probe) => {
      const body = probe.body();
      return { answers: await atOnce(probe, body), runs: await probe.runs([body], 1) };
    },
  },
  {
    ...{ ...ONCE, id: "DUP-07", sent: "the same event serialised anew, observed" },
    fix: "it tells events apart by their bytes, so a retry that is serialised anew runs again: make the key of values",
    run: (probe) => {
      const body = probe.body();
      return observed(probe, [body, pretty(reordered(body))], 1);
    },
  },
  {
    ...{ ...ONCE, id: "DUP-08", sent: "two events of one property in one millisecond, observed" },
    ...{ runs: 2, severity: "required", why: WHY.eachEvent },
    fix: "it takes two events for one and loses the second: the resource's id and the time are no key; count `data` in",
    run: (probe) => {
      const timestamp = probe.at();
      const { data } = probe.event();
      const bodies = [1, 2].map((rooms) => probe.body({ timestamp, data: { ...data, rooms } }));
      return observed(probe, bodies, 2);
    },
  },
  {
    ...{ ...ONCE, id: "DUP-09", sent: "a forged copy, then the event, observed" },
    ...{ severity: "required", why: WHY.eachEvent },
    fix: "a forged copy takes the place of the event: verify the signature before you remember anything",
    run: async (probe) => {
      const body = probe.body();
      await probe.post(body, { signature: `sha256=${"0".repeat(64)}` });
      const answers = [await probe.post(body)];
      return { answers, runs: await probe.runs([body], 1) };
    },
  },
  {
    ...{ ...ONCE, id: "DUP-10", sent: "a forged delivery alone, observed", right: ["4xx"], runs: 0 },
    ...{ severity: "required", why: WHY.signature },
    fix: "it runs an event whose signature is wrong, whatever it answers: verify before anything else",
    run: async (probe) => {
      const body = probe.body();
      const answer = await probe.post(body, { signature: `sha256=${"0".repeat(64)}` });
      return { answers: [answer], runs: await probe.runs([body], 0) };
    },
  },
];

async function observed(probe: Probe, bodies: readonly Buffer[], wanted: number): Promise<Evidence> {
  const answers = await inTurn(probe, bodies);
  return { answers, runs: await probe.runs(bodies, wanted) };
}

async function inTurn(probe: Probe, bodies: readonly Buffer[]): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  for (const body of bodies) answers.push(await probe.post(body));
  return answers;
}

function atOnce(probe: Probe, body: Buffer): Promise<readonly Answer[]> {
  return Promise.all(Array.from({ length: AT_ONCE }, () => probe.post(body)));
}
