import { type Command, Option } from "commander";
import { TAMPERINGS, type Tampering } from "../../relay/chaos.ts";
import type { FitTable } from "../settings/fitting.ts";
import {
  readChoice,
  readCount,
  readDuration,
  readDurationRange,
  readRate,
  readSeed,
  readShare,
} from "../settings/values.ts";

/** How sendings are spread out, and what goes wrong with them: the same for `trigger` and `replay`. */
export interface ChaosCommandOptions {
  readonly duplicate?: number;
  readonly shuffle?: boolean;
  readonly rate?: number;
  readonly delay?: readonly [number, number];
  readonly drop?: number;
  readonly tamper?: Tampering;
  readonly noSignature?: boolean;
  readonly stale?: number;
  readonly future?: number;
  readonly seed?: number;
  readonly dryRun?: boolean;
  readonly bodiesTo?: string;
}

/** All of them, for a command that has a way not to send. */
export const CHAOS_FLAGS = [
  ...["duplicate", "shuffle", "rate", "delay", "drop", "tamper", "noSignature", "stale", "future", "seed"],
  ...["dryRun", "bodiesTo"],
] as const satisfies readonly (keyof ChaosCommandOptions)[];

/** Adds the options of chaos to a command that sends. */
export function addChaosOptions(command: Command): Command {
  // Commander takes `--no-` for the opposite of a flag; this one is a flag of its own.
  const noSignature = new Option("--no-signature", "leave the signature header out");
  noSignature.negate = false;
  return command
    .option("--duplicate <n>", "send each so many times in all (default: 1)", readCount)
    .option("--shuffle", "mix the order")
    .option("--rate <n>", "at most so many a second", readRate)
    .option("--delay <range>", "wait before each, such as 0..2s", readDurationRange)
    .option("--drop <share>", "lose a part of them on the way, such as 10%", readShare)
    .option(
      "--tamper <what>",
      "after signing, change the signature (a digit), body (a bit) or header (its form)",
      readChoice(TAMPERINGS),
    )
    .addOption(noSignature)
    .option("--stale <duration>", "date them so long ago, such as 8d", readDuration)
    .option("--future <duration>", "date them so far ahead, such as 1h", readDuration)
    .option(
      "--seed <n>",
      "seed of all that is left to chance, for the same run again (default: drawn, and said)",
      readSeed,
    )
    .option("--dry-run", "send nothing: print the curl line of each, its body in a file")
    .option("--bodies-to <dir>", "folder for the bodies of --dry-run (default: .hookporter/bodies)");
}

/** Which of them fit together. */
export const FITTING_CHAOS: FitTable<ChaosCommandOptions> = {
  stale: { excludes: ["future"], why: "an event has one date" },
  tamper: { excludes: ["noSignature"], why: "without a signature there is nothing to tamper with" },
  bodiesTo: { needs: ["dryRun"] },
};

/** The instant that events are dated to. */
export function datedTo(now: number, { stale = 0, future = 0 }: ChaosCommandOptions): number {
  return now - stale + future;
}
