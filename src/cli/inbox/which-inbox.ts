import { existsSync } from "node:fs";
import type { Command } from "commander";
import { HookporterError } from "../../base/errors.ts";
import { ownCommand } from "../../base/package/own-command.ts";
import { shellWord } from "../../base/text/shell-word.ts";
import { tryOr } from "../../base/try-or.ts";
import { PAUSE_SCOPES } from "../../inbox/pause.ts";
import type { CliContext } from "../context.ts";
import { usageError } from "../input-errors.ts";
import { printable } from "../output.ts";
import type { RunningListen } from "../ready/running-listen.ts";
import { commandName } from "../settings/command-tree.ts";
import { type InboxesHere, listensInbox } from "./inboxes-here.ts";
import { nameInbox } from "./named-inbox.ts";
import { readClosed } from "./read-closed.ts";
import { isSameInbox, recordedInbox } from "./recorded-inbox.ts";

/** Commands whose mistake in the inbox cannot be undone. */
const FINAL: ReadonlySet<string> = new Set([
  "events drop",
  "events erase",
  "events prune",
  "events pause",
  "events resume",
]);

/**
 * Refuses a command that cannot be undone while it may mean two inboxes, with the lines to type for
 * each. Throws `usage`.
 */
export async function refuseTwoInboxes(command: Command, context: CliContext): Promise<void> {
  const here = context.inboxes;
  const name = commandName(command);
  if (here === undefined || here.isNamed || !FINAL.has(name)) return;
  // Without a flag that says what, `events pause` shows what is paused.
  const isShown =
    name === "events pause" && !PAUSE_SCOPES.some((flag) => command.getOptionValueSource(flag));
  if (isShown) return;
  const inReach = await allInReach(here, context);
  if (inReach.length < 2) return;
  const lines = inReach.map(({ shown, whose, isMemory }) =>
    isMemory
      ? `nothing for that of ${whose}, which is in memory`
      : `\`${line(context.argv, shown)}\` for that of ${whose}`,
  );
  throw usageError(
    `expected --inbox, since more than one inbox is in reach here: run ${lines.join(", or ")}`,
  );
}

interface InReach {
  readonly shown: string;
  readonly whose: string;
  readonly isMemory: boolean;
  /** Whether a `listen` that has ended left it, with newer entries than the other. */
  readonly isLeft?: boolean;
}

async function allInReach(here: InboxesHere, context: CliContext): Promise<readonly InReach[]> {
  const { cwd } = context.io;
  const found: InReach[] = [];
  const add = (reach: InReach) => {
    if (!found.some(({ shown }) => isSameInbox(shown, reach.shown, cwd))) found.push(reach);
  };
  for (const { listen, inbox } of here.listens) {
    if (inbox !== undefined) add({ ...inbox, whose: `listen (process ${listen.pid})` });
  }
  if (here.listens.length === 0 && (await hasNewer(here, context)))
    add({
      shown: typed(here.ofListen, context),
      whose: "a listen that has ended",
      isMemory: false,
      isLeft: true,
    });
  if (isThere(here.own, context))
    add({ shown: typed(here.own, context), whose: ownerOf(here, context), isMemory: false });
  return found;
}

/** The command that was given, with an inbox. */
function line(argv: readonly string[], shown: string): string {
  const end = argv.indexOf("--");
  const words = [...argv];
  words.splice(end === -1 ? argv.length : end, 0, "--inbox", shown);
  return ownCommand(words.map(shellWord).join(" "));
}

function ownerOf({ own, ofListen }: InboxesHere, { io }: CliContext): string {
  return isSameInbox(own, ofListen, io.cwd) ? "a listen that has ended" : "the project";
}

/** An inbox as it is typed in the folder. */
function typed(option: string, context: CliContext): string {
  return (
    tryOr(() => recordedInbox(nameInbox(context, option), context.io.cwd), undefined) ?? option
  );
}

/** A text that names no inbox is refused by what opens it. */
function isThere(option: string, context: CliContext): boolean {
  return tryOr(() => {
    const { file } = nameInbox(context, option);
    return file === undefined || existsSync(file);
  }, false);
}

