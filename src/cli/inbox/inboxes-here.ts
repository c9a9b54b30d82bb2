import { existsSync } from "node:fs";
import type { Command } from "commander";
import { orElse } from "../../base/or-else.ts";
import { HookporterError } from "../../errors.ts";
import { DEFAULT_ENDPOINT } from "../../http/default-endpoint.ts";
import { isLoopback } from "../../http/is-loopback.ts";
import { isPostgresUrl, namesNoUser } from "../../inbox/postgres/postgres-url.ts";
import { ownCommand } from "../../package/own-command.ts";
import { shownUrl } from "../../text/shown-url.ts";
import type { CliContext } from "../context.ts";
import { DEFAULT_INBOX } from "../files/state-folder.ts";
import { usageError } from "../input-errors.ts";
import { printable, shellWord } from "../output.ts";
import { type RunningListen, runningListens } from "../ready/running-listen.ts";
import { commandName } from "../settings/command-tree.ts";
import { nameInbox } from "./named-inbox.ts";
import { isSameInbox, type ListensInbox, readRecordedInbox, recordedInbox } from "./recorded-inbox.ts";

/** The inboxes that a command may mean in its folder. */
export interface InboxesHere {
  /** Whether the command line or the process's own environment names the inbox: then no other counts. */
  readonly isNamed: boolean;
  /** The inbox as it was typed. */
  readonly typed: string | undefined;
  /** What the settings name for the commands beside `listen`; the default of `listen` if they name none. */
  readonly own: string;
  /** What `listen` uses here if it is given none. */
  readonly ofListen: string;
  /** The `listen` commands that run here, the oldest first; each with its inbox, unless its record does not tell. */
  readonly listens: readonly { readonly listen: RunningListen; readonly inbox: ListensInbox | undefined }[];
  /** The endpoints that belong to the folder's own inbox: its server's. */
  readonly endpoints: readonly URL[];
  /** Whether it was said which of them the command takes. */
  isSaid: boolean;
}

/** What the folder's settings say, before a running `listen` is looked for. */
export interface InboxSettings {
  readonly isNamed: boolean;
  readonly typed: string | undefined;
  readonly own: string | undefined;
  readonly ofListen: string | undefined;
  readonly endpoints: readonly URL[];
}

/** Reads which `listen` commands run in the folder, and which inbox each has. */
export function lookForInboxes({ own, ofListen, ...settings }: InboxSettings, cwd: string): InboxesHere {
  const options = [own, ofListen, DEFAULT_INBOX].filter((option) => option !== undefined);
  const listens = runningListens(cwd).map((listen) => ({
    listen,
    inbox: listen.inbox === undefined ? undefined : readRecordedInbox(listen.inbox, cwd, options),
  }));
  return {
    ...settings,
    own: own ?? DEFAULT_INBOX,
    ofListen: ofListen ?? DEFAULT_INBOX,
    listens,
    isSaid: false,
  };
}

/** Commands that take no inbox of a running `listen`: they make one, move one, or look at both by themselves. */
const APART: ReadonlySet<string> = new Set(["init", "listen", "doctor", "inbox copy", "inbox migrate"]);

/** Commands whose mistake in the inbox cannot be undone. */
const FINAL: ReadonlySet<string> = new Set([
  "events drop",
  "events erase",
  "events prune",
  "events pause",
  "events resume",
  "inbox maintain",
]);

/** The flags that make `events pause` a change; without one it shows what is paused. */
const PAUSE_FLAGS = ["all", "kind", "handler", "target", "source", "retry"];

/** Whether a command reads or changes the inbox of a `listen` that runs in its folder. */
export function takesListensInbox(command: Command): boolean {
  return !APART.has(commandName(command));
}

/**
 * The inbox of the `listen` that runs here, as an option of a receiver; `undefined` if none runs, or one was named. That of
 * memory is `memory:`, which no command can read.
 */
export function listensInbox({ isNamed, listens }: InboxesHere) {
  const [first] = listens;
  if (isNamed || first?.inbox === undefined) return undefined;
  const { option, isMemory } = first.inbox;
  if (option === undefined && !isMemory) return undefined;
  return { option: option ?? "memory:", from: `listen in this folder (process ${first.listen.pid})` };
}

/**
 * Refuses a command that cannot be undone while it may mean two inboxes, with the lines to type for each. Throws `usage`.
 */
