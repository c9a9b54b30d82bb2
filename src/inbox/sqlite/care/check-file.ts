import { describeError } from "../../../base/errors.ts";
import { hash } from "../../../base/package/builtins.ts";
import { tryOr } from "../../../base/try-or.ts";
import { areCarried, type Row } from "../../rows.ts";
import { openToRead } from "../client.ts";
import { closing, type Statements } from "../statements.ts";
import { diskError } from "./disk-error.ts";

/** The result of a check of every page of an inbox file. */
export interface FileReport {
  /** Problems in SQLite's words, at most 100. Empty for an intact file. */
  readonly problems: readonly string[];
  /** Entries whose delivery cannot be read or is not what was received; at most 100. */
  readonly unreadable: readonly number[];
  /** Whether entries can still be kept and run, since only data of single entries is damaged. */
  readonly usable: boolean;
  /** The error that the disk reports when the file is read, if there are problems. */
  readonly diskError?: string | undefined;
}

const MAX_REPORTED = 100;

const BATCH_SIZE = 500;

/** Tables, and an index of one of them, whose damage concerns single entries only. */
const OF_SINGLE_ENTRIES = ["delivery", "attempt", "attempt_entry"];

/**
 * Checks every page of an inbox file, and every body. It takes as long as reading the file. Only
 * for a process that does not have the file open otherwise: see {@link diskError}.
 */
export function checkFile(path: string): FileReport {
  const report = checkPages(path);
  const isIntact = report.problems.length + report.unreadable.length === 0;
  return isIntact ? report : { ...report, diskError: diskError(path) };
}

function checkPages(path: string): FileReport {
  try {
    return closing(openToRead(path), (statements) => {
      const whole = checkIntegrity(statements, String(MAX_REPORTED));
      // If the check of the whole file was cut short, each table is checked alone, to find the
      // damaged ones.
      const broken = whole.brokeOff ? brokenTables(statements) : [];
      const problems = [
        ...whole.problems,
        ...broken.map((table) => `table ${table} cannot be read`),
      ];
      const usable =
        affectOnlySingleEntries(problems, statements) && !(whole.brokeOff && broken.length === 0);
      return { problems, unreadable: usable ? unreadableEntries(statements) : [], usable };
    });
  } catch (thrown) {
    return { problems: [describeError(thrown)], unreadable: [], usable: false };
  }
}

/**
 * The problems that SQLite finds until it is cut short; `of` is a table, or how many problems to
 * find.
 */
export function checkIntegrity(
  statements: Statements,
  of: string,
  check: "integrity_check" | "quick_check" = "integrity_check",
): { problems: string[]; brokeOff: boolean } {
  const problems: string[] = [];
  try {
    for (const row of statements.iterate(`PRAGMA ${check}(${of})`)) {
      const lines = String(Object.values(row)[0]).split("\n");
      problems.push(
        ...lines.filter((line) => line !== "ok" && line !== "" && !line.startsWith("***")),
      );
    }
    return { problems, brokeOff: false };
  } catch {
    return { problems, brokeOff: true };
  }
}

/**
 * Whether a page may be in a tree more than once, as no program writes it: reading all of the tree
 * may never end, and only the check does. It may not have come so far.
 */
export function mayBeEndless(problems: readonly string[], most = MAX_REPORTED): boolean {
  return problems.length >= most || problems.some((line) => /2nd reference to page/.test(line));
}

function brokenTables(statements: Statements): readonly string[] {
  const tables = statements.all("SELECT name FROM sqlite_schema WHERE type = 'table'");
  return tables
    .map(({ name }) => name as string)
    .filter((name) => {
      const { problems, brokeOff } = checkIntegrity(statements, name);
      return brokeOff || problems.length > 0;
    });
}

function affectOnlySingleEntries(problems: readonly string[], statements: Statements): boolean {
  const sql =
    "SELECT name, rootpage FROM sqlite_schema WHERE name IN (SELECT value FROM json_each(?))";
  const own = statements.all(sql, JSON.stringify(OF_SINGLE_ENTRIES));
  const roots = new Set(own.map(({ rootpage }) => Number(rootpage)));
  const inOwn = problems.filter((line) => {
    const tree = /^Tree (\d+) /.exec(line)?.[1];
    if (tree !== undefined) return roots.has(Number(tree));
    return OF_SINGLE_ENTRIES.some((name) => new RegExp(`\\b${name}\\b`).test(line));
  });
  // Pages that only a damaged page points to count as unused.
  const orphanedPages = problems.filter((line) => /^Page \d+: never used$/.test(line));
  return inOwn.length + (inOwn.length > 0 ? orphanedPages.length : 0) === problems.length;
}

function unreadableEntries(statements: Statements): readonly number[] {
  const unreadable: number[] = [];
  for (let after = 0; unreadable.length < MAX_REPORTED; ) {
    const entries = statements.all(
      "SELECT seq, state, body_hash FROM entry WHERE seq > ? ORDER BY seq LIMIT ?",
      after,
      BATCH_SIZE,
    );
    const last = entries.at(-1);
    if (last === undefined) break;
    after = last.seq as number;
    const isReadable = ({ seq, state, body_hash: expected }: Row) =>
      tryOr(() => {
        const stored = statements.get(
          "SELECT headers, body FROM delivery WHERE seq = ?",
          seq as number,
        );
        if (stored === undefined) return state === "handled"; // slimmed
        const isReceived = hash("sha256", stored.body as Uint8Array, "hex") === expected;
        return isReceived && areCarried(stored.headers);
      }, false);
    unreadable.push(
      ...entries.filter((entry) => !isReadable(entry)).map(({ seq }) => seq as number),
    );
  }
  return unreadable.slice(0, MAX_REPORTED);
}
