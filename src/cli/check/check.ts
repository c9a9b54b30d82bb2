import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { CATALOGUE } from "../../check/catalogue.ts";
import { groupOf, rightText } from "../../check/check-case.ts";
import { type CheckReport, isFatal } from "../../check/check-result.ts";
import { observeByCommand } from "../../check/observe-by-command.ts";
import { observeByUrl } from "../../check/observe-by-url.ts";
import type { Observer } from "../../check/observer.ts";
import type { ReportFormat } from "../../check/report-formats.ts";
import { githubReport } from "../../check/report-github.ts";
import { jsonReport } from "../../check/report-json.ts";
import { junitReport } from "../../check/report-junit.ts";
import { markdownReport } from "../../check/report-markdown.ts";
import { runCheck } from "../../check/run-check.ts";
import { selectCases } from "../../check/select-cases.ts";
import { HookporterError } from "../../errors.ts";
import { isLoopback } from "../../http/is-loopback.ts";
import { readSecrets } from "../../signature/secrets.ts";
import { SIGNATURE_HEADER } from "../../signature/signature-format.ts";
import { shownUrl } from "../../text/shown-url.ts";
import type { CliContext } from "../context.ts";
import type { ExitCode } from "../exit-codes.ts";
import { describeFileError } from "../files/file-error.ts";
import type { SecretOptions } from "../secrets/options.ts";
import { findSecrets } from "../secrets/secret.ts";
import { CHECK_SETTLE, CHECK_TIMEOUT } from "../settings/default-values.ts";
import { CheckView, caseLine } from "./view.ts";

/** Options of `check`; times are milliseconds. */
export interface CheckCommandOptions extends SecretOptions {
  readonly only?: readonly string[];
  readonly skip?: readonly string[];
  readonly list?: boolean;
  readonly yes?: boolean;
  readonly strict?: boolean;
  readonly verbose?: boolean;
  readonly format?: ReportFormat;
  readonly output?: string;
  readonly observe?: string;
  readonly timeout?: number;
  readonly settle?: number;
  readonly concurrency?: number;
  readonly signatureHeader?: string;
}

/** `check <url>`. */
export async function runCheckCommand(
  url: URL | undefined,
  options: CheckCommandOptions,
  context: CliContext,
): Promise<void> {
  if (options.list === true) return listCases(options, context);
  const target = readCheckTarget(url, options);
  refuseTwoForms(options, context);
  const { output, clock } = context;
  const cases = selectCases(options);
  const {
    timeout = CHECK_TIMEOUT,
    settle = CHECK_SETTLE,
    concurrency = 1,
    strict = false,
    signatureHeader = SIGNATURE_HEADER,
  } = options;
  const found = await findSecrets(context, options);
  const [secret] = readSecrets(found.values, (warning) => output.talk(`warning: ${warning}`));
  if (secret === undefined) return;
  const observer = readObserver(options.observe, timeout, context);

  const patient = cases.some(({ id }) => id === "HTTP-10")
    ? `\n  HTTP-10 takes up to ${timeout / 1000} s`
    : "";
  output.talk(`${shownUrl(target)}: ${cases.length} cases, secret from ${found.from}${patient}`);
  const shown = options.format === undefined || options.format === "pretty" || options.output !== undefined;
  const view = new CheckView(context, options.verbose === true, shown);
  const report = await runCheck({
    ...{
      url: target,
      cases,
      secret: secret.key,
      signatureHeader,
      timeout,
      concurrency,
      clock,
      settle,
    },
    ...(observer !== undefined && { observer }),
    onResult: (result) => {
      view.add(result);
      output.record("check", result);
    },
  });
  view.end(report);
  context.exitCode = exitCodeOf(report, strict);
  const { url: checked, startedAt, duration, stopped, diagnosis, counts, responseTimes } = report;
  const exitCode = context.exitCode;
  output.record("summary", {
    url: checked,
    startedAt,
    duration,
    ...counts,
    responseTimes,
    diagnosis,
    stopped,
    exitCode,
  });
  writeReport(report, view.text, options, context);
  if (report.stopped !== null) output.talk(`error: the receiver stopped answering: ${report.stopped}`);
}

function readCheckTarget(url: URL | undefined, { yes }: CheckCommandOptions): URL {
  if (url === undefined) {
    throw new HookporterError(
      "usage",
      "expected the URL of a receiver, such as http://localhost:3000/webhooks, got none",
    );
  }
  if (isLoopback(url) || yes === true) return url;
  throw new HookporterError(
    "usage",
    `expected a receiver on this machine, got ${url.hostname}: pass --yes to send it more than a hundred deliveries, including forged and broken ones`,
  );
}

function refuseTwoForms(
  { format = "pretty", output: file }: CheckCommandOptions,
  { output }: CliContext,
): void {
  if (!output.json || format === "pretty" || file !== undefined) return;
  throw new HookporterError(
    "usage",
    `expected --output with --json and --format ${format}, got none: standard output can contain only one of them`,
  );
}

function readObserver(given: string | undefined, timeout: number, { io }: CliContext): Observer | undefined {
  if (given === undefined) return undefined;
  if (given.trim() === "")
    throw new HookporterError("usage", "expected --observe to be a command or a URL, got an empty string");
  if (/^https?:\/\//i.test(given)) return observeByUrl(given, timeout);
  return observeByCommand(given, { cwd: io.cwd, env: io.env, timeout });
}

function exitCodeOf({ results, stopped }: CheckReport, strict: boolean): ExitCode {
  if (stopped !== null) return 5;
  return results.some((one) => isFatal(one, strict)) ? 1 : 0;
}

function writeReport(
  report: CheckReport,
  pretty: string,
  { format = "pretty", output: file, strict = false }: CheckCommandOptions,
  { io, output }: CliContext,
): void {
  if (format === "pretty" && file === undefined) return;
  const text = {
    pretty: () => pretty,
    json: () => jsonReport(report),
    junit: () => junitReport(report, strict),
    github: () => githubReport(report, strict),
    markdown: () => markdownReport(report, strict),
  };
  const bytes = Buffer.from(text[format](), "utf8");
  if (file === undefined) {
    output.raw(bytes);
    return;
  }
  try {
    writeFileSync(resolve(io.cwd, file), bytes);
  } catch (cause) {
    throw new HookporterError("input_invalid", `${file} could not be written: ${describeFileError(cause)}`, {
      cause,
    });
  }
  output.talk(`${format} report written to ${file}`);
}

function listCases(options: CheckCommandOptions, { output }: CliContext): void {
  const wanted = options.only === undefined && options.skip === undefined ? CATALOGUE : selectCases(options);
  for (const one of wanted) {
    const { id, sent, severity, why, needsObserver } = one;
    const right = rightText(one);
    output.data(caseLine({ id, sent, severity, right }, output.color, output.columns));
    output.record("case", {
      id,
      group: groupOf(one),
      sent,
      right,
      severity,
      why,
      observed: needsObserver === true,
    });
  }
}
