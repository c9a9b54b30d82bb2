import { createHash } from "node:crypto";
import { keyText } from "../event/identity.ts";
import { type Row, toKey } from "./rows.ts";

/** The columns of {@link keysHashOf}. */
export const KEY_COLUMNS = "entry.seq, source, event_id, key_timestamp";

/** Counts and hashes the keys of erased entries; `read` returns the next rows after a number, in order. */
export async function keysHashOf(read: (after: number) => Promise<readonly Row[]>) {
  const digest = createHash("sha256");
  let entries = 0;
  for (let after = 0; ; ) {
    const rows = await read(after);
    if (rows.length === 0) return { entries, keysHash: digest.digest("hex") };
    for (const row of rows) digest.update(`${keyText(toKey(row))}\n`);
    entries += rows.length;
    after = Number(rows.at(-1)?.seq);
  }
}
