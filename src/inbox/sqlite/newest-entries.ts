import type { Entry } from "../entry.ts";
import type { StoredState } from "../entry-state.ts";
import { decodeText } from "../text.ts";
import { openUntouched } from "./care/examine-file.ts";
import { Statements } from "./statements.ts";

/** An entry's name and what it is. */
export type BriefEntry = Pick<Entry, "seq" | "kind" | "state" | "attempts" | "reason">;

/** How many of the newest entries are looked at: no index leads to those of a state. */
const LOOKED_AT = 5000;

/** The newest entries of an inbox file, newest first. Quick however large it is, and no file beside it is made. */
export function newestEntries(
  path: string,
  { states, limit }: { readonly states: readonly StoredState[] | undefined; readonly limit: number },
): readonly BriefEntry[] {
  const statements = new Statements(openUntouched(path));
  try {
    const newest = "SELECT seq, kind, state, attempts, reason FROM entry ORDER BY seq DESC LIMIT ?";
    const wanted = states === undefined ? "TRUE" : "state IN (SELECT value FROM json_each(?))";
    const values = [LOOKED_AT, ...(states === undefined ? [] : [JSON.stringify(states)]), limit];
    return statements.all(`SELECT * FROM (${newest}) WHERE ${wanted} LIMIT ?`, ...values).map((row) => ({
      seq: row.seq as number,
      kind: row.kind === null ? null : decodeText(row.kind as string),
      state: row.state as StoredState,
      attempts: row.attempts as number,
      reason: row.reason as string | null,
    }));
  } finally {
    statements.close();
  }
}
