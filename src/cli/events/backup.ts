import { resolve } from "node:path";
import { ConfigurationError, HookporterError } from "../../base/errors.ts";
import { describeFileError } from "../../base/file-error.ts";
import { counted } from "../../base/text/counted.ts";
import { shellWord } from "../../base/text/shell-word.ts";
import { unusable } from "../../base/unusable.ts";
import { countsText, stateCounts, totalOf } from "../../inbox/counts.ts";
import { readPostgresOptions } from "../../inbox/postgres/postgres-options.ts";
import { isPostgresUrl, withoutPassword } from "../../inbox/postgres/postgres-url.ts";
import { type Backup, backUp } from "../../inbox/sqlite/care/backup.ts";
import type { CliContext } from "../context.ts";
import { type NamedInbox, nameInbox } from "../inbox/named-inbox.ts";
import { printWhichInbox } from "../inbox/which-inbox.ts";
import { requireInbox } from "./inbox.ts";

export interface BackupOptions {
  readonly inbox?: string;
  readonly force?: boolean;
}

export async function backUpEvents(
  file: string,
  options: BackupOptions,
  context: CliContext,
): Promise<void> {
  const { io, output } = context;
  const named = nameInbox(context, options.inbox);
  const target = resolve(io.cwd, file);
  if (isPostgresUrl(named.option)) throw onServer(named, file);
  requireInbox(named, "read", context);
  await printWhichInbox(named.option, context);
  const {
    path,
    bytes,
    counts: stored,
    last,
    unreadable,
  } = tryBackUp(named.option, target, options);
  const counts = stateCounts(stored);
  const entries = totalOf(counts);
  const states = entries === 0 ? "" : ` (${countsText(counts)})`;
  output.data(`${path}: ${counted(entries, "entry", "entries")}${states}, ${bytes} bytes, checked`);
  output.record("backup", {
    inbox: named.shown,
    file: path,
    entries,
    last,
    bytes,
    counts,
    unreadable,
  });
  if (unreadable.length === 0) return;
  const seqs = unreadable.map((seq) => `#${seq}`).join(", ");
  output.talk(
    `the deliveries of ${seqs} cannot be read, in the inbox as in the backup: see docs/recovery.md`,
  );
  context.exitCode = 1;
}

function tryBackUp(source: string, target: string, { force = false }: BackupOptions): Backup {
  try {
    return backUp(source, target, { replace: force });
  } catch (thrown) {
    if (thrown instanceof HookporterError) throw thrown;
    if ((thrown as NodeJS.ErrnoException).code === "ENOENT") {
      const message = `could not write ${target}: ${describeFileError(thrown)}: make its folder first`;
      throw new HookporterError("folder_unusable", message, { cause: thrown });
    }
    throw unusable(target, thrown, "name another file");
  }
}

/** PostgreSQL has a tool that does this better. */
function onServer({ option, shown }: NamedInbox, file: string): ConfigurationError {
  const { connection, schema } = readPostgresOptions(option, {});
  const url = withoutPassword(String(connection));
  const command = `pg_dump --schema ${schema} --format custom --file ${shellWord(file)} ${shellWord(url)}`;
  return new ConfigurationError(
    "inbox_unsupported",
    `expected an inbox file, got ${shown}: PostgreSQL backs it up with: ${command}`,
  );
}
