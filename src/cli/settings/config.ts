import { join, resolve } from "node:path";
import type { Command, Option } from "commander";
import { HookporterError } from "../../base/errors.ts";
import { isError, isRecord } from "../../base/guards.ts";
import { leadsBelow, readText } from "../../base/system/files.ts";
import { isBelow } from "../../base/system/paths.ts";
import { tryOr } from "../../base/try-or.ts";
import { DEFAULT_ENDPOINT } from "../../http/default-endpoint.ts";
import { isPostgresUrl } from "../../inbox/postgres/postgres-url.ts";
import type { CliContext } from "../context.ts";
import {
  completed,
  listensInbox,
  lookForInboxes,
  takesListensInbox,
} from "../inbox/inboxes-here.ts";
import { UnexpectedValue } from "../input-errors.ts";
import type { Io } from "../io.ts";
import type { Variables } from "../project/env-text.ts";
import { DEFAULT_PROJECT_PORT } from "../project/read-project.ts";
import { runningListen } from "../ready/running-listen.ts";
import { readEnvFile } from "../secrets/secret.ts";
import type { Wish } from "../trust/consent.ts";
import { commandName, isTypedOnly, leaves, settingsName, variableName } from "./command-tree.ts";
import { checkConfig } from "./config-file.ts";
import { findSource } from "./config-source.ts";
import { FolderSettings, type Setting } from "./folder-settings.ts";

/**
 * Opens the settings of a folder: variables, those of its env file, and its configuration file,
 * which runs only with the person's consent. Throws `config_invalid`.
 *
 * @param runsCode - whether a configuration file may run at all
 */
export async function openSettings(
  command: Command,
  { cwd, env, stderr }: Io,
  runsCode = true,
): Promise<FolderSettings> {
  const named =
    command.opts<{ envFile?: string }>().envFile ?? (env.HOOKPORTER_ENV_FILE || undefined);
  const envFile = named ?? envFileOfConfig(command, cwd);
  // what needs one of it says why
  const inFile: Variables = tryOr(() => readEnvFile(cwd, envFile), {});
  const source = findSource({ cwd, stderr }, { env, inFile });
  const { file = "", content = {}, written = {}, load } = source ?? {};
  const commands = leaves(programOf(command));
  checkConfig(content, file, commands);
  const name = envFile ?? ".env";
  const path = resolve(cwd, name);
  const settings = new FolderSettings(
    { cwd, env, commands },
    { name, path, variables: inFile, isOwn: named !== undefined && !isOfFolder(path, cwd) },
    { name: file, path: resolve(cwd, file), content, written, isCode: load !== undefined },
  );
  if (load === undefined || !runsCode) return settings;
  const { code } = settings;
  if (code !== undefined && !settings.agreesTo(code)) return settings;
  const exported = await load();
  checkConfig(exported, file, commands);
  return settings.withExports(exported);
}

/** Whether a file is in the folder by its name, or where links lead. */
function isOfFolder(path: string, cwd: string): boolean {
  return isBelow(path, cwd) || leadsBelow(path, cwd);
}

/**
 * The env file that `hookporter.config.json` names, looked up before the rest of it, whose texts
 * may name its variables.
 */
function envFileOfConfig(command: Command, cwd: string): string | undefined {
  const path = join(cwd, "hookporter.config.json");
  // an error is told when it is read
  const content: unknown = tryOr(() => JSON.parse(readText(path).replace(/^\uFEFF/, "")), {});
  if (!isRecord(content)) return undefined;
  const places = [content[commandName(command)], content[settingsName(command)], content];
  for (const place of places) {
    if (isRecord(place) && typeof place.envFile === "string") return place.envFile;
  }
  return undefined;
}

/**
 * What messages must not repeat of a value: of a database's URL the password alone, since fixes
 * need the other names.
 */
