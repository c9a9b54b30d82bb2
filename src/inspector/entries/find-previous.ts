import type { Entry } from "../../inbox/entry.ts";
import type { Inbox } from "../../inbox/inbox.ts";
import type { Previous } from "../api.ts";
import { findEntries } from "./find-entries.ts";
import { familyOf, resourceIn, resourceOf } from "./find-related.ts";
import { shownBody } from "./shown-body.ts";

/** The maximum number of entries examined. */
const MAX_LOOKED_AT = 20;

/**
 * The newest earlier event about the same resource: of the same family, with the same `data.id`. Looks back as far as one
 * search does.
 */
export async function findPrevious(inbox: Inbox, entry: Entry): Promise<Previous | undefined> {
  const { kind, seq } = entry;
  const id = await resourceOf(inbox, entry);
  if (id === undefined || kind === null) return undefined;
  const filter = { kinds: [familyOf(kind)], text: JSON.stringify(id) };
  const { entries } = await findEntries(inbox, filter, { before: seq, limit: MAX_LOOKED_AT });
  for (const candidate of entries) {
    const body = (await inbox.delivery(candidate.seq))?.body;
    if (body === undefined || resourceIn(body) !== id) continue;
    return {
      seq: candidate.seq,
      kind: candidate.kind,
      receivedAt: candidate.receivedAt,
      body: shownBody(body),
    };
  }
  return undefined;
}
