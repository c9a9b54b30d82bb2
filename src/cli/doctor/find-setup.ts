import { existsSync } from "node:fs";
import type { Command, Option } from "commander";
import { tryOr } from "../../base/try-or.ts";
import type { CliContext } from "../context.ts";
import { nameInbox } from "../inbox/named-inbox.ts";
import { DEFAULT_PROJECT_PORT, PROJECT_KEYS } from "../project/read-project.ts";
import { commandName, leaves } from "../settings/command-tree.ts";
import { isTyped, openSettings, programOf, readSetting } from "../settings/config.ts";
import type { DoctorOptions } from "./doctor-options.ts";
import { openSetup } from "./setup.ts";

/**
 * What doctor looks at: the project's own server, if the settings describe one or the other
 * commands have another inbox than `listen`; else, or with `--listen`, what `listen` would be
 * given. Typed flags apply to both.
 */
export async function findSetup(options: DoctorOptions, command: Command, context: CliContext) {
  if (options.listen === true || options.drill === true) return openSetup(options, context);
  const settings = await openSettings(command, context.io);
  const inboxOf = (command: Command) => {
    const option = optionOf(command, "inbox");
    return option && settings.look(command, option).found;
  };
  const [lister = command] = leaves(programOf(command)).filter(
    (leaf) => commandName(leaf) === "events list",
  );
  const own = inboxOf(lister);
  const listens = inboxOf(command);
  const isApart = own !== undefined && own.value !== listens?.value;
  if (!settings.hasProject && !isApart) return openSetup(options, context);

  const used: Record<string, unknown> = { ...options };
  for (const key of settings.hasProject ? PROJECT_KEYS : (["inbox"] as const)) {
    if (isTyped(command, key)) continue;
    const option = optionOf(command, key);
    const found = key === "inbox" ? own : settings.project(key);
    if (option !== undefined && found !== undefined) used[key] = readSetting(option, found);
    else if (key === "port") used[key] = DEFAULT_PROJECT_PORT;
    else delete used[key];
  }
  const setup = openSetup(used as DoctorOptions, context, true);
  const given = listens?.value as string | undefined;
  const other = tryOr(() => nameInbox(context, given), undefined);
  if (other === undefined)
    return { ...setup, ofListen: openSetup({ inbox: given ?? "" }, context) }; // its check says why
  const { file } = other;
  if (file === undefined || file === setup.inbox.file || !existsSync(file)) return setup;
  return { ...setup, ofListen: openSetup({ inbox: other.option }, context) };
}

function optionOf({ options }: Command, flag: string): Option | undefined {
  return options.find((option) => option.attributeName() === flag);
}
