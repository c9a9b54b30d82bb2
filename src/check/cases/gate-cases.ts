import { isIn, type ProbeAnswer } from "../answer.ts";
import type { CaseDefinition } from "../check-case.ts";
import type { PostOptions } from "../delivery.ts";
import type { Probe } from "../probe.ts";
import { FORGED, REFUSED, sendForged } from "./forgeries.ts";
import { GATE_FORMS, type GateForm } from "./gate-forms.ts";

/** Forged deliveries in forms for which a stack may not run the check of the signature. */
export const GATE_CASES = Object.fromEntries(
  Object.entries(GATE_FORMS).map(([id, form]) => [id, caseOf(form)]),
) as Readonly<Record<keyof typeof GATE_FORMS, CaseDefinition>>;

const SIGNED = [
  { as: "unsigned", signature: FORGED.unsigned },
  { as: "wrongly signed", signature: FORGED.wrong },
] as const;

function caseOf(form: GateForm): CaseDefinition {
  const { cause, requests, elsewhere = false, needsObserver = false } = form;
  const { severity, why, isForgery } = REFUSED;
  const refused = REFUSED.expects.answers;
  return {
    cause,
    severity,
    why,
    isForgery,
    needsObserver,
    expects: {
      // No answer is better than another, since the receiver may well not know such a request.
      answers: needsObserver ? ["2xx", ...refused] : refused,
      runs: 0,
    },
    send: async (probe) => {
      const event = probe.body();
      const forgeries = SIGNED.flatMap(({ as, signature }) =>
        requests(event, probe).map(({ name, body = event, ...options }) => ({
          name: name === undefined ? as : `${as}, ${name}`,
          isUnsigned: signature === null,
          send: () => post(probe, { event, body, elsewhere }, { ...options, signature }),
        })),
      );
      const evidence = await sendForged(forgeries);
      return probe.isObserved ? { ...evidence, runs: await probe.runs([event], 0) } : evidence;
    },
  };
}
/**
 * A page that answers 200 at every path, or to every empty body, takes nothing; what counts then is
 * the answer to the event at the URL itself.
 */
async function post(
  probe: Probe,
  { event, body, elsewhere }: { event: Buffer; body: Buffer; elsewhere: boolean | "query" },
  options: PostOptions,
): Promise<ProbeAnswer> {
  const { method = "POST", signature = null } = options;
  const answer = await probe.post(body, options);
  if (elsewhere === false || !isIn(answer, ["2xx"])) return answer;
  const path = `${probe.url.pathname.replace(/\/$/, "")}-no-such-endpoint`;
  const anywhere = await (elsewhere === "query"
    ? probe.post(body, { signature: null })
    : probe.post(Buffer.from("{}"), { method, signature: null, target: path }));
  return isIn(anywhere, ["2xx"]) ? probe.post(event, { signature }) : answer;
}