function hiddenPart(value: unknown): readonly string[] {
  if (typeof value !== "string") return [];
  if (!isPostgresUrl(value) || !URL.canParse(value)) return [value];
  const { password } = new URL(value);
  return password === "" ? [] : [password, decodeURIComponent(password)];
}

/**
 * Sets the options missing on the command line from `HOOKPORTER_*`, one variable per flag, in the
 * environment or the env file, from the project's configuration file, and from the `listen` that
 * runs in the folder. Commands apply their defaults afterwards. Adds the strings taken from files
 * to `configured`. What needs consent that nobody gave is not set, and returned. Throws `usage` for
 * a variable, `config_invalid` for the file.
 */
export async function applySettings(
  command: Command,
  context: CliContext,
  // A shell runs `completion` wherever it starts, also in a folder whose code nobody has read.
  runsCode = settingsName(command) !== "completion",
): Promise<readonly Wish[]> {
  const { io, configured, origins, output } = context;
  const settings = await openSettings(command, io, runsCode);
  const refused: Wish[] = [];
  const { code } = settings;
  if (runsCode && code !== undefined && !settings.agreesTo(code)) refused.push(code);
  for (const option of command.options) {
    const name = option.attributeName();
    const ignored = isTypedOnly(name) ? settings.placeOf(variableName(option, command)) : undefined;
    if (ignored !== undefined)
      output.talk(`${ignored} is not used: ${option.long} counts on the command line alone`);
    if (command.getOptionValueSource(name) !== undefined) continue;
    const { found, refused: wish } = settings.look(command, option);
    if (wish !== undefined) refused.push(wish);
    if (found === undefined) continue;
    if (found.where !== variableName(option, command))
      configured.push(...[found.value].flat().flatMap(hiddenPart));
    origins.set(name, found.where);
    command.setOptionValueWithSource(name, readSetting(option, found), found.source);
  }
  applyRunning(command, io.cwd, origins);
  const name = commandName(command);
  const hasInbox = command.options.some((option) => option.attributeName() === "inbox");
  if (hasInbox && name !== "init") applyListensInbox(command, settings, context);
  return refused;
}

/**
 * Keeps which inboxes the command may mean, and sets that of the `listen` that runs in the folder
 * unless one was named.
 */
function applyListensInbox(command: Command, settings: FolderSettings, context: CliContext): void {
  const { io, origins } = context;
  const commands = leaves(programOf(command));
  const named = new Map(commands.map((command) => [commandName(command), command]));
  const ofListen = inboxSetting(named.get("listen") ?? command, settings);
  const lister = takesListensInbox(command) ? undefined : named.get("events list");
  const own = inboxSetting(lister ?? command, settings);
  const typed = isTyped(command, "inbox") ? command.opts<{ inbox?: string }>().inbox : undefined;
  if (typed !== undefined)
    command.setOptionValueWithSource("inbox", completed(typed, [own, ofListen], io.cwd), "cli");
  const isNamed = typed !== undefined || (origins.get("inbox") ?? "") in io.env;
  const endpoints = ownEndpoints(command, settings);
  context.inboxes = lookForInboxes({ isNamed, typed, own, ofListen, endpoints }, io.cwd);
  const running = takesListensInbox(command) ? listensInbox(context.inboxes) : undefined;
  if (running === undefined) return;
  origins.set("inbox", running.from);
  command.setOptionValueWithSource("inbox", running.option, "implied");
}

function inboxSetting(command: Command, settings: FolderSettings): string | undefined {
  const option = command.options.find((option) => option.attributeName() === "inbox");
  const found = option && settings.look(command, option).found;
  return option && found && String(readSetting(option, found));
}

/**
 * The endpoints whose events are in the folder's own inbox: that of its server, and one that its
 * settings name.
 */
