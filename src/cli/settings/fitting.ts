import type { Command } from "commander";
import { usageError } from "../input-errors.ts";
import { flagName, isSettingOnly } from "./command-tree.ts";
import { isTyped } from "./config.ts";

/** The camel-case name of a flag. */
type Flag<Options> = Extract<keyof Options, string>;

/** Another flag, or one value of it; `is: undefined` means its absence. */
export type Other<Options> =
  | Flag<Options>
  | { readonly flag: Flag<Options>; readonly is: string | undefined };

/** What a flag can be combined with. */
export interface Fit<Options> {
  /** One of these must be present. A setting without any of them is dropped. */
  readonly needs?: readonly Other<Options>[];
  /** None of these may be present. Of a typed flag and a setting, the setting is dropped. */
  readonly excludes?: readonly Flag<Options>[];
  /** The reason for both, as shown in messages. */
  readonly why?: string;
  /** Returns what is wrong with its value together with those of others, as a whole message. */
  readonly check?: (options: Options) => string | undefined;
  /** The flag is never dropped, even if it is a setting. */
  readonly stays?: true;
}

/** What the flags of a command can be combined with. The first row with a problem is reported. */
export type OptionConflicts<Options> = { readonly [Name in Flag<Options>]?: Fit<Options> };

/**
 * Returns options that can be combined. A setting must not make a plain command fail, so it is
 * dropped if it does not fit typed flags, or has no effect without flags that are missing. Typed
 * flags must fit; two settings that contradict each other are refused too. Throws `usage`.
 */
export function resolveOptionConflicts<Options extends object>(
  options: Options,
  command: Command,
  table: OptionConflicts<NoInfer<Options>>,
): Options {
  const rows = Object.entries(table) as [Flag<Options>, Fit<Options>][];
  let left = options;
  const typed = (flag: string) => isTyped(command, flag);
  const named = (flag: string) => {
    const option = command.options.find((option) => option.attributeName() === flag);
    return option !== undefined && isSettingOnly(option) ? flag : flagName(flag);
  };
  const has = (flag: Flag<Options>) => left[flag] !== undefined && left[flag] !== false;
  const lacks = (needs: readonly Other<Options>[] = []) =>
    needs.length > 0 &&
    !needs.some((other) =>
      typeof other === "string" ? has(other) : left[other.flag] === other.is,
    );
  const drop = (flag: Flag<Options>) => {
    if (table[flag]?.stays === true) return;
    left = Object.fromEntries(Object.entries(left).filter(([name]) => name !== flag)) as Options;
  };

  // First drop settings that contradict typed flags, then settings without the flags they need; the
  // rest must fit.
  for (const [flag, { needs = [], excludes = [] }] of rows) {
    for (const other of excludes) {
      if (has(flag) && has(other) && typed(flag) !== typed(other)) drop(typed(flag) ? other : flag);
    }
    if (!typed(flag) || !has(flag) || !lacks(needs)) continue;
    for (const other of needs) {
      if (typeof other !== "string" && other.is === undefined && !typed(other.flag))
        drop(other.flag);
    }
  }
  for (const [flag, { needs }] of rows) {
    if (has(flag) && !typed(flag) && lacks(needs)) drop(flag);
  }
  for (const [flag, { needs = [], excludes = [], why, check }] of rows) {
    if (!has(flag)) continue;
    const rival = excludes.find(has);
    if (rival !== undefined) throw usageError(contradiction(named(flag), named(rival), why));
    if (typed(flag) && lacks(needs)) throw usageError(lack(named, flag, needs, why, left));
    const problem = check?.(left);
    if (problem !== undefined) throw usageError(problem);
  }
  return left;
}

function contradiction(flag: string, rival: string, why: string | undefined): string {
  return `expected ${flag} or ${rival}, got both: ${reason(why)}remove one`;
}

function lack<Options>(
  named: (flag: string) => string,
  flag: string,
  needs: readonly Other<Options>[],
  why: string | undefined,
  options: Options,
): string {
  const expected = needs.map((other) =>
    typeof other === "string" ? named(other) : withValue(named(other.flag), other.is),
  );
  const values = needs.filter((other) => typeof other !== "string");
  const found = values.find((other) => options[other.flag] !== undefined);
  const got =
    found === undefined ? "none" : withValue(named(found.flag), String(options[found.flag]));
  const add = needs.length === 1 ? "add it" : "add one";
  const change = values.some(({ is }) => is !== undefined) ? "change it" : "remove it";
  const fix = found === undefined ? add : change;
  return `expected ${listed(expected)} with ${named(flag)}, got ${got}: ${reason(why)}${fix}, or remove ${named(flag)}`;
}

function reason(why: string | undefined): string {
  return why === undefined ? "" : `${why}; `;
}

function withValue(flag: string, value: string | undefined): string {
  return value === undefined ? `no ${flag}` : `${flag} ${value}`;
}

function listed(names: readonly string[]): string {
  const last = names.at(-1) ?? "";
  return names.length < 2 ? last : `${names.slice(0, -1).join(", ")} or ${last}`;
}
