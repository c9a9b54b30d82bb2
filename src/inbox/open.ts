import { resolve } from "node:path";
import type { Inbox } from "./inbox.ts";
import { checkInboxName } from "./inbox-name.ts";
import { memoryInbox } from "./memory.ts";
import { isPostgresUrl } from "./postgres/postgres-url.ts";
import { type InboxHandle, storeOf } from "./shared/handle.ts";
import { sharedFile } from "./shared/shared-file.ts";
import { sharedPostgres } from "./shared/shared-postgres.ts";

export { sqliteInUse } from "./sqlite/client.ts";

/**
 * The store that an option names, not yet opened.
 *
 * @param option - a file path (embedded), a `postgres://` URL, `"memory:"` (nothing survives the
 * process), or a handle
 * @throws ConfigurationError `inbox_unsupported`; `option_invalid` for a wrong URL, or a value that
 * is no handle
 */
export function selectInbox(option: string | InboxHandle): Inbox {
  if (typeof option !== "string") return storeOf(option);
  checkInboxName(option);
  if (option === "memory:") return memoryInbox();
  if (isPostgresUrl(option)) return sharedPostgres(option);
  return sharedFile(resolve(option));
}
