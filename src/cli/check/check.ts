import { durationText } from "../../base/text/duration-text.ts";
import { shownUrl } from "../../base/text/shown-url.ts";
import { tryOr } from "../../base/try-or.ts";
import { CATALOGUE, type CheckCase } from "../../check/catalogue.ts";
import { groupOf } from "../../check/check-case.ts";
import type { CheckOptions } from "../../check/check-options.ts";
import {
  type Observer,
  observeByCommand,
  observeByUrl,
  observedAddress,
} from "../../check/observer.ts";
import { runCheck } from "../../check/run-check.ts";
import { selectCases } from "../../check/select-cases.ts";
import { verdictOnReport } from "../../check/verdict.ts";
import { waitText } from "../../check/words/absences.ts";
import { expectedText } from "../../check/words/answers.ts";
import { SENT } from "../../check/words/cases.ts";
import { REASONS } from "../../check/words/reasons.ts";
import { caseInWords, reportInWords } from "../../check/words/report.ts";
import { stopText } from "../../check/words/stops.ts";
import { verdictText } from "../../check/words/verdicts.ts";
import { isLoopback } from "../../http/is-loopback.ts";
import { SIGNATURE_HEADER } from "../../signature/signature-format.ts";
import type { CliContext } from "../context.ts";
import { addedHeaders, notTheSignature } from "../handlers/forward-request.ts";
import type { ForwardRequestOptions } from "../handlers/request-options.ts";
import { usageError } from "../input-errors.ts";
import { requireReach } from "../mcp/reach.ts";
import { runningListen } from "../ready/running-listen.ts";
import type { SecretOptions } from "../secrets/secret-options.ts";
import { startProgress } from "../send/progress.ts";
import { findSigningKey } from "../service/signing-key.ts";
import { CHECK_MAX_TIME, CHECK_SETTLE, CHECK_TIMEOUT } from "../settings/default-values.ts";
import { awaitReceiver } from "./await-receiver.ts";
import { type RealEventOptions, readRealEvent } from "./real-event.ts";
import { CheckView, caseLine } from "./view.ts";
import { type ReportOptions, writeNotRun, writeReport } from "./write-report.ts";

/** Options of `check`; times are milliseconds. */
export interface CheckCommandOptions
  extends SecretOptions,
    RealEventOptions,
    ReportOptions,
    Pick<ForwardRequestOptions, "header" | "headerEnv" | "insecure">,
    Partial<
      Pick<
        CheckOptions,
        "rate" | "timeout" | "maxTime" | "settle" | "concurrency" | "signatureHeader"
      >
    > {
  readonly only?: readonly string[];
  readonly skip?: readonly string[];
  readonly list?: boolean;
  readonly yes?: boolean;
  readonly verbose?: boolean;
  readonly wait?: number;
}

export async function runCheckCommand(
  url: URL | undefined,
  options: CheckCommandOptions,
  context: CliContext,
): Promise<void> {
  if (options.list === true) return listCases(options, context);
  try {
    await checkReceiver(url, options, context);
  } catch (thrown) {
    // The report of an earlier run must not be taken for that of this one.
    if (options.output !== undefined)
      tryOr(() => writeNotRun(url, thrown, options, context), undefined);
    throw thrown;
  }
}

async function checkReceiver(
  url: URL | undefined,
  options: CheckCommandOptions,
  context: CliContext,
): Promise<void> {
  const target = readCheckTarget(url, options, context);
  refuseTwoForms(options, context);
  const { output, clock } = context;
  const cases = selectCases(options);
  const {
    timeout = CHECK_TIMEOUT,
    settle = CHECK_SETTLE,
    maxTime = CHECK_MAX_TIME,
    concurrency = 1,
    strict = false,
  } = options;
  const { signatureHeader = SIGNATURE_HEADER, insecure = false, rate } = options;
  const { found, current: secret } = await findSigningKey(options, context);
  const observer = readObserver(options.observe, timeout, context);
  const real = await readRealEvent(options, context);
  const headers = readHeaders(options, context);
  const outlook = outlookOf(cases, timeout, rate);
  output.talk(`${shownUrl(target)}: ${outlook.requests}; secret from ${found.from}${outlook.wait}`);
  if (options.wait !== undefined)
    await awaitReceiver(target, { patience: options.wait, timeout, headers, insecure });
  const shown =
    options.format === undefined || options.format === "pretty" || options.output !== undefined;
  const view = new CheckView(context, options.verbose === true, shown);
  const progress = startProgress(cases.length, context);
  const report = await runCheck({
    url: target,
    cases,
    secret: secret.key,
    signatureHeader,
    timeout,
    concurrency,
    clock,
    settle,
    maxTime,
    ...real,
    headers,
    insecure,
    ...(rate !== undefined && { rate }),
    ...(observer !== undefined && { observer }),
    onResult: (result) => {
      progress.advance();
      output.record("check", caseInWords(result));
    },
    onWait: (milliseconds, why) =>
      output.talk(`waiting ${Math.ceil(milliseconds / 1000)} s: ${waitText(why)}`),
  }).finally(progress.end);
  view.print(report, strict);
  const judged = verdictOnReport(report, strict);
  const isFailed = judged.type !== "passed" && judged.type !== "stopped";
  context.exitCode = judged.type === "stopped" ? 5 : isFailed ? 1 : 0;
  const { results: _, counts, ...rest } = reportInWords(report);
  const verdict = verdictText(judged);
  output.record("summary", { ...rest, verdict, ...counts, exitCode: context.exitCode });
  writeReport(report, view.text, options, context);
  if (report.stopped !== null)
    output.talk(`error: the run ended early: ${stopText(report.stopped)}`);
}