/** Whether the inbox that a `listen` left behind holds newer entries than the folder's own. */
async function hasNewer({ own, ofListen }: InboxesHere, context: CliContext): Promise<boolean> {
  if (isSameInbox(own, ofListen, context.io.cwd) || !isThere(ofListen, context)) return false;
  const listens = await newest(ofListen, context);
  const owns = await newest(own, context);
  return listens !== undefined && (owns === undefined || listens > owns);
}

/**
 * When the newest entry of an inbox was received; `undefined` if it has none, or cannot be read.
 */
async function newest(option: string, context: CliContext): Promise<number | undefined> {
  return readClosed(nameInbox(context, option), async (inbox) => {
    const [entry] = await inbox.list({ limit: 1 });
    return entry?.receivedAt;
  });
}

/**
 * Says which inbox a command takes if it may have meant another one, once. Nothing if the inbox was
 * named.
 *
 * @param taken - the inbox that the command opens
 */
export async function printWhichInbox(taken: string, context: CliContext): Promise<void> {
  const here = context.inboxes;
  if (here === undefined || here.isNamed) return;
  if (here.isReported) return;
  here.isReported = true;
  const { cwd } = context.io;
  const others = (await allInReach(here, context)).filter(
    ({ shown }) => !isSameInbox(shown, taken, cwd),
  );
  const [first] = others;
  if (first === undefined) return;
  context.output.talk(`inbox: ${printable(typed(taken, context))}; ${otherInbox(first)}`);
}

function otherInbox({ shown, whose, isMemory, isLeft = false }: InReach): string {
  if (isMemory) return `${whose} keeps its events in memory: only its page shows them`;
  const flag = `add --inbox ${shellWord(shown)}`;
  if (isLeft) return `${whose} has newer events in ${printable(shown)}: ${flag} to see them`;
  return `that of ${whose} is ${printable(shown)}: ${flag} to use it`;
}

/** The error of an inbox that ends with its `listen`. */
export function keptInMemory({ pid }: RunningListen): HookporterError {
  return new HookporterError(
    "inbox_unavailable",
    `listen (process ${pid}) keeps its events in memory: only its page shows what becomes of them`,
  );
}

/** Why an inbox in memory cannot be read: it is that of a running `listen`, if nobody named one. */
export function inMemory({ inboxes }: Pick<CliContext, "inboxes">): HookporterError | undefined {
  const running = inboxes?.listens.find(({ inbox }) => inbox?.isMemory === true);
  return running === undefined ? undefined : keptInMemory(running.listen);
}

/**
 * The inbox that a `listen` which has ended left behind, if it is not the folder's own, as it is
 * typed.
 */
export function leftOver(context: CliContext): string | undefined {
  const here = context.inboxes;
  if (here === undefined || here.isNamed || here.listens.length > 0) return undefined;
  if (isSameInbox(here.own, here.ofListen, context.io.cwd) || !isThere(here.ofListen, context))
    return undefined;
  return shellWord(typed(here.ofListen, context));
}

/**
 * The `--inbox` of commands that a command suggests: what was typed, and else its inbox if there
 * are others here.
 */
export function inboxToSuggest(command: Command, context: CliContext): string | undefined {
  const here = context.inboxes;
  if (here === undefined) return undefined;
  return here.typed === undefined
    ? inboxWord(takenBy(command, here), context)
    : shellWord(here.typed);
}

/**
 * The inbox as it is typed after `--inbox`; `undefined` if no command in this folder could take
 * another one.
 */
export function inboxWord(taken: string, context: CliContext): string | undefined {
  const here = context.inboxes;
  if (here === undefined || taken === "memory:") return undefined;
  const { cwd } = context.io;
  const running = here.listens.flatMap(({ inbox }) => inbox?.option ?? []);
  const existing = [here.ofListen, ...running].filter((option) => isThere(option, context));
  const isOnly = [here.own, ...existing].every((option) => isSameInbox(option, taken, cwd));
  return isOnly ? undefined : shellWord(typed(taken, context));
}

function takenBy(command: Command, here: InboxesHere): string {
  const given = command.opts<{ inbox?: string }>().inbox;
  if (here.isNamed && given !== undefined) return given;
  if (commandName(command) === "listen") return here.ofListen;
  return listensInbox(here)?.option ?? here.own;
}