function ownEndpoints(command: Command, settings: FolderSettings): readonly URL[] {
  const endpoints = settings.hasProject ? [serverOf(settings)] : [];
  const option = command.options.find((option) => option.attributeName() === "url");
  const found = option && settings.look(command, option).found;
  if (option === undefined || found === undefined || found.where === variableName(option, command))
    return endpoints;
  const named = readSetting(option, found);
  return named instanceof URL ? [...endpoints, named] : endpoints;
}

function serverOf(settings: FolderSettings): URL {
  const port = Number(settings.project("port")?.value ?? DEFAULT_PROJECT_PORT);
  const server = new URL(DEFAULT_ENDPOINT);
  server.port = String(port);
  return server;
}

/** Where the server of a project listens, if it is started where this command is. */
export async function serverIn(directory: string, command: Command, io: Io): Promise<URL> {
  return serverOf(await openSettings(command, { ...io, cwd: directory }, false));
}

/**
 * Sets the endpoint of the `listen` that runs in the folder, for the commands that look for one.
 */
function applyRunning(command: Command, cwd: string, origins: CliContext["origins"]): void {
  const name = commandName(command);
  const isSender = name === "trigger" || name === "replay";
  const running = isSender || name === "doctor" ? runningListen(cwd) : undefined;
  if (running === undefined) return;
  const { pid, url, port, path } = running;
  const isOther = !isSender && (command.opts<{ port?: number }>().port ?? port) !== port;
  for (const [flag, value] of isOther ? [] : Object.entries(isSender ? { url } : { port, path })) {
    if (command.getOptionValueSource(flag) !== undefined) continue;
    origins.set(flag, `listen in this folder (process ${pid})`);
    command.setOptionValueWithSource(flag, value, "implied");
  }
}

/** Whether a flag was typed on the command line, and so overrides settings. */
export function isTyped(command: Command, flag: string): boolean {
  return command.getOptionValueSource(flag) === "cli";
}

/**
 * Removes some flags from the options unless they were typed: a setting must not make a plain
 * command fail.
 */
export function withoutSettings<Options extends object>(
  options: Options,
  command: Command,
  flags: readonly (keyof Options & string)[],
): Options {
  const dropped = new Set<string>(flags.filter((flag) => !isTyped(command, flag)));
  return Object.fromEntries(
    Object.entries(options).filter(([name]) => !dropped.has(name)),
  ) as Options;
}

export function programOf(command: Command): Command {
  return command.parent === null ? command : programOf(command.parent);
}

/**
 * The value of a setting, as the flag's reader takes it. Throws `usage` for a variable,
 * `config_invalid` for the file.
 */
export function readSetting(option: Option, { value: given, where, source }: Setting): unknown {
  const code = source === "env" ? "usage" : "config_invalid";
  const fail = (expected: string) => new HookporterError(code, `${where}: expected ${expected}`);
  if (option.isBoolean()) {
    if (given === true || given === "true" || given === "1") return !option.negate;
    if (given === false || given === "false" || given === "0") return option.negate;
    throw fail("true or false");
  }
  const texts: readonly unknown[] = Array.isArray(given) ? given : [given];
  let value: unknown;
  for (const text of texts) {
    if (typeof text !== "string" && typeof text !== "number") throw fail("a string or a number");
    const before = value;
    value = parse(option, String(text), before, fail);
    // A flag that takes a list adds to it; any other flag would silently keep only the last value.
    const isList = Array.isArray(value) && Array.isArray(before) && value.length > before.length;
    if (before !== undefined && !isList) throw fail("one value, not a list");
  }
  if (texts.length === 0) throw fail("at least one value");
  return value;
}

function parse(
  option: Option,
  text: string,
  before: unknown,
  fail: (expected: string) => Error,
): unknown {
  try {
    return option.parseArg ? option.parseArg(text, before as never) : text;
  } catch (thrown) {
    const cause = isError(thrown) ? thrown.cause : undefined;
    throw cause instanceof UnexpectedValue ? fail(cause.expected) : thrown;
  }
}
