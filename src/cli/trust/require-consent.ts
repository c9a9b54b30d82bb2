import type { Command } from "commander";
import { HookporterError } from "../../base/errors.ts";
import { ownCommand } from "../../base/package/own-command.ts";
import type { Io } from "../io.ts";
import { commandName } from "../settings/command-tree.ts";
import { TRUST_VARIABLE, type Wish } from "./consent.ts";

/** Commands that show what needs consent, or use no setting of the folder. */
const WITHOUT_CONSENT: ReadonlySet<string> = new Set(["trust", "doctor", "completion"]);

/** Throws `config_untrusted`, unless the command only shows what files of the folder would set. */
export function requireConsent(
  refused: readonly Wish[],
  command: Command,
  { env }: Pick<Io, "env">,
): void {
  if (WITHOUT_CONSENT.has(commandName(command))) return;
  const places = [...new Set(refused.map(({ where }) => where))].join(", ");
  const got = env[TRUST_VARIABLE] ? `a ${TRUST_VARIABLE} that is not theirs` : "none";
  throw new HookporterError(
    "config_untrusted",
    `expected your consent to settings of this folder's files, got ${got}: look at ${places} with \`${ownCommand("trust")}\``,
  );
}
