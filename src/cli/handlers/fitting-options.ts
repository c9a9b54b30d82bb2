import type { Command } from "commander";
import { isTyped } from "../settings/config.ts";
import type { ForwardingOptions } from "./forwarding.ts";

/** The options that need others beside them, and whether those are there. */
const NEEDS = {
  catchUp: ({ handlers, forwardTo }: ForwardingOptions) => handlers !== undefined || forwardTo !== undefined,
  deadLetters: ({ orderBy }: ForwardingOptions) => orderBy !== undefined,
  sync: ({ forwardTo }: ForwardingOptions) => forwardTo !== undefined,
} as const;

/**
 * Options without those of them that come from a setting and have nothing to say here: a setting must not make a plain
 * command fail. What is typed stays, and is refused where it does not fit.
 */
export function withoutUnfitSettings<Options extends ForwardingOptions>(
  options: Options,
  command: Command,
): Options {
  const fits = (name: string) => {
    if (!Object.hasOwn(NEEDS, name) || isTyped(command, name)) return true;
    if (name === "sync" && isTyped(command, "handlers")) return false; // the sender gets the answer of a target alone
    return NEEDS[name as keyof typeof NEEDS](options);
  };
  return Object.fromEntries(Object.entries(options).filter(([name]) => fits(name))) as Options;
}
