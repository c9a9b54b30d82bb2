import { isIn, type ProbeAnswer } from "../answer.ts";
import type { CheckCase } from "../check-case.ts";
import type { Probe } from "../probe.ts";
import { REFUSED } from "./forgeries.ts";
import { GATE_FORMS, type GateForm, type GateRequest, METHOD_FIX, PATH_FIX } from "./gate-forms.ts";

/** The values of the signature header that a forger can send; `null` is none. */
const FORGED = { unsigned: null, wrong: `sha256=${"0".repeat(64)}` } as const;

/** No answer is better than another, since the receiver may well not know such a request. */
const KEPT_OUT = { right: REFUSED.right, severity: REFUSED.severity, why: REFUSED.why } as const;

/** The same if the answer says nothing, since others may answer there. */
const ANSWERED = {
  ...KEPT_OUT,
  right: ["2xx", ...REFUSED.right],
  about: "unchecked-route",
  runs: 0,
} as const;

/** Forged deliveries in forms for which a stack may not run the check of the signature. */
export const GATE_CASES: readonly CheckCase[] = [
  ...GATE_FORMS.flatMap(casesOf),
  observedOnly("GATE-31", "by HEAD", METHOD_FIX, (probe) => ({ body: probe.body(), method: "HEAD" })),
  observedOnly("GATE-32", "by OPTIONS", METHOD_FIX, (probe) => ({ body: probe.body(), method: "OPTIONS" })),
  observedOnly("GATE-57", "a longer path", PATH_FIX, (probe) => {
    const path = probe.url.pathname.replace(/\/$/, "");
    return { body: probe.body(), target: `${path}/no-such-part${probe.url.search}` };
  }),
].sort((one, other) => (one.id < other.id ? -1 : 1));

function casesOf({
  ids: [unsigned, wrong, observed],
  as,
  requests,
  fix,
  about,
  elsewhere = false,
}: GateForm): readonly CheckCase[] {
  const common = { ...KEPT_OUT, fix, about };
  const answersTo = async (probe: Probe, signature: string | null): Promise<readonly ProbeAnswer[]> => {
    const answers: ProbeAnswer[] = [];
    for (const request of requests(probe)) answers.push(await send(probe, request, signature, elsewhere));
    return answers;
  };
  return [
    {
      ...{ ...common, id: unsigned, sent: `unsigned: ${as}` },
      run: (probe) => answersTo(probe, FORGED.unsigned),
    },
    {
      ...{ ...common, id: wrong, sent: `wrongly signed: ${as}` },
      run: (probe) => answersTo(probe, FORGED.wrong),
    },
    {
      ...{ ...common, id: observed, sent: `unsigned and wrongly signed: ${as}, observed`, runs: 0 },
      run: async (probe) => {
        const answers = [
          ...(await answersTo(probe, FORGED.unsigned)),
          ...(await answersTo(probe, FORGED.wrong)),
        ];
        return { answers, runs: await probe.runs([probe.body()], 0) };
      },
    },
  ];
}

async function send(
  probe: Probe,
  { body, ...options }: GateRequest,
  signature: string | null,
  elsewhere: boolean,
): Promise<ProbeAnswer> {
  const answer = await probe.post(body, { ...options, signature });
  // A page that answers 200 at every path takes nothing; what counts then is the answer at the URL itself.
  const proves = !elsewhere || !isIn(answer, ["2xx"]) || !(await confirmsAnywhere(probe, options.method));
  return proves ? answer : probe.post(probe.body(), { signature });
}

async function confirmsAnywhere(probe: Probe, method = "POST"): Promise<boolean> {
  const path = probe.url.pathname.replace(/\/$/, "");
  const target = `${path}-no-such-endpoint`;
  const answer = await probe.post(Buffer.from("{}"), { method, signature: null, target });
  return isIn(answer, ["2xx"]);
}

/** A request that may well be answered with 2xx by something else, so that only the effect shows a forgery. */
function observedOnly(
  id: CheckCase["id"],
  as: string,
  fix: string,
  request: (probe: Probe) => GateRequest,
): CheckCase {
  return {
    ...{ ...ANSWERED, id, sent: `unsigned and wrongly signed: ${as}, observed`, fix },
    run: async (probe) => {
      const { body, ...options } = request(probe);
      const answers = [
        await probe.post(body, { ...options, signature: FORGED.unsigned }),
        await probe.post(body, { ...options, signature: FORGED.wrong }),
      ];
      return { answers, runs: await probe.runs([body], 0) };
    },
  };
}
