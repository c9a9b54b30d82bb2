import { type Command, Option } from "commander";
import { HookporterError } from "../errors.ts";
import { TAMPERINGS, type Tampering } from "../relay/chaos.ts";
import { isTyped } from "./config.ts";
import {
  readChoice,
  readCount,
  readDuration,
  readDurationRange,
  readRate,
  readSeed,
  readShare,
} from "./values.ts";

/** How sendings are spread out, and what goes wrong with them; shared by `trigger` and `replay`. */
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

/** Adds the chaos options to a command that sends. */
export function addChaosOptions(command: Command): Command {
  // Commander reads `--no-x` as the opposite of `--x`; this one has no opposite.
  const noSignature = new Option("--no-signature", "omit the signature header");
  noSignature.negate = false;
  return command
    .option("--duplicate <n>", "times to send each event (default: 1)", readCount)
    .option("--shuffle", "send in random order")
    .option("--rate <n>", "maximum deliveries per second", readRate)
    .option("--delay <range>", "delay before each delivery, such as 0..2s", readDurationRange)
    .option("--drop <share>", "share of deliveries to drop, such as 10%", readShare)
    .option(
      "--tamper <what>",
      "after signing, change the signature (one digit), body (one bit) or header (its format)",
      readChoice(TAMPERINGS),
    )
    .addOption(noSignature)
    .option("--stale <duration>", "backdate timestamps by this much, such as 8d", readDuration)
    .option("--future <duration>", "set timestamps this far in the future, such as 1h", readDuration)
    .option("--seed <n>", "random seed, to repeat a run (default: random, printed)", readSeed)
    .option("--dry-run", "send nothing; print a curl command for each delivery, with its body in a file")
    .option("--bodies-to <dir>", "folder for the body files of --dry-run (default: .hookporter/bodies)");
}

/**
 * Refuses flags that contradict each other. If only one of the two was typed, it overrides the other, which is a setting.
 *
 * @param others - flags of the command that exclude chaos flags: which ones, and why
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
  refuse("stale", "future", "an event has one timestamp");
  refuse("tamper", "noSignature", "without a signature there is nothing to tamper with");
  for (const [flag, { with: flags, why }] of Object.entries(others)) {
    for (const other of flags) refuse(flag, other, why);
  }
  if (isTyped(command, "bodiesTo") && options.dryRun !== true)
    throw new HookporterError("usage", "expected --dry-run with --bodies-to, got none: add it");
  return settled as unknown as Options;
}

/** All chaos flags, for a command that may not send at all. */
export const CHAOS_FLAGS: readonly (keyof ChaosCommandOptions)[] = FLAGS;

/** The timestamp to give to events. */
export function datedTo(now: number, { stale = 0, future = 0 }: ChaosCommandOptions): number {
  return now - stale + future;
}

function isOn(value: unknown): boolean {
  return value !== undefined && value !== false;
}

function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
