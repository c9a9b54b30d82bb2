import { tryOr } from "../../base/try-or.ts";
import { exactText, parseExact } from "../../event/exact-json.ts";
import { memberAt } from "../../event/field-path.ts";
import type { Entry } from "../../inbox/entry.ts";
import type { EntryFilter } from "../../inbox/entry-filter.ts";
import type { Inbox } from "../../inbox/inbox.ts";
import type { FieldValue } from "../handlers/values.ts";

/** Entries that are read at a time, and deliveries. */
const LISTED = 500;
const READ = 20;

/**
 * All entries that a filter selects, newest first, and whether they fit conditions; `undefined`
 * without a body any more.
 */
export async function* matching(
  inbox: Pick<Inbox, "list" | "delivery">,
  filter: EntryFilter,
  conditions: readonly FieldValue[],
): AsyncGenerator<{ readonly entry: Entry; readonly fits: boolean | undefined }> {
  for (let below = {}; ; ) {
    const entries = (await inbox.list({ ...filter, ...below, limit: LISTED })).toReversed();
    for (let at = 0; at < entries.length; at += READ) {
      const some = entries.slice(at, at + READ);
      yield* await Promise.all(
        some.map(async (entry) => ({ entry, fits: await fits(inbox, entry, conditions) })),
      );
    }
    const last = entries.at(-1);
    if (last === undefined) return;
    below = { before: last.seq };
  }
}

async function fits(
  inbox: Pick<Inbox, "delivery">,
  { seq }: Entry,
  conditions: readonly FieldValue[],
) {
  if (conditions.length === 0) return true;
  const delivery = await inbox.delivery(seq);
  if (delivery === undefined) return undefined;
  const text = Buffer.from(delivery.body).toString("utf8");
  // Most bodies say at once that they do not fit. One with an escape may spell the value in another
  // way.
  if (!text.includes("\\") && conditions.some(({ value }) => !text.includes(value))) return false;
  return tryOr(() => {
    const body = parseExact(text.replace(/^\uFEFF/, ""));
    return conditions.every(({ path, value }) => {
      const found = memberAt(body, path.split("."));
      return (
        found !== undefined &&
        typeof found !== "object" &&
        (exactText(found) ?? String(found)) === value
      );
    });
  }, false); // not JSON
}
