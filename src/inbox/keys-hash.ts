import { createHash } from "node:crypto";
import { keyText } from "../event/identity.ts";
import type { Erasure } from "./erasure.ts";
import { decodeText } from "./text.ts";

/** The columns of {@link keysHashOf}. */
export const KEY_COLUMNS = "entry.seq, source, event_id, key_timestamp";

/** Counts and hashes the keys of erased entries; `read` returns the next rows after a number, in order. */
export async function keysHashOf(
  read: (after: number) => Promise<readonly Readonly<Record<string, unknown>>[]>,
): Promise<Pick<Erasure, "entries" | "keysHash">> {
  const digest = createHash("sha256");
  let entries = 0;
  for (let after = 0; ; ) {
    const rows = await read(after);
    if (rows.length === 0) return { entries, keysHash: digest.digest("hex") };
    for (const { source, event_id: id, key_timestamp: at } of rows)
      digest.update(
        `${keyText({ source: decodeText(String(source)), eventId: decodeText(String(id)), timestamp: Number(at) })}\n`,
      );
    entries += rows.length;
    after = Number(rows.at(-1)?.seq);
  }
}