/** What a run will send, and how long it may take. */
function outlookOf(cases: readonly CheckCase[], timeout: number, rate: number | undefined) {
  const most = Math.min(MOST_REQUESTS, cases.length * MOST_OF_A_CASE);
  const paced =
    rate === undefined
      ? ""
      : `, at ${rate} per second, which takes up to ${durationText((1000 * most) / rate)}`;
  const endless = cases.find(({ isEndless }) => isEndless);
  return {
    requests: `${cases.length} cases, at most ${most} requests${paced}`,
    wait: endless === undefined ? "" : `\n  ${endless.id} takes up to ${timeout / 1000} s`,
  };
}

/** About how many requests a right receiver gets at most. */
export const MOST_REQUESTS = 600;
const MOST_OF_A_CASE = 20;

/** The headers of every request. Each name has one value, since a receiver may not know two. */
function readHeaders(
  options: CheckCommandOptions,
  context: CliContext,
): Readonly<Record<string, string>> {
  const wrong = notTheSignature(options);
  if (wrong !== undefined) throw usageError(wrong);
  const added = Object.entries(addedHeaders(options, context));
  return Object.fromEntries(added.map(([name, values]) => [name, values.join(", ")]));
}

/**
 * It is never guessed, since handlers run for what is sent; that of a running `listen` is named.
 */
function readCheckTarget(
  url: URL | undefined,
  { yes }: CheckCommandOptions,
  { io }: CliContext,
): URL {
  if (url !== undefined) requireReach(url, undefined, io);
  if (url === undefined) {
    const running = runningListen(io.cwd);
    const example =
      running === undefined
        ? "http://localhost:3000/webhooks"
        : `${running.url}, where listen runs`;
    throw usageError(`expected the URL of a receiver, such as ${example}, got none`);
  }
  if (isLoopback(url) || yes === true) return url;
  throw usageError(
    `expected a receiver on this machine, got ${url.hostname}: pass --yes to send it hundreds of deliveries, including forged and broken ones`,
  );
}

function refuseTwoForms(
  { format = "pretty", output: file }: CheckCommandOptions,
  { output }: CliContext,
) {
  if (!output.json || format === "pretty" || file !== undefined) return;
  throw usageError(
    `expected --output with --json and --format ${format}, got none: standard output can contain only one of them`,
  );
}

function readObserver(
  given: string | undefined,
  timeout: number,
  { io, origins }: CliContext,
): Observer | undefined {
  if (given === undefined) return undefined;
  if (given.trim() === "")
    throw usageError("expected --observe to be a command or a URL, got an empty string");
  if (/^https?:\/\//i.test(given)) {
    requireReach(observedAddress(given), origins.get("observe"), io);
    return observeByUrl(given, timeout);
  }
  return observeByCommand(given, { cwd: io.cwd, env: io.env, timeout });
}

function listCases(options: CheckCommandOptions, { output }: CliContext): void {
  const wanted =
    options.only === undefined && options.skip === undefined ? CATALOGUE : selectCases(options);
  for (const checkCase of wanted) {
    const { id, severity, needsObserver } = checkCase;
    const sent = SENT[id];
    const why = REASONS[checkCase.why];
    const right = expectedText(checkCase.expects);
    output.data(caseLine({ id, sent, severity, right }, output.color, output.columns));
    const observed = needsObserver === true;
    output.record("case", { id, group: groupOf(checkCase), sent, right, severity, why, observed });
  }
}
