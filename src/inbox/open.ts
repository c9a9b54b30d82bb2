import { resolve } from "node:path";
import type { Inbox } from "./inbox.ts";
import { checkInboxName } from "./inbox-name.ts";
import { memoryInbox } from "./memory.ts";
import { isPostgresUrl } from "./postgres/postgres-url.ts";
import { sharedFile } from "./shared/shared-file.ts";
import { postgresInbox } from "./shared/shared-postgres.ts";

/**
 * An inbox as users give it: a file path (embedded), a `postgres://` URL, `"memory:"` (nothing survives the process), or
 * an `Inbox`.
 *
 * @example
 * ```ts
 * import { createReceiver } from "hookporter";
 * import type { Inbox } from "hookporter/inbox";
 *
 * const secret = process.env.HOOKPORTER_SECRET;
 * const { inbox } = createReceiver({ secret, inbox: "hookporter.db" });
 * const deadLetters = (of: Inbox) => of.list({ states: ["dead"], limit: 20 });
 * console.log(await deadLetters(inbox));
 * ```
 */
export type InboxOption = string | Inbox;

/** The inbox that an option names, not yet opened; throws `inbox_unsupported` or, for a PostgreSQL URL, `option_invalid`. */
export function selectInbox(option: InboxOption): Inbox {
  if (typeof option !== "string") return option;
  checkInboxName(option);
  if (option === "memory:") return memoryInbox();
  if (isPostgresUrl(option)) return postgresInbox(option);
  return sharedFile(resolve(option));
}
