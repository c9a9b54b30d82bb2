import { ConfigurationError, HookporterError } from "../../base/errors.ts";
import { findInboxFile } from "../../inbox/sqlite/file/inbox-file.ts";
import { holderText, livingHolders } from "../../inbox/sqlite/processes/holders.ts";
import { salvageFile } from "../../inbox/sqlite/salvage/salvage.ts";
import type { CopyTerms } from "../../inbox/transfer/copy.ts";
import type { Transfer } from "../../inbox/transfer/transfer.ts";
import { DEFAULT_SOURCE } from "../../receiver/options/settings.ts";
import type { CliContext } from "../context.ts";
import { usageError } from "../input-errors.ts";
import type { NamedInbox } from "./named-inbox.ts";

/** Two inboxes, as they are shown. */
export interface Names {
  readonly from: string;
  readonly to: string;
}

/**
 * `inbox copy --salvage`: from a damaged file into a new inbox. Resolves to `false` if it was
 * stopped.
 */
export async function salvageInbox(
  copy: Transfer,
  names: Names,
  { context, ...terms }: CopyTerms & { readonly context: CliContext },
): Promise<boolean> {
  if ((await copy.last()) > 0)
    throw usageError(`expected ${names.to} to be empty, got entries: name a new file or schema`);
  const salvaged = await salvageFile(names.from, copy, { source: DEFAULT_SOURCE, ...terms });
  const { output } = context;
  output.status(undefined);
  if (salvaged === undefined) return false;
  const { repairs, entries, rebuilt, withoutDelivery, lost } = salvaged;
  for (const repair of repairs) output.talk(`${names.from}: ${repair}`);
  output.data(`${entries} entries salvaged`);
  if (rebuilt.length > 0) {
    output.data(
      `${rebuilt.length} of them were rebuilt from their delivery, and run again: ${listed(rebuilt)}`,
    );
  }
  if (withoutDelivery.length > 0) {
    output.data(
      `${withoutDelivery.length} of them have lost their delivery, and cannot run: ${listed(withoutDelivery)}`,
    );
  }
  const ranges = lost.map(([a, b]) => (a === b ? `#${a}` : `#${a} to #${b}`));
  if (lost.length > 0)
    output.data(`nothing could be read of ${ranges.join(", ")}; what was pruned is among them`);
  output.record("salvaged", { ...names, entries, rebuilt, withoutDelivery, lost, repairs });
  return true;
}

/** Numbers of entries, the first of many. */
function listed(seqs: readonly number[]): string {
  const shown = seqs.slice(0, 20).map((seq) => `#${seq}`);
  return `${shown.join(", ")}${seqs.length > shown.length ? ", …" : ""}`;
}

/** The path of a damaged file that no process uses. */
export function damagedFile({ file, shown }: NamedInbox): string {
  if (file === undefined)
    throw new ConfigurationError(
      "inbox_unsupported",
      `expected a damaged inbox file to salvage, got ${shown}: name a file`,
    );
  const path = findInboxFile(file);
  const [holder] = livingHolders(path);
  if (holder === undefined) return path;
  throw new HookporterError(
    "inbox_busy",
    `expected no process to use ${path}, got ${holderText(holder)}: stop it first`,
  );
}
