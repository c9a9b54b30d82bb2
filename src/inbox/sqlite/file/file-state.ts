import { tryOr } from "../../../base/try-or.ts";
import type { Counts } from "../../counts.ts";
import { checkFile, type FileReport, mayBeEndless } from "../care/check-file.ts";
import { openToRead } from "../client.ts";
import { SCHEMA_VERSION, schemaOf } from "../migrations.ts";
import { type Holder, livingHolders } from "../processes/holders.ts";
import { countByState } from "../reads.ts";
import { closing } from "../statements.ts";
import { sizes } from "./file-vitals.ts";
import { findInboxFile } from "./inbox-file.ts";

export interface FileState extends FileReport {
  readonly path: string;
  readonly bytes: number;
  /** Size in bytes of the log, which is not in the database yet. */
  readonly logBytes: number;
  readonly holders: readonly Holder[];
  /** `undefined` if it is too damaged to be read. */
  readonly content: FileContent | undefined;
}

export interface FileContent {
  readonly schema: number;
  readonly newestSchema: number;
  readonly counts: Counts;
  /** The lowest and the highest number of an entry; 0 if there is none. */
  readonly first: number;
  readonly last: number;
  /** Bytes of the file that hold nothing, which `VACUUM` gives back. */
  readonly freeBytes: number;
}

/**
 * Checks every page of an inbox file and every body, and says what is in it. It takes as long as
 * reading the file, and other processes may go on using it.
 *
 * @throws HookporterError `inbox_unavailable` if there is none
 */
export function stateOfFile(given: string): FileState {
  const path = findInboxFile(given);
  const report = checkFile(path);
  const read = mayBeEndless(report.problems) ? undefined : tryToRead(path);
  return {
    ...report,
    ...sizes(path),
    path,
    holders: read?.holders ?? livingHolders(path),
    content: read?.content,
  };
}

function tryToRead(path: string): { content: FileContent; holders: readonly Holder[] } | undefined {
  return tryOr(() => {
    const database = openToRead(path);
    return closing(database, (statements) => {
      const schema = schemaOf(database, path);
      const sql = "SELECT coalesce(min(seq), 0) AS first, coalesce(max(seq), 0) AS last FROM entry";
      const numbers = statements.get(sql) as Pick<FileContent, "first" | "last">;
      const freeBytes =
        Number(statements.pragma("freelist_count")) * Number(statements.pragma("page_size"));
      const counts = countByState(statements);
      const content = { schema, newestSchema: SCHEMA_VERSION, counts, freeBytes, ...numbers };
      return { content, holders: livingHolders(path, statements) };
    });
  }, undefined); // the report says why
}
