import { shellWord } from "../base/text/shell-word.ts";
import { shownUrl } from "../base/text/shown-url.ts";
import { readEnvelope } from "../event/read-envelope.ts";
import { isIn } from "./answer.ts";
import type { CaseId } from "./catalogue.ts";
import type { CheckOptions } from "./check-options.ts";
import type { CheckResult } from "./check-result.ts";
import type { ProbeExchange } from "./delivery.ts";
import { isForgedIn } from "./forged-diagnosis.ts";
import type { Probe } from "./probe.ts";

/** A body up to this many bytes is shown in a command. */
const LONGEST_PROOF = 4096;

/**
 * A forged delivery that the receiver confirmed, if there was one. Prefers one without a signature,
 * or with an obviously wrong one, and less of it if the receiver confirms that, too.
 */
export async function findProof(
  results: readonly CheckResult[],
  confirmed: ReadonlyMap<CaseId, ProbeExchange>,
  probe: Probe,
): Promise<ProbeExchange | undefined> {
  const shown = results
    .filter(isForgedIn)
    .flatMap(({ checkCase }) => confirmed.get(checkCase.id) ?? [])
    .filter(({ body }) => body.byteLength <= LONGEST_PROOF);
  const first = shown.find(({ options }) => options.signature === null) ?? shown[0];
  if (first === undefined) return undefined;
  const body = shortened(first.body);
  if (body === undefined || (first.options.signature ?? null) !== null) return first;
  const answer = await probe.post(body, first.options);
  return isIn(answer, ["2xx"]) ? { ...first, body } : first;
}

/** The same envelope with no more than ids in `data` and `webhook`. */
function shortened(body: Uint8Array): Buffer | undefined {
  const read = readEnvelope(body);
  if (!read.ok) return undefined;
  const { event, timestamp, data, webhook } = read.envelope;
  const short = { event, timestamp, data: { id: data.id }, webhook: { id: webhook.id } };
  return Buffer.from(JSON.stringify(short));
}

/** The `curl` command that sends it, without the values of the query of the URL. */
export function curlText(
  { options, body }: ProbeExchange,
  { url, signatureHeader }: Pick<CheckOptions, "url" | "signatureHeader">,
): string {
  const { method = "POST", target, headers, header = signatureHeader, signature } = options;
  const signatures = typeof signature === "string" ? [signature] : (signature ?? []);
  const sent: readonly (readonly [string, string | null])[] = [
    ...Object.entries({ "content-type": "application/json", ...headers }),
    ...signatures.map((value) => [header, value] as const),
  ];
  const path = (target ?? url.pathname + url.search).replace(url.search, () =>
    shownUrl(url.search),
  );
  const parts = [
    "curl",
    "-i",
    ...(method === "POST" ? [] : ["-X", method]),
    ...(target === undefined ? [] : ["--path-as-is"]),
    ...sent.flatMap(([name, value]) => [
      "-H",
      shellWord(value === null ? `${name}:` : value === "" ? `${name};` : `${name}: ${value}`),
    ]),
    "--data-binary",
    shellWord(Buffer.from(body).toString("utf8")),
    shellWord(url.origin + path),
  ];
  return parts.join(" ");
}
