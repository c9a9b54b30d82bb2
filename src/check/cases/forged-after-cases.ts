import { isIn, type ProbeAnswer } from "../answer.ts";
import type { CaseDefinition } from "../check-case.ts";
import type { Probe } from "../probe.ts";
import { FORGED, REFUSED, type SentForgery, sendForged } from "./forgeries.ts";

/** Forged deliveries that come after a valid one, from which something may be remembered. */
export const FORGED_AFTER_CASES = {
  "SIG-44": {
    ...REFUSED,
    cause: "signature_remembered",
    send: async (probe) => {
      const body = probe.body();
      const signature = probe.sign(body);
      await probe.post(body, { signature });
      return probe.post(probe.bodyWith({ rooms: 99 }), { signature });
    },
  },
  "SIG-45": {
    ...REFUSED,
    cause: "verification_remembered",
    send: (probe) =>
      probe.onOneConnection(async (agent) => {
        await probe.post(probe.body(), { agent });
        const body = probe.bodyWith({ rooms: 99 });
        return sendForged([
          ...twice((signature) => probe.post(body, { agent, signature })),
          { name: "at the same time", send: () => forgedAmongValid(probe) },
        ]);
      }),
  },
  "SIG-46": {
    ...REFUSED,
    cause: "duplicates_before_verification",
    send: async (probe) => {
      const body = probe.body();
      await probe.post(body);
      return sendForged(twice((signature) => probe.post(body, { signature })));
    },
  },
} as const satisfies Readonly<Record<string, CaseDefinition>>;

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

/** The same delivery unsigned and wrongly signed. */
function twice(post: (signature: string | null) => Promise<ProbeAnswer>): readonly SentForgery[] {
  return Object.entries(FORGED).map(([name, signature]) => ({
    name,
    isUnsigned: signature === null,
    send: () => post(signature),
  }));
}
