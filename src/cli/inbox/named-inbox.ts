import { resolve } from "node:path";
import { HookporterError } from "../../base/errors.ts";
import { leadsBelow } from "../../base/system/files.ts";
import { tryOr } from "../../base/try-or.ts";
import { checkInboxName } from "../../inbox/inbox-name.ts";
import { isPostgresUrl, shownPostgresUrl } from "../../inbox/postgres/postgres-url.ts";
import { DEFAULT_INBOX } from "../files/state-folder.ts";
import type { Io } from "../io.ts";

export interface NamedInbox {
  /** What a receiver takes: an absolute path, `memory:` or a URL. A URL may hold a password. */
  readonly option: string;
  /** The form to show, log and pass on: without a password. */
  readonly shown: string;
  /** The absolute path, if it is a file. */
  readonly file: string | undefined;
}

/**
 * The inbox that an option names, relative to the working folder; the default inbox if there is
 * none. Throws `inbox_unsupported`; `config_untrusted` for a link as the default inbox that leads
 * out of the folder.
 */
export function nameInbox({ io }: { readonly io: Io }, given: string | undefined): NamedInbox {
  if (given === "memory:") return { option: given, shown: given, file: undefined };
  if (given !== undefined && isPostgresUrl(given))
    return { option: given, shown: shownPostgresUrl(given), file: undefined };
  if (given !== undefined) checkInboxName(given, io.cwd);
  const file = resolve(io.cwd, given ?? DEFAULT_INBOX);
  // The author of a clone may have made a link of it, or of its folder.
  if (given === undefined && tryOr(() => !leadsBelow(file, io.cwd), false))
    throw new HookporterError(
      "config_untrusted",
      `expected ${DEFAULT_INBOX} to be in this folder, got a link that leads out of it: remove it, or name the file with --inbox`,
    );
  return { option: file, shown: file, file };
}
