import type { Envelope } from "../../event/envelope.ts";
import { isIn, type ProbeAnswer } from "../answer.ts";
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
  /** Sent to another path, which may be answered 200 without being a receiver. */
  readonly elsewhere?: boolean;
}

const TYPE_FIX =
  "it checks the signature only for some content types, so a forgery of another type gets in: read the raw bytes of " +
  "every request and verify them before any parser (in Express `express.raw({ type: () => true })`, not `express.json({ verify })`)";

const METHOD_FIX =
  "it checks the signature only for POST, so a forgery by another method gets in: verify in the handler itself, and " +
  "answer 405 to all methods but POST";
const OVERRIDE_FIX =
  "it lets a header replace the method and checks the signature only for POST, so a forgery gets in: remove the method " +
  "override, and verify in the handler itself";
const PATH_FIX =
  "it checks the signature only for one spelling of the path, so a forgery at another gets in: verify in the handler " +
  "itself, not where the path is compared";

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
  {
    ...{ ids: ["GATE-19", "GATE-20", "GATE-21"], as: "by PUT", fix: METHOD_FIX },
    request: (probe) => ({ body: probe.body(), method: "PUT" }),
  },
  {
    ...{ ids: ["GATE-22", "GATE-23", "GATE-24"], as: "X-HTTP-Method-Override: PUT", fix: OVERRIDE_FIX },
    request: (probe) => ({ body: probe.body(), headers: { "x-http-method-override": "PUT" } }),
  },
  atPath(["GATE-25", "GATE-26", "GATE-27"], "the path with or without a closing slash", withOtherSlash),
  atPath(["GATE-28", "GATE-29", "GATE-30"], "the path in capitals", (path) => path.toUpperCase()),
];

function atPath(ids: Form["ids"], as: string, change: (path: string) => string): Form {
  const request = (probe: Probe) => ({
    body: probe.body(),
    target: change(probe.url.pathname) + probe.url.search,
  });
  return { ids, as, fix: PATH_FIX, elsewhere: true, request };
}

/** The path with a closing slash if it has none, else without it. */
function withOtherSlash(path: string): string {
  if (path === "/") return path;
  return path.endsWith("/") ? path.slice(0, -1) : `${path}/`;
}

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
export const GATE_CASES: readonly CheckCase[] = [
  ...FORMS.flatMap(casesOf),
  observedOnly("GATE-31", "HEAD"),
  observedOnly("GATE-32", "OPTIONS"),
];

function casesOf({ ids, as, request, fix, about, elsewhere = false }: Form): readonly CheckCase[] {
  const [unsigned, wrong, observed] = ids;
  const common = { ...REFUSED, fix, ...(about !== undefined && { about }) };
  const send = (probe: Probe, signature: string | null): Promise<ProbeAnswer> => {
    const { body, ...options } = request(probe);
    return probe.post(body, { ...options, signature });
  };
  const answerTo = async (probe: Probe, signature: string | null): Promise<ProbeAnswer> => {
    const answer = await send(probe, signature);
    // A page that answers 200 at every path takes nothing; what counts then is the answer at the URL itself.
    const proves = !elsewhere || !isIn(answer, ["2xx"]) || !(await confirmsAnywhere(probe));
    return proves ? answer : probe.post(probe.body(), { signature });
  };
  return [
    {
      ...{ ...common, id: unsigned, sent: `unsigned: ${as}` },
      run: (probe) => answerTo(probe, FORGED.unsigned),
    },
    {
      ...{ ...common, id: wrong, sent: `wrongly signed: ${as}` },
      run: (probe) => answerTo(probe, FORGED.wrong),
    },
    {
      ...{ ...common, id: observed, sent: `unsigned and wrongly signed: ${as}, observed`, runs: 0 },
      run: async (probe) => {
        const answers = [await answerTo(probe, FORGED.unsigned), await answerTo(probe, FORGED.wrong)];
        return { answers, runs: await probe.runs([probe.body()], 0) };
      },
    },
  ];
}

async function confirmsAnywhere(probe: Probe): Promise<boolean> {
  const path = probe.url.pathname.replace(/\/$/, "");
  const answer = await probe.post(Buffer.from("{}"), { signature: null, target: `${path}-no-such-endpoint` });
  return isIn(answer, ["2xx"]);
}

/** A method that many servers answer with 2xx by themselves, so that only the effect shows a forgery. */
function observedOnly(id: CheckCase["id"], method: string): CheckCase {
  return {
    ...{ ...REFUSED, id, sent: `unsigned and wrongly signed: by ${method}, observed`, fix: METHOD_FIX },
    ...{ right: ["2xx", "3xx", "4xx", "5xx"], runs: 0 },
    run: async (probe) => {
      const body = probe.body();
      const answers = [
        await probe.post(body, { method, signature: FORGED.unsigned }),
        await probe.post(body, { method, signature: FORGED.wrong }),
      ];
      return { answers, runs: await probe.runs([body], 0) };
    },
  };
}
