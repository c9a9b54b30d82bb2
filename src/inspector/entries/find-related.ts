import { matchesKind } from "../../event/kind-pattern.ts";
import { readEnvelope } from "../../event/read-envelope.ts";
import type { Entry } from "../../inbox/entry.ts";
import type { EntryFilter } from "../../inbox/entry-filter.ts";
import type { Inbox } from "../../inbox/inbox.ts";
import type { Related } from "../api.ts";
import { findEntries } from "./find-entries.ts";
import { entryRows } from "./rows.ts";
import { RESOURCE_PATH } from "./value-path.ts";

/** The maximum number of events in a timeline on each side, and of entries examined for them. */
const MAX_EACH = 20;
const MAX_LOOKED_AT = 60;
const AHEAD = 20_000; // how many later entries are searched

/**
 * The events of the same family with the same `data.id`, oldest first, as far back as one search
 * looks.
 */
export async function findRelated(inbox: Inbox, entry: Entry): Promise<Related> {
  const { seq, kind } = entry;
  const resource = await resourceOf(inbox, entry);
  if (resource === undefined || kind === null) return { resource: null, rows: [] };
  const filter: EntryFilter = { kinds: [familyOf(kind)], text: JSON.stringify(resource) };
  const earlier = await findEntries(inbox, filter, { before: seq, limit: MAX_LOOKED_AT });
  const later = await findEntries(inbox, filter, {
    before: seq + AHEAD,
    limit: MAX_LOOKED_AT,
    downTo: seq,
  });
  const about = async (candidates: readonly Entry[]) => {
    const found: Entry[] = [];
    for (const candidate of candidates) {
      if (found.length < MAX_EACH && (await resourceOf(inbox, candidate)) === resource)
        found.push(candidate);
    }
    return found;
  };
  const before = await about(earlier.entries);
  const after = await about(later.entries.toReversed());
  const all = [...before.toReversed(), entry, ...after];
  return { resource, rows: await entryRows(inbox, all, RESOURCE_PATH) };
}

function familyOf(kind: string): string {
  const family = `${kind.split(".")[0]}.*`;
  return matchesKind(family, kind) ? family : kind;
}

/** An event's `data.id`, read from the whole body. */
async function resourceOf(inbox: Inbox, { seq }: Pick<Entry, "seq">): Promise<string | undefined> {
  const body = (await inbox.delivery(seq))?.body;
  const read = body && readEnvelope(body);
  const id = read?.ok === true ? read.envelope.data.id : undefined;
  return typeof id === "string" && id !== "" ? id : undefined;
}
