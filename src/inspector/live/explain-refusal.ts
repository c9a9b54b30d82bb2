import { shownTarget } from "../../base/text/shown-url.ts";
import type { InspectedDelivery } from "../../receiver/observed.ts";
import type { Outcome } from "../../receiver/outcome.ts";
import { sentence } from "../../receiver/refusals.ts";
import { toAnswer } from "../../receiver/response.ts";
import type { Cause } from "../../signature/diagnose/causes.ts";
import type { Diagnosis } from "../../signature/diagnose/diagnose.ts";
import { printedText } from "../../signature/diagnose/json-libraries.ts";
import { readHeader } from "../../signature/header.ts";
import type { Explanation, VerdictStep } from "../api.ts";
import { shownDigest } from "../entries/shown-delivery.ts";
import type { NotDiagnosed, RefusalDiagnosis } from "./refused-bodies.ts";
import { verdictOf } from "./verdict.ts";

const CHECKS: readonly { readonly name: string; readonly passed: string }[] = [
  { name: "Path", passed: "It was sent to the endpoint." },
  { name: "Method", passed: "It was a POST." },
  {
    name: "Body",
    passed: "It arrived completely, in time, within the size limit and not compressed.",
  },
  { name: "Signature", passed: "It matches the raw bytes." },
  { name: "Kept", passed: "It was committed." },
];

/** Explains why a delivery was not kept. Never contains anything from its body. */
export function explainRefusal(
  observation: InspectedDelivery,
  signatureHeader: string,
  diagnosis?: RefusalDiagnosis,
): Explanation {
  const { method, target, outcome } = observation;
  const { word, reason, detail, fix } = verdictOf(outcome);
  const { status } = toAnswer(outcome);
  const at = CHECKS.findIndex(({ name }) => name === failedCheck(outcome));
  const failed = detail ?? fix ?? word;
  const steps = CHECKS.map(({ name, passed }, index): VerdictStep => {
    if (index > at) return { name, result: "skipped", text: "Not checked." };
    if (index < at) {
      if (name === "Body" && reason === "signature_missing" && observation.bytes === 0)
        return {
          name,
          result: "skipped",
          text: "Not read: without a signature no body is authentic.",
        };
      // If something upstream parsed the body, it was never checked.
      if (reason === "misconfigured" && index > 1)
        return { name, result: "skipped", text: "Unknown." };
      return { name, result: "passed", text: passed };
    }
    const details =
      name === "Signature"
        ? [...signatureDetails(observation, signatureHeader), ...causeDetails(diagnosis)]
        : [{ name: "received", value: `${method} ${shownTarget(target)}`.slice(0, 300) }];
    return {
      name,
      result: "failed",
      text: sentence(failed),
      ...(details.length > 0 && { details }),
    };
  });
  const known = typeof diagnosis === "object" ? diagnosis : undefined;
  const summary = `${sentence(provenCause(known) ?? failed)} Nothing was kept.`;
  const general = fix === null || fix === failed ? null : sentence(fix);
  return { status, summary, fix: general, ...diagnosed(known), steps };
}

/**
 * The causes of the simplest explanation in words: they say more than that the signature does not
 * match.
 */
function provenCause(diagnosis: Diagnosis | undefined): string | undefined {
  const [nearest = []] = diagnosis?.explanations ?? [];
  if (diagnosis === undefined || nearest.length === 0) return undefined;
  const printed = diagnosis.printedBy.length === 0 ? "" : `, ${printedText(diagnosis.printedBy)}`;
  return nearest.map(causeText).join("; and ") + printed;
}

function causeText({ meaning, detail }: Cause): string {
  return detail === null ? meaning : `${meaning} (${detail})`;
}

/** The parts of a diagnosis that replace the general fix. */
function diagnosed(diagnosis: Diagnosis | undefined): Partial<Pick<Explanation, "fix" | "advice">> {
  const { explanations: [nearest = []] = [], advice = [] } = diagnosis ?? {};
  if (nearest.length > 0)
    return { fix: [...new Set(nearest.map((cause) => sentence(cause.fix)))].join(" ") };
  return advice.length === 0 ? {} : { advice };
}

/** What is said of a cause that is not known. */
const NOT_DIAGNOSED: Readonly<Record<NotDiagnosed, string>> = {
  left_out: "not diagnosed: too many deliveries at once",
  took_too_long: "not searched: took too long",
};

function causeDetails(diagnosis: RefusalDiagnosis): NonNullable<VerdictStep["details"]> {
  if (diagnosis === undefined) return [];
  if (typeof diagnosis === "string") return [{ name: "cause", value: NOT_DIAGNOSED[diagnosis] }];
  const [, ...others] = diagnosis.explanations; // the summary has the first one
  return [
    ...others.map((causes) => ({ name: "or else", value: causes.map(causeText).join("; and ") })),
  ];
}

function signatureDetails({ headers, bytes, digests }: InspectedDelivery, signatureHeader: string) {
  const given = readHeader(headers, signatureHeader);
  const values = given === undefined ? ["(none)"] : [given].flat();
  const computed = digests?.() ?? [];
  return [
    ...values.map((value) => ({ name: `received ${signatureHeader}`, value: shownDigest(value) })),
    ...computed.map(({ role, fingerprint, start }) => ({
      name: `with ${role} secret ${fingerprint}`,
      value: `sha256=${start}… (only 8 of 64 digits are shown)`,
    })),
    { name: "over the raw body", value: `${bytes} bytes` },
  ];
}

function failedCheck(outcome: Outcome): string {
  if (outcome.type === "unauthorized") return "Signature";
  if (outcome.type !== "refused") return "Kept";
  if (outcome.reason === "wrong_path") return "Path";
  return outcome.reason === "wrong_method" ? "Method" : "Body";
}