export async function refuseTwoInboxes(command: Command, context: CliContext): Promise<void> {
  const here = context.inboxes;
  const name = commandName(command);
  if (here === undefined || here.isNamed || !FINAL.has(name)) return;
  const isShown = name === "events pause" && !PAUSE_FLAGS.some((flag) => command.getOptionValueSource(flag));
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
  const add = (one: InReach) => {
    if (!found.some(({ shown }) => isSameInbox(shown, one.shown, cwd))) found.push(one);
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
  return orElse(() => recordedInbox(nameInbox(context, option), context.io.cwd), undefined) ?? option;
}

/** A text that names no inbox is refused by what opens it. */
function isThere(option: string, context: CliContext): boolean {
  return orElse(() => {
    const { file } = nameInbox(context, option);
    return file === undefined || existsSync(file);
  }, false);
}

/** Whether the inbox that a `listen` left behind holds newer entries than the folder's own. */
async function hasNewer({ own, ofListen }: InboxesHere, context: CliContext): Promise<boolean> {
  if (isSameInbox(own, ofListen, context.io.cwd) || !isThere(ofListen, context)) return false;
  const [listens, owns] = [await newest(ofListen, context), await newest(own, context)];
  return listens !== undefined && (owns === undefined || listens > owns);
}

/** When the newest entry of an inbox was received; `undefined` if it has none, or cannot be read. */
async function newest(option: string, context: CliContext): Promise<number | undefined> {
  const { readClosed } = await import("../listen/waiting.ts");
  return readClosed(nameInbox(context, option), async (inbox) => {
    const [entry] = await inbox.list({ limit: 1 });
    return entry?.receivedAt;
  });
}

/**
 * Says which inbox a command takes if it may have meant another one, once. Nothing if the inbox was named.
 *
 * @param taken - the inbox that the command opens
 */
export async function sayWhichInbox(taken: string, context: CliContext): Promise<void> {
  const here = context.inboxes;
  if (here === undefined || here.isNamed) return;
  if (here.isSaid) return;
  here.isSaid = true;
  const { cwd } = context.io;
  const others = (await allInReach(here, context)).filter(({ shown }) => !isSameInbox(shown, taken, cwd));
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

/** The inbox of an endpoint, to wait for what becomes of what is sent there. Throws `usage` if none of the folder's is. */
export function inboxOfEndpoint(
  url: URL | undefined,
  given: string | undefined,
  { inboxes: here }: CliContext,
): string | undefined {
  if (here === undefined || here.isNamed) return given;
  const target = url ?? new URL(DEFAULT_ENDPOINT);
  const running = here.listens.find(({ listen }) => isSameServer(listen.url, target));
  if (running?.inbox?.isMemory === true) throw keptInMemory(running.listen);
  if (running?.inbox?.option !== undefined) return running.inbox.option;
  if (running?.inbox !== undefined) {
    const { shown } = running.inbox;
    throw usageError(
      `expected --inbox beside --wait: listen (process ${running.listen.pid}) keeps its events in ${printable(shown)}, outside this folder: add --inbox ${shellWord(shown)}`,
    );
  }
  if (here.endpoints.some((endpoint) => isSameServer(endpoint, target))) return here.own;
  if (url === undefined)
    throw usageError(
      `expected a listen that runs in this folder, got none: run \`${ownCommand("listen")}\` in another terminal first, or pass ${receiverFlags(here)}`,
    );
  throw usageError(
    `expected --inbox beside --wait: ${shownUrl(target)} belongs neither to a listen in this folder nor to its project; name the inbox of that endpoint, or leave out --wait`,
  );
}

/** How to name another receiver than `listen`. */
function receiverFlags({ endpoints: [server] }: InboxesHere): string {
  return server === undefined
    ? "--url and --inbox of the receiver"
    : `--url ${shownUrl(server)} for the project's server`;
}

/** `localhost` and 127.0.0.1 are one machine; the path may differ, as behind a router. */
function isSameServer(one: URL, other: URL): boolean {
  const isHere = isLoopback(one) && isLoopback(other);
  return (isHere || one.hostname === other.hostname) && portOf(one) === portOf(other);
}

function portOf({ port, protocol }: URL): string {
  return port !== "" ? port : protocol === "https:" ? "443" : "80";
}

function keptInMemory({ pid }: RunningListen): HookporterError {
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

/** The inbox that a `listen` which has ended left behind, if it is not the folder's own, as it is typed. */
export function leftBehind(context: CliContext): string | undefined {
  const here = context.inboxes;
  if (here === undefined || here.isNamed || here.listens.length > 0) return undefined;
  if (isSameInbox(here.own, here.ofListen, context.io.cwd) || !isThere(here.ofListen, context))
    return undefined;
  return shellWord(typed(here.ofListen, context));
}

/** The `--inbox` of commands that a command suggests: what was typed, and else its inbox if there are others here. */
export function inboxToSuggest(command: Command, context: CliContext): string | undefined {
  const here = context.inboxes;
  if (here === undefined) return undefined;
  return here.typed === undefined ? inboxWord(takenBy(command, here), context) : shellWord(here.typed);
}

/** The inbox as it is typed after `--inbox`; `undefined` if no command in this folder could take another one. */
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

/**
 * The inbox that was typed: a database without a user is that of the settings, if they lead to the same one, so that what is
 * shown without a password can be typed again.
 */
export function completed(given: string, own: readonly (string | undefined)[], cwd: string): string {
  if (!isPostgresUrl(given) || !namesNoUser(given)) return given;
  return own.find((option) => option !== undefined && isSameInbox(given, option, cwd)) ?? given;
}
