import { statSync } from "node:fs";
import { ownCommand } from "../../base/package/own-command.ts";
import { sizeText } from "../../base/text/size-text.ts";
import { countsText, stateCounts, totalOf } from "../../inbox/counts.ts";
import { selectInbox } from "../../inbox/open.ts";
import { printedMigration } from "../../inbox/postgres/care.ts";
import { isPostgresUrl } from "../../inbox/postgres/postgres-url.ts";
import { type FileState, stateOfFile } from "../../inbox/sqlite/file/file-state.ts";
import { holderText } from "../../inbox/sqlite/processes/holders.ts";
import type { CliContext } from "../context.ts";
import { requireInbox } from "../events/inbox.ts";
import { printWhichInbox } from "../inbox/which-inbox.ts";
import { type NamedInbox, nameInbox } from "./named-inbox.ts";

const PRINTED = 10;

/** Bytes from which reading and hashing everything takes more than about two seconds. */
const LONG_TO_CHECK = 100 * 1024 * 1024;

export async function checkInboxes(
  options: { readonly inbox?: string },
  context: CliContext,
): Promise<void> {
  const named = nameInbox(context, options.inbox);
  if (isPostgresUrl(named.option)) return checkDatabase(named, context);
  requireInbox(named, "read", context);
  await printWhichInbox(named.option, context);
  printIfLong(named.option, context);
  const state = stateOfFile(named.option);
  const { path: inbox, content, diskError = null, ...rest } = state;
  const isIntact = state.problems.length + state.unreadable.length === 0;
  const { output } = context;
  for (const line of page(state, isIntact)) output.data(line);
  const read = content && { ...content, counts: stateCounts(content.counts) };
  const intact = diskError === null ? isIntact : null;
  output.record("inbox", { inbox, intact, ...(read ?? NOT_READ), ...rest, diskError });
  if (isIntact) return;
  context.exitCode = 1;
  output.talk(
    diskError === null
      ? "keep all files of this inbox, and follow docs/recovery.md"
      : "check the disk, then run this again: whether the file is damaged is not known",
  );
}

/** The check blocks this process, so that nothing could show its progress. */
function printIfLong(path: string, { output }: CliContext): void {
  const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (bytes >= LONG_TO_CHECK)
    output.talk(`reading all of ${path} (${sizeText(bytes)}), which takes a while`);
}

/** The content of a file that cannot be read. */
const NOT_READ = {
  schema: null,
  newestSchema: null,
  counts: null,
  first: null,
  last: null,
  freeBytes: null,
};

function page(state: FileState, isIntact: boolean): readonly string[] {
  const { path, problems, unreadable, usable, content, bytes, logBytes, holders, diskError } =
    state;
  const damage = usable ? "damaged, but only single entries are" : "damaged";
  const verdict =
    diskError === undefined
      ? damage
      : `cannot be read, since its disk reports errors (${diskError})`;
  const { freeBytes = 0 } = content ?? {};
  const free = freeBytes === 0 ? "" : `, ${sizeText(freeBytes)} of it free`;
  return [
    `${path}: ${isIntact ? "intact" : verdict}`,
    ...problems.slice(0, PRINTED).map((problem) => `  problem     ${problem}`),
    ...(problems.length > PRINTED ? [`  problem     … ${problems.length} in all`] : []),
    ...(unreadable.length === 0
      ? []
      : [`  unreadable  ${unreadable.map((seq) => `#${seq}`).join(", ")}`]),
    ...(content === undefined ? [] : contentLines(content)),
    `  size        ${sizeText(bytes)}${free}; log ${sizeText(logBytes)}`,
    ...(holders.length === 0 ? ["  in use by   no process"] : []),
    ...holders.map((holder) => `  in use by   ${holderText(holder)}`),
  ];
}

function contentLines(content: NonNullable<FileState["content"]>): string[] {
  const { schema, newestSchema, first, last } = content;
  const counts = stateCounts(content.counts);
  const entries = totalOf(counts);
  const range = entries === 0 ? "" : ` (${countsText(counts)}), #${first} to #${last}`;
  const older =
    schema < newestSchema ? `, of ${newestSchema}: the next receiver brings it up to date` : "";
  return [`  schema      ${schema}${older}`, `  entries     ${entries}${range}`];
}

/**
 * PostgreSQL checks its pages itself; what can be said is whether the tables are there and can be
 * read.
 */
async function checkDatabase({ option, shown }: NamedInbox, { output }: CliContext): Promise<void> {
  const { from: schema, to: newestSchema } = await printedMigration(option, {
    role: undefined,
    all: false,
  });
  const inbox = selectInbox(option);
  await inbox.open({ access: "read" });
  try {
    const counts = stateCounts(await inbox.counts());
    const older =
      schema < newestSchema ? `, of ${newestSchema}: run \`${ownCommand("inbox migrate")}\`` : "";
    output.data(`${shown}: can be read`);
    output.data(`  schema      ${schema}${older}`);
    output.data(`  entries     ${countsText(counts) || "none"}`);
    output.talk("pg_amcheck, of PostgreSQL, checks the pages of its tables");
    output.record("inbox", { inbox: shown, intact: null, schema, newestSchema, counts });
  } finally {
    await inbox.close();
  }
}
