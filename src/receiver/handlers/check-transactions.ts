import { invalidOption } from "../../base/options/check-options.ts";
import type { Inbox } from "../../inbox/inbox.ts";

/**
 * Refuses a handler with `tx` if the inbox cannot give it a transaction: ConfigurationError
 * `option_invalid`.
 */
export function checkTransactions({ insideLimit }: Inbox, pattern: string): void {
  if (insideLimit === undefined) {
    throw invalidOption(
      `expected an inbox on PostgreSQL for the handler for ${pattern}, which has tx: true, got another inbox: ` +
        "set inbox to a postgres:// URL, or leave out tx; in tests, pass transaction to createTestReceiver",
    );
  }
  if (insideLimit < 1) {
    throw invalidOption(
      `expected at least 4 connections for the handler for ${pattern}, which has tx: true, got fewer: the inbox needs 3 for ` +
        "itself, so raise connections, or max of your own pool",
    );
  }
}
