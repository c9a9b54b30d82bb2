import type { Command } from "commander";
import { tryOr } from "../../base/try-or.ts";
import type { Io } from "../io.ts";
import { openSettings } from "../settings/config.ts";
import { Consent, type Wish } from "./consent.ts";

/** What the files of a folder would like to set without the person's consent, by its place. */
export async function untrustedIn(
  directory: string,
  command: Command,
  io: Io,
): Promise<readonly Wish[]> {
  const settings = await openSettings(command, { ...io, cwd: directory }, false);
  return settings.wishes().filter((wish) => !settings.agreesTo(wish));
}

/**
 * Remembers that the person trusts what a command of theirs has just written into a folder, but not
 * what was there before. If it cannot be remembered, commands ask for consent.
 */
export async function trustWritten(
  directory: string,
  before: readonly Wish[],
  command: Command,
  io: Io,
): Promise<void> {
  const settings = await openSettings(command, { ...io, cwd: directory }, false);
  const foreign = new Set(before.map(({ where, value }) => `${where} ${value}`));
  const own = settings.wishes().filter(({ where, value }) => !foreign.has(`${where} ${value}`));
  if (own.length > 0) tryOr(() => new Consent(directory, io.env).remember(own), undefined);
}
