import type { Command } from "commander";
import { isPostgresUrl, namesNoUser } from "../../inbox/postgres/postgres-url.ts";
import { DEFAULT_INBOX } from "../files/state-folder.ts";
import { type RunningListen, runningListens } from "../ready/running-listen.ts";
import { commandName } from "../settings/command-tree.ts";
import { isSameInbox, type ListensInbox, readRecordedInbox } from "./recorded-inbox.ts";

/** The inboxes that a command may mean in its folder. */
export interface InboxesHere {
  /**
   * Whether the command line or the process's own environment names the inbox: then no other
   * counts.
   */
  readonly isNamed: boolean;
  /** The inbox as it was typed. */
  readonly typed: string | undefined;
  /**
   * What the settings name for the commands beside `listen`; the default of `listen` if they name
   * none.
   */
  readonly own: string;
  /** What `listen` uses here if it is given none. */
  readonly ofListen: string;
  /**
   * The `listen` commands that run here, the oldest first; each with its inbox, unless its record
   * does not tell.
   */
  readonly listens: readonly {
    readonly listen: RunningListen;
    readonly inbox: ListensInbox | undefined;
  }[];
  /** The endpoints that belong to the folder's own inbox: its server's. */
  readonly endpoints: readonly URL[];
  /** Whether it was said which of them the command takes. */
  isReported: boolean;
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
export function lookForInboxes(
  { own, ofListen, ...settings }: InboxSettings,
  cwd: string,
): InboxesHere {
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
    isReported: false,
  };
}

/**
 * Commands that take no inbox of a running `listen`: they make one, move one, or look at both by
 * themselves.
 */
const APART: ReadonlySet<string> = new Set([
  "init",
  "listen",
  "doctor",
  "inbox copy",
  "inbox migrate",
]);

/** Whether a command reads or changes the inbox of a `listen` that runs in its folder. */
export function takesListensInbox(command: Command): boolean {
  return !APART.has(commandName(command));
}

/**
 * The inbox of the `listen` that runs here, as an option of a receiver; `undefined` if none runs,
 * or one was named. That of memory is `memory:`, which no command can read.
 */
export function listensInbox({ isNamed, listens }: InboxesHere) {
  const [first] = listens;
  if (isNamed || first?.inbox === undefined) return undefined;
  const { option, isMemory } = first.inbox;
  if (option === undefined && !isMemory) return undefined;
  return {
    option: option ?? "memory:",
    from: `listen in this folder (process ${first.listen.pid})`,
  };
}

/**
 * The inbox that was typed: a database without a user is that of the settings, if they lead to the
 * same one, so that what is shown without a password can be typed again.
 */
export function completed(
  given: string,
  own: readonly (string | undefined)[],
  cwd: string,
): string {
  if (!isPostgresUrl(given) || !namesNoUser(given)) return given;
  return own.find((option) => option !== undefined && isSameInbox(given, option, cwd)) ?? given;
}
