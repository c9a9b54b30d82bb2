import { createHash } from "node:crypto";
import { loadSqlite } from "../../src/inbox/sqlite/client.ts";
import { type Ended, query, run, shell } from "./programs.ts";

/** A foreign program that opens an inbox, reads it and closes it. */
export interface Reader {
  readonly name: string;
  /** Runs the program; `copy` is the path for its copy, if it makes one. */
  read(inbox: string, copy: string): Promise<Ended>;
  /** Whether it makes a copy. */
  readonly copies?: true;
}

const python = (...lines: readonly string[]) => {
  const code = [
    "import sqlite3, sys",
    "inbox = sqlite3.connect(sys.argv[1])",
    ...lines,
    "inbox.close()",
  ].join("\n");
  return (inbox: string, copy: string) => run("python3", ["-c", code, inbox, copy]);
};

/**
 * All readers. Under constant load a copy may take long: the shell's `.backup` restarts after each
 * commit.
 */
export const READERS: readonly Reader[] = [
  { name: "shell: select", read: (inbox) => shell(inbox, "SELECT count(*) FROM entry") },
  { name: "shell: .dump", read: (inbox) => shell(inbox, ".output /dev/null", ".dump") },
  { name: "shell: .recover", read: (inbox) => shell(inbox, ".output /dev/null", ".recover") },
  {
    name: "shell: .backup",
    read: (inbox, copy) => shell(inbox, `.backup '${copy}'`),
    copies: true,
  },
  {
    name: "shell: VACUUM INTO",
    read: (inbox, copy) => shell(inbox, `VACUUM INTO '${copy}'`),
    copies: true,
  },
  {
    name: "Python: select",
    read: python('inbox.execute("SELECT count(*) FROM entry").fetchone()'),
  },
  {
    name: "Python: backup",
    read: python("copy = sqlite3.connect(sys.argv[2])", "inbox.backup(copy)", "copy.close()"),
    copies: true,
  },
];

/**
 * Describes what is wrong with a copy of an inbox; empty if it is intact and has all the given
 * events.
 */
export async function faultsOfCopy(
  copy: string,
  ids: readonly string[],
): Promise<readonly string[]> {
  const integrity = await query(copy, "PRAGMA integrity_check");
  const { DatabaseSync } = loadSqlite();
  const database = new DatabaseSync(copy, { readOnly: true });
  try {
    const rows = database
      .prepare(
        "SELECT event_id AS id, body_hash AS hash, body FROM entry LEFT JOIN delivery USING (seq)",
      )
      .all();
    const broken = rows.filter(
      ({ hash, body }) => body === null || sha256(body as Uint8Array) !== hash,
    );
    const known = new Set(rows.map(({ id }) => id));
    const missing = ids.filter((id) => !known.has(id));
    return [
      ...(integrity === "ok" ? [] : [`integrity_check: ${integrity.slice(0, 200)}`]),
      ...(broken.length === 0 ? [] : [`${broken.length} entries without their body`]),
      ...(missing.length === 0
        ? []
        : [`${missing.length} acknowledged before, but not in the copy`]),
    ];
  } finally {
    database.close();
  }
}

function sha256(body: Uint8Array): string {
  return createHash("sha256").update(body).digest("hex");
}
