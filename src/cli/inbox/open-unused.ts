import { HookporterError } from "../../errors.ts";
import { openTransfer } from "../../inbox/transfer/open.ts";
import type { Transfer } from "../../inbox/transfer/transfer.ts";
import type { NamedInbox } from "./named-inbox.ts";

/** Opens an inbox that no process has in use. */
export async function openUnused(
  { option, shown }: NamedInbox,
  access: "read" | "own",
  opened: Transfer[],
  { force = false }: { readonly force?: boolean },
): Promise<Transfer> {
  const transfer = await openTransfer(option, access);
  opened.push(transfer);
  const runners = force ? 0 : await transfer.runners();
  if (runners === 0) return transfer;
  throw new HookporterError(
    "inbox_busy",
    `expected no process to use ${shown}, got ${runners}: changes that they make meanwhile would not be copied; stop them, ` +
      "or pass --force if they were killed",
  );
}
