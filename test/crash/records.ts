import { existsSync, readFileSync } from "node:fs";
import type { AttemptRecord } from "../../src/entries/index.ts";
import type { Entry } from "../../src/inbox/entry.ts";
import { selectInbox } from "../../src/inbox/open.ts";
import { openDatabase, pragma } from "../../src/inbox/sqlite/client.ts";
import type { Life } from "./listen-process.ts";

/** A delivery that was sent at least in part, perhaps without success; one record per attempt. */
export interface Sent {
  readonly id: string;
  /** SHA-256 of the body, hex. */
  readonly hash: string;
}

/** A complete answer that the sender received. */
export interface Answered {
  readonly id: string;
  readonly status: number;
  readonly received: boolean;
  readonly duplicate: boolean | null;
}

/** A line of the effects' file. */
export interface Effect {
  readonly id: string;
  /** Number of the life that ran it. */
  readonly life: number;
  readonly phase: "start" | "end";
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** An entry with its recorded runs. */
export interface KeptEntry extends Pick<Entry, "state" | "reason" | "attempts" | "bodyHash"> {
  readonly id: string;
  readonly records: readonly Pick<AttemptRecord, "startedAt" | "duration" | "outcome">[];
}

/** All records of a run of the harness. */
export interface Records {
  readonly lives: readonly Life[];
  readonly sent: readonly Sent[];
  readonly answered: readonly Answered[];
  readonly effects: readonly Effect[];
  readonly entries: readonly KeptEntry[];
  /** The result of SQLite's integrity check: `ok`. */
  readonly integrity: string;
}

/** The lines of an NDJSON file; a missing file has none. */
export function readLines<Line>(file: string): readonly Line[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line));
}

/** The entries of an inbox file, and the result of SQLite's integrity check. */
export async function readInbox(path: string): Promise<Pick<Records, "entries" | "integrity">> {
  const database = openDatabase(path);
  const integrity = String(pragma(database, "integrity_check"));
  database.close();
  const inbox = selectInbox(path);
  await inbox.open();
  try {
    const entries: KeptEntry[] = [];
    for (const { seq, key, state, reason, attempts, bodyHash } of await inbox.list({})) {
      entries.push({
        id: key.eventId,
        state,
        reason,
        attempts,
        bodyHash,
        records: await inbox.attempts(seq),
      });
    }
    return { entries, integrity };
  } finally {
    await inbox.close();
  }
}
