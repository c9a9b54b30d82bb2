import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { HookporterError } from "../../base/errors.ts";
import { once } from "../../base/once.ts";
import { tryOr } from "../../base/try-or.ts";
import { type FailureGroups, failureGroups } from "../../inbox/failures.ts";
import type { InboxFacts } from "../../inbox/inbox-facts.ts";
import { type DatabaseFacts, examineDatabase } from "../../inbox/postgres/examine.ts";
import { isPostgresUrl } from "../../inbox/postgres/postgres-url.ts";
import { examineFile, type FileFacts } from "../../inbox/sqlite/care/examine.ts";
import { missingPart } from "../../inbox/sqlite/file/inbox-file.ts";
import type { CliContext } from "../context.ts";
import { withInbox } from "../events/inbox.ts";
import { type NamedInbox, nameInbox } from "../inbox/named-inbox.ts";
import { inboxWord } from "../inbox/which-inbox.ts";
import { isInboxOutOfReach } from "../mcp/reach.ts";
import { type FoundSecrets, findSecrets, readEnvFile } from "../secrets/secret.ts";
import type { Wish } from "../trust/consent.ts";
import type { DoctorOptions } from "./doctor-options.ts";
import { probeService, type ServiceProbe } from "./service-probe.ts";

/**
 * What the project's server, or `listen`, is given here. What several checks need is found out
 * once.
 */
export interface Setup {
  readonly options: DoctorOptions;
  readonly context: CliContext;
  readonly inbox: NamedInbox;
  /** Its `--inbox` in commands that a fix suggests, if they would take another one without it. */
  readonly inboxWord: string | undefined;
  /** The variables of all flags. Default: not known, so no name is misspelt. */
  readonly variables?: readonly string[];
  /** What the folder's files would like to set, and whether the person has agreed to it. */
  readonly wishes?: readonly (Wish & { readonly trusted: boolean })[];
  /** Whether this is the project's own server, not what `listen` would be. */
  readonly isProject: boolean;
  /** The inbox of `listen`, if it has one beside the project's. */
  readonly ofListen?: Setup;
  /** The secrets in use; `undefined` if there are none yet. Rejects if they cannot be used. */
  readonly secrets: () => Promise<FoundSecrets | undefined>;
  /**
   * What one request to the service showed; `undefined` if its address is not set. Rejects if the
   * key cannot be used.
   */
  readonly service: () => Promise<ServiceProbe | undefined>;
  /** What is in the inbox file; `undefined` if there is none. */
  readonly file: () => Promise<Partial<FileFacts> | undefined>;
  /**
   * What is in an inbox on PostgreSQL; `undefined` for another one, and for one that an agent may
   * not reach. Rejects if the server cannot be reached.
   */
  readonly database: () => Promise<DatabaseFacts | undefined>;
  /**
   * What waits in the inbox, file or database; `undefined` if there is none, or it cannot be read
   * to its end.
   */
  readonly contents: () => Promise<InboxFacts | undefined>;
  /** What entries fail with. Rejects if the inbox cannot be read. */
  readonly failures: () => Promise<FailureGroups>;
  /** What is known of the inbox, file or database; empty if there is none, or it cannot be read. */
  readonly facts: () => Promise<Partial<InboxFacts>>;
}

/** Milliseconds for looking at an inbox file. */
export const FILE_TIME = 20_000;

/** Reads nothing yet. */
export function openSetup(options: DoctorOptions, context: CliContext, isProject = false): Setup {
  const given = options.inbox ?? "";
  // Why a text names no inbox is a finding, of the check of its place.
  const inbox = tryOr(() => nameInbox(context, options.inbox), {
    option: given,
    shown: "",
    file: undefined,
  });
  const file = once(async () => {
    const path = inbox.file === undefined ? undefined : existingFile(inbox.file);
    return path === undefined ? undefined : examineFile(path, context.clock(), FILE_TIME);
  });
  const database = once(async () =>
    isPostgresUrl(inbox.option) && !isInboxOutOfReach(inbox, context.io)
      ? examineDatabase(inbox.option)
      : undefined,
  );
  // Why the database cannot be reached is said once, by the check of it.
  const tables = async () => (await database().catch(() => undefined))?.tables;
  const facts = once(async () => (await file()) ?? (await tables()) ?? {});
  return {
    options,
    context,
    inbox,
    file,
    database,
    facts,
    isProject,
    inboxWord: options.inbox === undefined ? undefined : inboxWord(options.inbox, context),
    service: once(() => probeService(options, context)),
    secrets: once(() => findUsed(options, context, isProject)),
    contents: async () => {
      const found = await facts();
      // the last to be found out
      return found.dead === undefined ? undefined : (found as InboxFacts);
    },
    failures: once(() =>
      withInbox(context, { inbox: inbox.option, access: "read" }, failureGroups),
    ),
  };
}

/**
 * Without a secret, `listen` makes one, unless this is production or another one was named. A
 * server has only what it is given.
 */
async function findUsed(options: DoctorOptions, context: CliContext, isProject: boolean) {
  const { io } = context;
  // throws if it cannot be read
  if (options.secretStdin !== true) readEnvFile(io.cwd, options.envFile);
  try {
    return await findSecrets(context, options, isProject ? "given" : false);
  } catch (thrown) {
    const isAbsent = thrown instanceof HookporterError && thrown.code === "secret_missing";
    const makesOne = !isProject && options.secretEnv === undefined && options.secretStdin !== true;
    if (isAbsent && makesOne && io.env.NODE_ENV !== "production") return undefined;
    throw thrown;
  }
}

/**
 * The path, if there is a whole inbox that this user may use; if not, the check of its place says
 * so.
 */
function existingFile(path: string): string | undefined {
  return tryOr(() => {
    const found = statSync(path);
    accessSync(path, constants.R_OK | constants.W_OK);
    const real = realpathSync(path);
    return found.isFile() && missingPart(real) === undefined ? real : undefined;
  }, undefined);
}
