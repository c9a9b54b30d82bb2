import { type Command, Option } from "commander";
import { HookporterError } from "../../errors.ts";
import { TAMPERINGS, type Tampering } from "../../relay/chaos.ts";
import { isTyped } from "../settings/config.ts";
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

const FLAGS = [
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

/**
 * Refuses flags that contradict each other. Where only one of two was typed, the other is a setting and gives way.
 *
 * @param others - flags of the command that go with none of chaos's, or with some of them
 * @throws HookporterError `usage`
 */
export function settleChaos<Options extends ChaosCommandOptions>(
  command: Command,
  options: Options,
  others: Readonly<Record<string, { with: readonly (keyof ChaosCommandOptions)[]; why: string }>> = {},
): Options {
  const settled: Record<string, unknown> = Object.fromEntries(Object.entries(options));
  const refuse = (one: string, other: string, why: string) => {
    if (!isOn(settled[one]) || !isOn(settled[other])) return;
    const typed = [isTyped(command, one), isTyped(command, other)];
    if (typed[0] === typed[1])
      throw new HookporterError("usage", `expected ${flagOf(one)} or ${flagOf(other)}, got both: ${why}`);
    delete settled[typed[0] ? other : one];
  };
  refuse("stale", "future", "an event has one date");
  refuse("tamper", "noSignature", "without a signature there is nothing to tamper with");
  for (const [flag, { with: flags, why }] of Object.entries(others)) {
    for (const other of flags) refuse(flag, other, why);
  }
  if (isTyped(command, "bodiesTo") && options.dryRun !== true)
    throw new HookporterError("usage", "expected --dry-run beside --bodies-to, got none: add it");
  return settled as unknown as Options;
}

/** All flags of chaos, for a command that has a way not to send. */
export const CHAOS_FLAGS: readonly (keyof ChaosCommandOptions)[] = FLAGS;

/** The instant that events are dated to. */
export function datedTo(now: number, { stale = 0, future = 0 }: ChaosCommandOptions): number {
  return now - stale + future;
}

function isOn(value: unknown): boolean {
  return value !== undefined && value !== false;
}

function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
