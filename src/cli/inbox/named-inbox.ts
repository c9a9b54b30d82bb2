import { resolve } from "node:path";
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
 * none. Throws `inbox_unsupported`.
 */
export function nameInbox({ io }: { readonly io: Io }, given: string | undefined): NamedInbox {
  if (given === "memory:") return { option: given, shown: given, file: undefined };
  if (given !== undefined && isPostgresUrl(given))
    return { option: given, shown: shownPostgresUrl(given), file: undefined };
  if (given !== undefined) checkInboxName(given, io.cwd);
  const file = resolve(io.cwd, given ?? DEFAULT_INBOX);
  return { option: file, shown: file, file };
}
