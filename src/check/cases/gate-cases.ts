import type { Envelope } from "../../event/envelope.ts";
import type { ProbeAnswer } from "../answer.ts";
import type { CheckCase } from "../check-case.ts";
import type { PostOptions, Probe } from "../probe.ts";
import { WHY } from "../reasons.ts";

/** A form of a request that a stack may pass to the handler without running the check of the signature. */
interface Form {
  /** The numbers of the cases: unsigned, wrongly signed, and both of them observed. */
  readonly ids: readonly [unsigned: CheckCase["id"], wrong: CheckCase["id"], observed: CheckCase["id"]];
  readonly as: string;
  readonly request: (probe: Probe) => { readonly body: Buffer } & PostOptions;
  readonly fix: string;
  readonly about?: CheckCase["about"];
}

const TYPE_FIX =
  "it checks the signature only for some content types, so a forgery of another type gets in: read the raw bytes of " +
  "every request and verify them before any parser (in Express `express.raw({ type: () => true })`, not `express.json({ verify })`)";

const FORM_TYPE = "application/x-www-form-urlencoded";

const FORMS: readonly Form[] = [
  typed(["GATE-01", "GATE-02", "GATE-03"], "text/plain", "text/plain"),
  typed(["GATE-04", "GATE-05", "GATE-06"], `JSON with the type ${FORM_TYPE}`, FORM_TYPE),
  {
    ...typed(["GATE-07", "GATE-08", "GATE-09"], "a form-encoded envelope", FORM_TYPE),
    request: (probe) => ({
      body: Buffer.from(formEncoded(probe.event()), "utf8"),
      headers: { "content-type": FORM_TYPE },
    }),
  },
  typed(["GATE-10", "GATE-11", "GATE-12"], "JSON without a Content-Type", null),
  typed(["GATE-13", "GATE-14", "GATE-15"], "application/vnd.api+json", "application/vnd.api+json"),
  typed(["GATE-16", "GATE-17", "GATE-18"], "application/merge-patch+json", "application/merge-patch+json"),
];

function typed(ids: Form["ids"], as: string, type: string | null): Form {
  const request = (probe: Probe) => ({ body: probe.body(), headers: { "content-type": type } });
  return { ids, as, fix: TYPE_FIX, about: "unchecked-type", request };
}

/** The fields of an envelope as a form: `data[id]=…`, as the common parsers of nested forms read it. */
function formEncoded(event: Envelope): string {
  return new URLSearchParams(fields(event)).toString();
}

function fields(value: object, within?: string): [string, string][] {
  return Object.entries(value).flatMap(([key, one]): [string, string][] => {
    const name = within === undefined ? key : `${within}[${key}]`;
    return typeof one === "object" && one !== null ? fields(one, name) : [[name, String(one)]];
  });
}

/** The values of the signature header that a forger can send; `null` is none. */
const FORGED = { unsigned: null, wrong: `sha256=${"0".repeat(64)}` } as const;

/** What the receiver answers matters only in so far as it must not confirm: it may well not know such a request. */
const REFUSED = { right: ["3xx", "4xx", "5xx"], severity: "required", why: WHY.signature } as const;

/** Forged deliveries in forms for which a stack may not run the check of the signature. */
export const GATE_CASES: readonly CheckCase[] = FORMS.flatMap(({ ids, as, request, fix, about }) => {
  const [unsigned, wrong, observed] = ids;
  const common = { ...REFUSED, fix, ...(about !== undefined && { about }) };
  const send = (probe: Probe, signature: string | null): Promise<ProbeAnswer> => {
    const { body, ...options } = request(probe);
    return probe.post(body, { ...options, signature });
  };
  return [
    {
      ...{ ...common, id: unsigned, sent: `unsigned: ${as}` },
      run: (probe: Probe) => send(probe, FORGED.unsigned),
    },
    {
      ...{ ...common, id: wrong, sent: `wrongly signed: ${as}` },
      run: (probe: Probe) => send(probe, FORGED.wrong),
    },
    {
      ...{ ...common, id: observed, sent: `unsigned and wrongly signed: ${as}, observed`, runs: 0 },
      run: async (probe: Probe) => {
        const answers = [await send(probe, FORGED.unsigned), await send(probe, FORGED.wrong)];
        return { answers, runs: await probe.runs([probe.body()], 0) };
      },
    },
  ];
});
