import { basename, resolve } from "node:path";
import { ConfigurationError } from "../errors.ts";
import type { Inbox } from "./inbox.ts";
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
  if (option === "memory:") return memoryInbox();
  if (isPostgresUrl(option)) return postgresInbox(option);
  if (option === "" || /^[a-z][a-z0-9+.-]+:\/\//i.test(option)) {
    const got = option === "" ? "an empty string" : `a ${option.slice(0, option.indexOf(":"))} URL`;
    throw new ConfigurationError(
      "inbox_unsupported",
      `expected an inbox as a file path, a postgres:// URL or "memory:", got ${got}: name a file, such as hookporter.db`,
    );
  }
  if (basename(option) === ":memory:")
    throw new ConfigurationError(
      "inbox_unsupported",
      'expected "memory:" for an inbox in memory, got ":memory:": remove the first colon',
    );
  return sharedFile(resolve(option));
}
