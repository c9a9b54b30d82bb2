import { HookporterError } from "../../base/errors.ts";
import { counted } from "../../base/text/counted.ts";
import { escapeInvisible } from "../../base/text/escape-invisible.ts";
import type { CliCommand } from "../cli-command.ts";
import type { CliContext } from "../context.ts";
import { confirmed, mayAsk } from "../may-ask.ts";
import { openSettings } from "../settings/config.ts";
import { Consent, hashOfAll, TRUST_VARIABLE, type Wish } from "./consent.ts";

/**
 * `trust`: shows the settings of the folder's files that need consent, and remembers it if the
 * person gives it. Throws `config_untrusted` if there is nobody to ask.
 */
export async function trust(command: CliCommand, context: CliContext): Promise<void> {
  const { io, output } = context;
  const settings = await openSettings(command, io, false);
  const wishes = settings.wishes();
  const isTrusted = (wish: Wish) => settings.agreesTo(wish);
  for (const wish of wishes) {
    const trusted = isTrusted(wish);
    const from = escapeInvisible(wish.where);
    const value = escapeInvisible(wish.value);
    output.data(`${trusted ? "trusted" : "ignored"}  ${from}: ${value}`);
    output.record("setting", { flag: wish.flag, value, from, trusted });
  }
  const left = wishes.filter((wish) => !isTrusted(wish));
  const hash = hashOfAll(wishes);
  output.record("trust", { trusted: left.length === 0, hash: wishes.length === 0 ? null : hash });
  if (wishes.length === 0) return output.talk("Nothing in this folder needs your consent.");
  output.data(`\n${TRUST_VARIABLE}=${hash}`);
  const consent = new Consent(io.cwd, io.env);
  if (left.length === 0) return output.talk(allTrusted(wishes, consent));
  if (!mayAsk(context, false)) throw nobodyToAsk("a terminal to ask on");
  if (consent.path === undefined) throw nobodyToAsk("HOME to say where to remember this");
  const values = counted(left.length, "value", "values");
  if (!(await confirmed(`Trust ${values} that are ignored now?`, context))) {
    output.talk("Nothing was remembered.");
    context.exitCode = 1;
    return;
  }
  consent.remember(wishes);
  output.talk(`Remembered in ${consent.path}. Other edits of these files ask nothing.`);
}

function allTrusted(wishes: readonly Wish[], consent: Consent): string {
  return wishes.every((wish) => consent.covers(wish))
    ? `You trust all of it. To take that back, remove ${consent.path}.`
    : `${TRUST_VARIABLE} trusts all of it.`;
}

function nobodyToAsk(expected: string): HookporterError {
  return new HookporterError(
    "config_untrusted",
    `expected ${expected}, got none, so nothing was remembered: run this in a terminal, or set ${TRUST_VARIABLE} to what is printed above`,
  );
}
