import { Option } from "commander";
import { type DisturbOptions, TAMPERINGS } from "../../relay/chaos.ts";
import type { ScheduleOptions } from "../../relay/schedule.ts";
import type { CliCommand } from "../cli-command.ts";
import type { SecretOptions } from "../secrets/secret-options.ts";
import type { OptionConflicts } from "../settings/fitting.ts";
import {
  readChoice,
  readConcurrency,
  readCount,
  readDuration,
  readDurationRange,
  readRate,
  readSeed,
  readShare,
} from "../settings/values.ts";

/**
 * What `trigger` and `replay` share: where to send, how sendings are spread out, and what goes
 * wrong with them.
 */
export interface SendingOptions
  extends SecretOptions,
    Omit<ScheduleOptions, "copies">,
    Omit<DisturbOptions, "header"> {
  readonly url?: URL;
  readonly inbox?: string;
  readonly timeout?: number;
  readonly signatureHeader?: string;
  readonly duplicate?: number;
  readonly stale?: number;
  readonly future?: number;
  readonly seed?: number;
  readonly concurrency?: number;
  readonly maxFailures?: number;
  readonly failFast?: boolean;
  readonly dryRun?: boolean;
  readonly wait?: boolean;
  readonly expect?: number;
  readonly bodiesTo?: string;
}

/** All chaos flags, for a command that may not send at all. */
export const CHAOS_FLAGS = [
  "duplicate",
  "shuffle",
  "rate",
  "delay",
  "drop",
  "tamper",
  "noSignature",
  "stale",
  "future",
  "seed",
  "concurrency",
  "maxFailures",
  "dryRun",
  "bodiesTo",
  "wait",
] as const satisfies readonly (keyof SendingOptions)[];

interface ChaosFlags {
  /** What else `--fail-fast` stops at. Default: nothing. */
  readonly failFastHelp?: string;
  /** Whether a delay can be typed, or is a setting. Default: it can be typed. */
  readonly delayDeclaredAs?: "option" | "setting";
}

/** Adds the chaos options to a command that sends. */
export function addChaosOptions(
  command: CliCommand,
  { failFastHelp: failFast = "", delayDeclaredAs: delay = "option" }: ChaosFlags = {},
): CliCommand {
  // Commander reads `--no-x` as the opposite of `--x`; this one has no opposite.
  const noSignature = new Option("--no-signature", "omit the signature header");
  noSignature.negate = false;
  return command
    .common("--duplicate <n>", "times to send each event (default: 1)", readCount)
    .option("--shuffle", "send in random order")
    .common("--rate <n>", "maximum deliveries per second (default: no limit)", readRate)
    [delay]("--delay <range>", "delay before each delivery, such as 0..2s", readDurationRange)
    .option("--drop <share>", "share of deliveries to drop, such as 10%", readShare)
    .option(
      "--tamper <what>",
      "after signing, change the signature (one digit), body (one bit) or header (its format)",
      readChoice(TAMPERINGS),
    )
    .addOption(noSignature)
    .option("--stale <duration>", "backdate timestamps by this much, such as 8d", readDuration)
    .option(
      "--future <duration>",
      "set timestamps this far in the future, such as 1h",
      readDuration,
    )
    .common("--seed <n>", "random seed, to repeat a run (default: random, printed)", readSeed)
    .setting(
      "--concurrency <n>",
      "deliveries to send at a time; above 1, they may arrive in another order (default: 1)",
      readConcurrency,
    )
    .setting(
      "--max-failures <n>",
      "stop after this many deliveries in a row without an answer (default: 10)",
      readCount,
    )
    .common("--fail-fast", `stop at ${failFast}the first delivery that is not answered 2xx`)
    .common("--wait", "wait, and print what the handler or target did; exit 7 if not handled")
    .common(
      "--dry-run",
      "send nothing; print a curl command for each delivery, with its body in a file",
    )
    .setting(
      "--bodies-to <dir>",
      "folder for the body files of --dry-run (default: .hookporter/bodies)",
    );
}

export const FITTING_CHAOS: OptionConflicts<SendingOptions> = {
  stale: { excludes: ["future"], why: "an event has one timestamp" },
  tamper: { excludes: ["noSignature"], why: "without a signature there is nothing to tamper with" },
  bodiesTo: { needs: ["dryRun"] },
  wait: { excludes: ["dryRun"], why: "--dry-run sends nothing" },
};

export function datedTo(now: number, { stale = 0, future = 0 }: SendingOptions): number {
  return now - stale + future;
}
