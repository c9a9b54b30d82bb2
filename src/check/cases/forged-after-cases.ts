import { isIn, type ProbeAnswer } from "../answer.ts";
import type { CheckCase } from "../check-case.ts";
import type { Probe } from "../probe.ts";
import { FORGED, REFUSED, sendForged } from "./forgeries.ts";

/** Forged deliveries that come after a valid one, from which something may be remembered. */
export const FORGED_AFTER_CASES: readonly CheckCase[] = [
  {
    ...REFUSED,
    id: "SIG-44",
    sent: "a signature that was just accepted, with another body",
    fix: "it remembers a signature and takes it for any body: compute the digest of each body anew",
    run: async (probe) => {
      const body = probe.body();
      const signature = probe.sign(body);
      await probe.post(body, { signature });
      return probe.post(probe.bodyWith({ rooms: 99 }), { signature });
    },
  },
  {
    ...REFUSED,
    id: "SIG-45",
    sent: "unsigned and wrongly signed, on a connection that carried a valid delivery, and at the same time as valid ones",
    fix: "it keeps what it has verified for a connection or for all requests: keep nothing from one request to the next",
    run: (probe) =>
      probe.onOneConnection(async (agent) => {
        await probe.post(probe.body(), { agent });
        const body = probe.bodyWith({ rooms: 99 });
        const onIt = twice((signature) => probe.post(body, { agent, signature }));
        return sendForged([...onIt, ["at the same time", () => forgedAmongValid(probe)]]);
      }),
  },
  {
    ...REFUSED,
    id: "SIG-46",
    sent: "an event that was just accepted again, unsigned and wrongly signed",
    fix: "it looks for duplicates before it verifies, and so tells anyone which events it has: verify first",
    run: async (probe) => {
      const body = probe.body();
      await probe.post(body);
      return sendForged(twice((signature) => probe.post(body, { signature })));
    },
  },
];

/** The worst answer to forged deliveries that are sent at the same time as valid ones. */
async function forgedAmongValid(probe: Probe): Promise<ProbeAnswer> {
  // None of them is the event of a valid one, which may be known as a duplicate.
  const timestamp = probe.timestamp(-60_000);
  const answers = await Promise.all(
    [0, 1, 2, 3].flatMap((rooms) => [
      probe.post(probe.bodyWith({ rooms }, { timestamp }), { signature: FORGED.wrong }),
      probe.post(probe.bodyWith({ rooms })),
    ]),
  );
  const forged = answers.filter((_, at) => at % 2 === 0);
  return forged.find((answer) => isIn(answer, ["2xx"])) ?? (forged[0] as ProbeAnswer);
}

function twice(post: (signature: string | null) => ReturnType<Probe["post"]>) {
  return Object.entries(FORGED).map(([name, signature]) => [name, () => post(signature)] as const);
}
