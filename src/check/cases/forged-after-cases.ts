import type { CheckCase } from "../check-case.ts";
import type { Probe } from "../probe.ts";
import { FORGED, REFUSED, sendForged } from "./forgeries.ts";

/** Forged deliveries that come after a valid one, from which something may be remembered. */
export const FORGED_AFTER_CASES: readonly CheckCase[] = [
  {
    ...{ ...REFUSED, id: "SIG-44", sent: "a signature that was just accepted, with another body" },
    fix: "it remembers a signature and takes it for any body: compute the digest of each body anew",
    run: async (probe) => {
      const body = probe.body();
      const signature = probe.sign(body);
      await probe.post(body, { signature });
      return probe.post(probe.bodyWith({ rooms: 99 }), { signature });
    },
  },
  {
    ...{
      ...REFUSED,
      id: "SIG-45",
      sent: "unsigned and wrongly signed, on a connection that carried a valid delivery",
    },
    fix: "it trusts a connection after one valid delivery: verify every request",
    run: (probe) =>
      probe.onOneConnection(async (agent) => {
        await probe.post(probe.body(), { agent });
        const body = probe.bodyWith({ rooms: 99 });
        return sendForged(twice((signature) => probe.post(body, { agent, signature })));
      }),
  },
  {
    ...{
      ...REFUSED,
      id: "SIG-46",
      sent: "an event that was just accepted again, unsigned and wrongly signed",
    },
    fix: "it looks for duplicates before it verifies, and so tells anyone which events it has: verify first",
    run: async (probe) => {
      const body = probe.body();
      await probe.post(body);
      return sendForged(twice((signature) => probe.post(body, { signature })));
    },
  },
];

function twice(post: (signature: string | null) => ReturnType<Probe["post"]>) {
  return Object.entries(FORGED).map(([name, signature]) => [name, () => post(signature)] as const);
}
