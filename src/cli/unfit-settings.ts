import type { Command } from "commander";
import { isTyped } from "./config.ts";
import type { ForwardingOptions } from "./forwarding.ts";

/** The options that need others, and whether those are present. */
const NEEDS = {
  catchUp: ({ handlers, forwardTo }: ForwardingOptions) => handlers !== undefined || forwardTo !== undefined,
  deadLetters: ({ orderBy }: ForwardingOptions) => orderBy !== undefined,
  sync: ({ forwardTo }: ForwardingOptions) => forwardTo !== undefined,
} as const;

/**
 * Drops settings that have no effect without other options: a setting must not make a plain command fail. Typed options
 * stay, and are refused if they do not fit.
 */
export function withoutUnfitSettings<Options extends ForwardingOptions>(
  options: Options,
  command: Command,
): Options {
  const fits = (name: string) => {
    if (!Object.hasOwn(NEEDS, name) || isTyped(command, name)) return true;
    if (name === "sync" && isTyped(command, "handlers")) return false; // with --sync the sender gets a target's response
    return NEEDS[name as keyof typeof NEEDS](options);
  };
  return Object.fromEntries(Object.entries(options).filter(([name]) => fits(name))) as Options;
}
