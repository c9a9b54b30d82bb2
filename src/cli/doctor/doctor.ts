import type { Command } from "commander";
import { isError } from "../../base/guards.ts";
import { withTimeout } from "../../base/with-timeout.ts";
import type { CliContext } from "../context.ts";
import { hideGiven } from "../hide-given.ts";
import { printable } from "../output.ts";
import { SERVICE_FITS } from "../service/service-options.ts";
import { isTypedOnly, leaves, variableName } from "../settings/command-tree.ts";
import { openSettings, programOf, withoutSettings } from "../settings/config.ts";
import { explain } from "../settings/explain.ts";
import { type OptionConflicts, resolveOptionConflicts } from "../settings/fitting.ts";
import { TUNNEL_FITS } from "../tunnel/kinds.ts";
import { hangingLines, readableWidth } from "../wrap-text.ts";
import { CHECKS } from "./checks.ts";
import type { DoctorOptions } from "./doctor-options.ts";
import { drill } from "./drill/drill.ts";
import { findSetup } from "./find-setup.ts";
import {
  type DoctorCheck,
  type Finding,
  type FindingStatus,
  failure,
  TIME_LIMIT,
  warn,
} from "./finding.ts";
import { REPORT } from "./report.ts";
import type { Setup } from "./setup.ts";
import { outside } from "./url.ts";

/**
 * Looks at a setup as `listen` would be given it, changes nothing, and prints what is wrong and how
 * to fix it; or tries in a place of its own what `listen` promises.
 */
export async function doctor(
  given: DoctorOptions,
  command: Command,
  context: CliContext,
): Promise<void> {
  if (given.explain !== undefined) return explain(command, given.explain, context);
  // Handlers of a configuration file are not meant for a drill, and its address is that of other
  // commands.
  const others = given.drill === true ? (["handlers", "yes"] as const) : [];
  // An agent asks for what is wrong, whatever a file of the folder would make of that.
  const instead = context.io.agent === undefined ? [] : (["drill", "report"] as const);
  const typed = withoutSettings(given, command, ["url", ...others, ...instead]);
  const options = resolveOptionConflicts(typed, command, DOCTOR_FITS);
  const commands = leaves(programOf(command));
  const variables = commands.flatMap((command) =>
    command.options
      .filter((option) => !isTypedOnly(option.attributeName()))
      .map((option) => variableName(option, command)),
  );
  const settings = await openSettings(command, context.io, false);
  const wishes = settings.wishes().map((wish) => ({ ...wish, trusted: settings.agreesTo(wish) }));
  const setup: Setup = { ...(await findSetup(options, command, context)), variables, wishes };
  const running = checksFor(options).map((check) => ({ check, findings: findIn(check, setup) }));
  const counts: Record<FindingStatus, number> = { ok: 0, warn: 0, fail: 0 };
  for (const { check, findings } of running) {
    context.output.status(`looking at: ${check.name}`);
    const found = await findings;
    context.output.status(undefined);
    for (const finding of found) {
      counts[finding.status]++;
      printFinding(check.name, finding, context);
    }
  }
  const parts = (["ok", "warn", "fail"] as const).map((status) => {
    const text = `${counts[status]} ${status}`;
    return counts[status] === 0 ? text : styleOf(status, context)(text);
  });
  context.output.data(parts.join(", "));
  context.exitCode = counts.fail === 0 ? 0 : 1;
  context.output.record("doctor", { ...counts, exitCode: context.exitCode });
}

function checksFor({ drill: drills, url, report }: DoctorOptions): readonly DoctorCheck[] {
  if (drills === true) return [drill];
  if (url !== undefined) return [outside];
  return report === true ? REPORT : CHECKS;
}

/**
 * Names from a URL in a variable stay: a fix would not work without those of a schema or a user.
 */
function hide(text: string, context: CliContext): string {
  return hideGiven(text, context, { ...context.io, env: {} });
}

/** What a check finds within its time; an error is a finding too. */
export async function findIn(
  { name, run, timeLimit = TIME_LIMIT, late }: DoctorCheck,
  setup: Setup,
) {
  const cutOff = warn(
    `the check was cut off after ${timeLimit / 1000} s without a result`,
    late ?? `run this command again; if ${name} is cut off again, look at what it depends on`,
  );
  try {
    return await withTimeout((async () => run(setup))(), timeLimit, () => [cutOff]);
  } catch (thrown) {
    if (setup.context.debug && isError(thrown))
      setup.context.output.talk(hide(String(thrown.stack), setup.context));
    return [failure(thrown)];
  }
}

/**
 * Which flags can be combined. Fewer rules than for `listen`: here the service's address alone is
 * worth a look.
 */
const DOCTOR_FITS: OptionConflicts<DoctorOptions> = {
  ...SERVICE_FITS,
  ...TUNNEL_FITS,
  insecure: { needs: ["forwardTo"] },
  handlers: {
    check: ({ drill, handlers, yes }) => (drill && handlers && yes !== true ? UNASKED : undefined),
  },
  drill: {
    excludes: [
      "port",
      "path",
      "healthPort",
      "inspectPort",
      "exec",
      "onDead",
      "events",
      "forwardTo",
      "subscribe",
    ] as const,
    why: "a drill has a receiver of its own",
  },
  kills: { needs: ["drill"] },
  url: { excludes: ["drill", "report"] },
  report: { excludes: ["drill"] },
  yes: { needs: ["drill"] },
};

const UNASKED =
  "expected --yes with --drill --handlers: your handlers would run with made-up events, some of them twice, and do all that they do; " +
  "pass --yes to allow that, or leave --handlers out";

/** Columns of the status, and of the name of the check. */
const STATUS = 6;
const NAME = 13;
/** The longest text of one finding. */
const LONGEST = 1000;

/**
 * Prints a finding without secrets that were pasted in the wrong place, such as in place of a path:
 * one line and that of its fix, which a terminal wraps and a pipe does not.
 */
function printFinding(check: string, { status, ...finding }: Finding, context: CliContext): void {
  const { output } = context;
  const message = hide(finding.message, context);
  const fix = finding.fix === undefined ? undefined : hide(finding.fix, context);
  const style = styleOf(status, context);
  print(style(status.padEnd(STATUS)) + check.padEnd(NAME), printable(message, LONGEST), context);
  if (fix !== undefined)
    print(" ".repeat(STATUS + NAME), `fix: ${printable(fix, LONGEST)}`, context);
  output.record("finding", { check, status, message, fix: fix ?? null });
}

function styleOf(
  status: FindingStatus,
  { output: { color } }: CliContext,
): (text: string) => string {
  return { ok: color.green, warn: color.yellow, fail: color.red }[status];
}

function print(head: string, text: string, { output }: CliContext): void {
  for (const line of hangingLines(head, text, STATUS + NAME, readableWidth(output)))
    output.data(line);
}
