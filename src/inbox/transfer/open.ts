import { ConfigurationError } from "../../base/errors.ts";
import { connect } from "../postgres/connect.ts";
import { readPostgresOptions } from "../postgres/postgres-options.ts";
import { isPostgresUrl } from "../postgres/postgres-url.ts";
import { Store } from "../postgres/store.ts";
import { openSchemaTransfer } from "../postgres/transfer.ts";
import { openFileTransfer } from "../sqlite/transfer.ts";
import type { Transfer } from "./transfer.ts";

/**
 * Opens an inbox, by its absolute path or URL, to copy it (`read`) or to copy into it (`own`),
 * which makes it if needed.
 */
export async function openTransfer(option: string, access: "read" | "own"): Promise<Transfer> {
  if (isPostgresUrl(option)) {
    const terms = readPostgresOptions(option, {});
    const store = new Store(await connect(terms), terms);
    try {
      return await openSchemaTransfer(store, access);
    } catch (thrown) {
      await store.close();
      throw thrown;
    }
  }
  if (option !== "memory:") return openFileTransfer(option, access);
  throw new ConfigurationError(
    "inbox_unsupported",
    'expected an inbox to copy as a file path or a postgres:// URL, got "memory:": name a file or a database',
  );
}
