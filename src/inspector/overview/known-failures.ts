import { Remembered } from "../../base/remembered.ts";
import { type FailureGroup, type FailureGroups, failureGroups } from "../../inbox/failures.ts";
import type { Inbox } from "../../inbox/inbox.ts";
import type { FailureRow } from "./overview-api.ts";

/** Finding them takes this share of the time at most, since it delays deliveries. */
const SHARE = 1 / 20;
const KNOWN = new WeakMap<Inbox, Remembered<FailureGroups>>();

/** What the entries of an inbox failed with, at most a little old. */
export function knownFailures(inbox: Inbox): Promise<FailureGroups> {
  const known = KNOWN.get(inbox) ?? new Remembered<FailureGroups>(SHARE);
  KNOWN.set(inbox, known);
  return known.read(() => failureGroups(inbox));
}

export function failureRow({ words, at, seqs, failing, dead, kinds, since }: FailureGroup): FailureRow {
  return { error: words, at, failing, dead, kinds, since, like: seqs.at(-1) ?? 0 };
}
